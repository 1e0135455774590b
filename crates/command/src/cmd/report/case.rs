//! Case data of a manifest as a section of a page.

use super::told::{self, Facts};
use crate::words::message::{Shown, count};
use hashmill_manifest::Time;
use hashmill_manifest::case::{Case, End, KnownSet, Start};
use hashmill_report::{Column, Section, SectionPart, Table};

/// The case data of the run that wrote a manifest.
#[derive(Default)]
pub struct About {
    /// The facts that the first page of a report shows.
    pub facts: Facts,
    /// All facts.
    pub case: Option<Section>,
    /// Errors of the run.
    pub errors: Option<Section>,
}

/// Returns the case data of a manifest as facts, if it has any.
pub fn tell(case: &Case) -> About {
    if case.is_none() {
        return About::default();
    }
    let mut facts = Facts::new();
    case.start.iter().for_each(|start| begun(start, case.end.as_ref(), &mut facts));
    case.end.iter().for_each(|end| ended(end, &mut facts));
    let first = told::first(&facts);
    let mut section = Section::new("Case and run").with(SectionPart::Facts(facts));
    if case.end.is_none() {
        let what =
            "The manifest does not say how its run ended: it was interrupted, or the manifest was cut.";
        section = section.with(SectionPart::Warning(what.into()));
    }
    let errors = case.end.as_ref().filter(|end| !end.errors.is_empty());
    let errors = errors
        .map(|end| Section::new("What went wrong in the run").with(SectionPart::Table(self::errors(end))));
    About { facts: first, case: Some(section), errors }
}

fn begun(start: &Start, end: Option<&End>, facts: &mut Facts) {
    let mut fact = |name: &str, value: String| facts.push((name.into(), value));
    for (name, text) in [("case", &start.case), ("examiner", &start.examiner), ("evidence", &start.evidence)]
    {
        text.iter().for_each(|text| fact(name, shown(text)));
    }
    fact("started", time(start.started));
    start.resumed.iter().for_each(|again| fact("gone on with", time(*again)));
    end.iter().for_each(|end| fact("ended", time(end.ended)));
    fact("host", Shown(&start.host).to_string());
    fact("program", format!("{} {}", shown(&start.tool), shown(&start.version)));
    start.sets.iter().for_each(|set| fact("looked up in", known_set(set)));
    let mut words: Vec<String> = start.command.iter().map(|word| quoted(word)).collect();
    if start.command_left_out > 0 {
        words.push(format!("and {}", count(start.command_left_out, "more argument", "more arguments")));
    }
    fact("command", words.join(" "));
    for used in &start.algorithms {
        let kernels: Vec<String> = used.kernels.iter().map(|kernel| shown(kernel)).collect();
        fact("computed by", format!("{}: {}", shown(&used.algorithm), kernels.join(", ")));
    }
}

/// Formats "bad.hmk: 2 digests, built 2026-11-29T21:36:45Z, identity cdc4f0ac".
fn known_set(set: &KnownSet) -> String {
    let built = set.built.as_deref().map_or("at an unknown time".into(), shown);
    let digests = count(set.digests, "digest", "digests");
    format!("{}: {digests}, built {built}, identity {}", Shown(&set.path), shown(&set.identity))
}

fn ended(end: &End, facts: &mut Facts) {
    let mut fact = |name: &str, value: String| facts.push((name.into(), value));
    let kept =
        if end.kept > 0 { format!(" ({} of them before an interruption)", end.kept) } else { String::new() };
    fact(
        "counted by the run",
        format!(
            "{} seen = {} hashed{kept} + {} skipped + {} failed; {}",
            end.seen,
            end.hashed,
            end.skipped,
            end.failed,
            count(end.bytes, "byte", "bytes")
        ),
    );
}

fn errors(end: &End) -> Table {
    let mut table = Table::of(&end.errors)
        .column(Column::code("path"), |fault| Shown(&fault.path).to_string())
        .column(Column::words("problem"), |fault| shown(&fault.problem))
        .captioned("");
    if end.errors_left_out > 0 {
        table.push_remark(format!("and {} more", end.errors_left_out));
    }
    table
}

/// Quotes a word of a command line, so that its ends are visible.
pub(super) fn quoted(word: &[u8]) -> String {
    let plain = |byte: &u8| byte.is_ascii_graphic() && !b"'\"\\$&|;<>()*?[]{}`#!~".contains(byte);
    let text = Shown(word).to_string();
    if !word.is_empty() && word.iter().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

fn shown(text: &str) -> String {
    Shown(text.as_bytes()).to_string()
}

fn time(time: Time) -> String {
    time.to_rfc3339().unwrap_or_default()
}
