//! What a verification prints.

use crate::json::add_typed;
use crate::line;
use crate::message::{self, Shown, count};
use crate::options::report::ListReport;
use crate::output::{Output, WriteError};
use crate::schema::Schema;
use hashloom_bag::{Finding, Judged, Kind, Level, Severity, Version};
use hashloom_job::bagit::Verified;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What is said of a bag beside the findings.
pub struct About {
    path: PathBuf,
    version: Version,
    level: Level,
    algorithms: Vec<&'static str>,
}

impl About {
    /// Of this bag.
    pub fn of(verified: &Verified, path: &Path, level: Level) -> About {
        let Verified { version, algorithms, .. } = verified;
        About { path: path.to_path_buf(), version: *version, level, algorithms: algorithms.clone() }
    }

    fn verdict(&self, judged: &Judged) -> &'static str {
        match (judged.worst(), self.level) {
            (Some(Severity::Bad), _) => "not valid",
            (Some(Severity::Unread), _) => "not verified",
            (_, Level::Valid) => "valid",
            (_, Level::Complete) => "complete",
            (_, Level::Oxum) => "as many bytes and files as it says",
        }
    }
}

/// Prints findings and verdict.
///
/// # Errors
/// If they cannot be written.
pub fn print(
    about: &About,
    judged: &Judged,
    (format, verbose): (ListReport, bool),
    output: &Output,
) -> Result<(), WriteError> {
    let mut out = output.clone();
    let text = match format {
        ListReport::Json | ListReport::Jsonl => format!("{}\n", as_json(about, judged)).into_bytes(),
        ListReport::Text => as_text(about, judged, verbose),
    };
    out.write_all(&text).map_err(|error| output.error(error))?;
    output.finish()?;
    if !verbose && format == ListReport::Text {
        tell_notes(judged);
    }
    Ok(())
}

fn as_text(about: &About, judged: &Judged, verbose: bool) -> Vec<u8> {
    let bag = about.path.as_os_str().as_bytes();
    let wanted = |finding: &&Finding| verbose || finding.kind.severity() > Severity::Note;
    let mut text: Vec<u8> =
        judged.findings.iter().filter(wanted).flat_map(|finding| line_of(finding, bag)).collect();
    let files = count(judged.payload.streams, "file", "files");
    let summary = format!("{} ({files}, {} bytes of payload)", about.verdict(judged), judged.payload.octets);
    text.extend(line::about(bag, &summary));
    text
}

/// `path: what: more`.
fn line_of(finding: &Finding, bag: &[u8]) -> Vec<u8> {
    let name = if finding.path.is_empty() { bag } else { finding.path.as_bytes() };
    let mark = if finding.kind.severity() == Severity::Note { "note: " } else { "" };
    let detail = Shown(finding.detail.as_bytes()).to_string();
    let between = if detail.is_empty() { "" } else { ": " };
    line::about(name, &format!("{mark}{}{between}{detail}", finding.kind.word()))
}

/// One line for each kind of harmless thing.
fn tell_notes(judged: &Judged) {
    let mut notes: BTreeMap<Kind, (u64, &Finding)> = BTreeMap::new();
    for finding in judged.findings.iter().filter(|finding| finding.kind.severity() == Severity::Note) {
        notes.entry(finding.kind).or_insert((0, finding)).0 += 1;
    }
    for (number, finding) in notes.values() {
        let more =
            if *number > 1 { format!(" (and {} more; -v lists them)", number - 1) } else { String::new() };
        message::note(format_args!("note: {}{more}", Shown(finding.to_string().as_bytes())));
    }
}

fn as_json(about: &About, judged: &Judged) -> Value {
    let severity = |finding: &Finding| match finding.kind.severity() {
        Severity::Note => "note",
        Severity::Bad => "bad",
        Severity::Unread => "unread",
    };
    let finding = |finding: &Finding| {
        json!({
            "kind": finding.kind.word(),
            "severity": severity(finding),
            "path": finding.path,
            "detail": finding.detail,
        })
    };
    let level = match about.level {
        Level::Oxum => "oxum",
        Level::Complete => "complete",
        Level::Valid => "valid",
    };
    let mut object = json!({
        "version": about.version.to_string(),
        "level": level,
        "verdict": about.verdict(judged),
        "good": judged.is_good(),
        "algorithms": about.algorithms,
        "payload": { "octets": judged.payload.octets, "streams": judged.payload.streams },
        "findings": judged.findings.iter().map(finding).collect::<Vec<_>>(),
    });
    add_typed(&mut object, "bag", &about.path);
    Schema::Bag.mark(&mut object);
    object
}
