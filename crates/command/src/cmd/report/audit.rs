//! The result of an audit, a check or a difference as sections of a page.

use super::charts;
use super::details::Details;
use super::json::{plain, shown};
use super::rows::{Rows, Weight};
use super::run;
use super::source::{ReportInput, SourceKind};
use super::told::{self, Facts, ReportedResult};
use crate::words::message::count;
use anyhow::{Context, bail};
use hashmill_manifest::Status;
use hashmill_manifest::audit::Category;
use hashmill_report::{Column, Extent, Figure, PageVerdict, Section, SectionPart, Table, Tone};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::{BufReader, Read};

/// Counts that are not verdicts: files outside all manifests, files excluded from the comparison, and files that have a
/// verdict, but were not read.
const OUTSIDE: [&str; 6] = ["not_compared", "own", "ignored", "reused", "carried_over", "pruned"];

/// The JSON of `audit`.
#[derive(Deserialize)]
struct AuditJson {
    #[serde(default)]
    entries: Vec<Entry>,
    counts: BTreeMap<String, u64>,
    /// The name of the document's schema: the command, and a version.
    #[serde(default)]
    schema: String,
    #[serde(default)]
    run: Map<String, Value>,
    #[serde(default)]
    not_looked_for: Vec<String>,
    #[serde(default)]
    guessed: Vec<String>,
    #[serde(default)]
    strengths: BTreeMap<String, u64>,
    /// The numbers of items of each kind with each outcome.
    #[serde(default)]
    account: BTreeMap<String, BTreeMap<String, u64>>,
    /// The lists of a check.
    #[serde(default)]
    lists: Vec<List>,
}

/// A list of a check.
#[derive(Deserialize)]
struct List {
    #[serde(default)]
    path: String,
    /// Why it could not be used.
    error: Option<String>,
    /// Lines that were not understood.
    malformed: Option<u64>,
}

/// A line of `audit --format jsonl`: the last one has everything but the entries.
#[derive(Deserialize)]
#[serde(untagged, expecting = "not a line of audit -f jsonl")]
enum Line {
    Last(Box<AuditJson>),
    Entry(Box<Entry>),
}

#[derive(Deserialize)]
struct Entry {
    #[serde(alias = "result")]
    category: String,
    path: String,
    path_b64: Option<String>,
    known_path: Option<String>,
    known_path_b64: Option<String>,
    status: Option<String>,
    offset: Option<u64>,
    length: Option<u64>,
    known_category: Option<String>,
    known_set: Option<String>,
    /// All other keys, such as digests.
    #[serde(flatten)]
    more: Map<String, Value>,
}

/// Returns the page of an audit.
///
/// # Errors
/// If it can't be read, or is not a result of an audit.
pub fn tell(source: ReportInput, kind: SourceKind, most: usize) -> anyhow::Result<ReportedResult> {
    let (title, mut facts) = (source.name(), source.facts());
    let (mut input, seal) = source.read()?;
    let reader = BufReader::new(&mut input);
    let result = match kind {
        SourceKind::AuditLines => from_lines(reader),
        _ => serde_json::from_reader(reader).map_err(Into::into),
    };
    let mut result: AuditJson = result.context("no result of an audit")?;
    facts.push(seal.fact(&mut input).context("cannot read")?);
    let counts = counts(&result);
    let words = Words::from_document(&result);
    let run = run::facts(std::mem::take(&mut result.run));
    let about = told::first(&run);
    facts.extend(circumstances(&result));
    let run = (!run.is_empty()).then(|| Section::new("Case and run").with(SectionPart::Facts(run)));
    let summary = summary(&counts, &result.not_looked_for, facts);
    let [problems, fine] = entries(result.entries, most);
    let sections = [Some(summary), run, problems, chart(&counts), fine].into_iter().flatten().collect();
    let verdict = verdict(&counts, &open(&result.account), words);
    Ok(ReportedResult { kind: words.kind, title, verdict, about, sections, malformed: 0 })
}

/// Joins lines. Without the last line it is unknown how many are missing.
fn from_lines(reader: impl Read) -> anyhow::Result<AuditJson> {
    let mut entries = Vec::new();
    for line in serde_json::Deserializer::from_reader(reader).into_iter() {
        match line? {
            Line::Entry(entry) => entries.push(*entry),
            Line::Last(last) => return Ok(AuditJson { entries, ..*last }),
        }
    }
    bail!("the counts at its end are missing: the audit was interrupted, or its result was cut")
}

/// The words for the name and the outcome of a comparison.
#[derive(Clone, Copy)]
struct Words {
    kind: &'static str,
    passed: &'static str,
    failed: &'static str,
    undecided: &'static str,
}

impl Words {
    const AUDIT: Words =
        Words { kind: "audit", passed: "Audit passed", failed: "Audit failed", undecided: "Audit undecided" };
    const CHECK: Words =
        Words { kind: "check", passed: "Check passed", failed: "Check failed", undecided: "Check undecided" };
    const DIFF: Words =
        Words { kind: "comparison", passed: "No difference", failed: "Different", undecided: "Undecided" };

    fn from_document(result: &AuditJson) -> Words {
        match result.schema.split('-').next() {
            Some("check") => Words::CHECK,
            Some("diff") => Words::DIFF,
            _ if result.counts.contains_key("ok") => Words::CHECK,
            _ => Words::AUDIT,
        }
    }
}

/// Returns every category with its number, in their order; unknown ones at the end.
fn counts(result: &AuditJson) -> Vec<(String, u64)> {
    let known = Category::ALL.map(Category::word);
    // A check uses other words.
    let is_check = result.counts.contains_key("ok");
    let number = |word: &str| result.counts.get(word).copied().unwrap_or(0);
    let others = result.counts.iter().filter(|(word, _)| !known.contains(&word.as_str()) || is_check);
    let all = known.iter().filter(|_| !is_check).map(|word| ((*word).to_string(), number(word)));
    all.chain(others.map(|(word, number)| (word.clone(), *number))).collect()
}

/// Returns whether this word means a match.
fn is_fine(word: &str) -> bool {
    word == Category::Matched.word() || word == "ok"
}

fn tone(category: &str) -> Tone {
    match category {
        _ if is_fine(category) => Tone::Good,
        "changed" | "failed" | "missing" | "unreadable" => Tone::Bad,
        "own" | "ignored" => Tone::Plain,
        _ => Tone::Doubtful,
    }
}

/// Returns the rank of a category: differences first, then files elsewhere or unexpected, then those not compared.
fn rank(category: &str) -> usize {
    const WORST: [&str; 7] = ["changed", "failed", "missing", "unreadable", "moved", "copied", "new"];
    WORST.iter().position(|word| *word == category).unwrap_or(WORST.len())
}

/// Names the items of an account because of which the exit code was not 0, beside differences.
fn open(account: &BTreeMap<String, BTreeMap<String, u64>>) -> String {
    const OPEN: [&str; 5] = ["failed", "unusable", "incomplete", "not_looked_into", "late"];
    let numbers = account
        .iter()
        .map(|(item, outcomes)| (item, OPEN.iter().filter_map(|word| outcomes.get(*word)).sum::<u64>()));
    let numbers = numbers.filter(|(_, number)| *number > 0).map(|(item, number)| {
        let one = item
            .strip_suffix("ies")
            .map_or_else(|| item.trim_end_matches('s').to_string(), |stem| format!("{stem}y"));
        count(number, &one, item)
    });
    numbers.collect::<Vec<_>>().join(", ")
}

/// Returns the verdict of the counts in a sentence, by the rules of an audit's exit code. `lost` names what could not be
/// read or understood.
fn verdict(counts: &[(String, u64)], lost: &str, words: Words) -> PageVerdict {
    let Words { passed, failed, undecided: open, .. } = words;
    let number = |wanted: fn(&str) -> bool| -> u64 {
        counts.iter().filter(|(word, _)| wanted(word)).map(|(_, number)| number).sum()
    };
    let named = |wanted: fn(&str) -> bool| -> String {
        let some = counts.iter().filter(|(word, number)| wanted(word) && *number > 0);
        some.map(|(word, number)| format!("{number} {}", plain(word))).collect::<Vec<_>>().join(", ")
    };
    let left_out = match number(|word| word == "not_compared") {
        0 => String::new(),
        left_out => format!(" {} not compared.", count(left_out, "entry was", "entries were")),
    };
    let left_out = match number(|word| word == "reused") {
        0 => left_out,
        reused => {
            let files = count(reused, "file was", "files were");
            format!("{left_out} {files} not read: the digests are of an earlier run.")
        }
    };
    let (differing, mut undecided) = (named(is_difference), named(is_undecided));
    if undecided.is_empty() && !lost.is_empty() {
        undecided = format!("{lost} could not be read or understood");
    }
    let matched = number(is_fine);
    if !differing.is_empty() {
        let all = [differing, undecided].into_iter().filter(|one| !one.is_empty()).collect::<Vec<_>>();
        PageVerdict::new(Tone::Bad, format!("{failed}: {}.{left_out}", all.join(", ")))
    } else if !undecided.is_empty() {
        PageVerdict::new(Tone::Doubtful, format!("{open}: {undecided}.{left_out}"))
    } else if matched == 0 {
        PageVerdict::new(Tone::Bad, format!("{failed}: nothing was compared.{left_out}"))
    } else {
        let matched = count(matched, "entry", "entries");
        PageVerdict::new(Tone::Good, format!("{passed}: {matched} matched.{left_out}"))
    }
}

fn is_difference(word: &str) -> bool {
    !is_fine(word) && !OUTSIDE.contains(&word) && !is_undecided(word)
}

/// Returns whether this word leaves open whether the entry matches.
fn is_undecided(word: &str) -> bool {
    ["partly-verified", "unnamed", "unsupported", "unproven"].contains(&word)
}

/// Returns the label of a count, for people.
fn label(word: &str) -> String {
    match word {
        "not_compared" => "not compared".into(),
        "own" => "left out: the manifest and what belongs to it".into(),
        "ignored" => "left out: patterns of the manifest".into(),
        "reused" => "not read: digests of an earlier run".into(),
        "carried_over" => "not compared, carried over into the next manifest".into(),
        "pruned" => "not compared, left out of the next manifest".into(),
        word => plain(word),
    }
}

/// Returns facts about the comparison that are not the default.
fn circumstances(result: &AuditJson) -> Facts {
    let words = |words: &[String]| words.iter().map(|word| plain(word)).collect::<Vec<_>>().join(", ");
    let strengths: Vec<String> =
        result.strengths.iter().map(|(word, number)| format!("{number} by {}", plain(word))).collect();
    let list = |list: &List| match (&list.error, list.malformed) {
        (Some(error), _) => Some(plain(error)),
        (None, Some(lines)) => Some(format!("{} of {}", count(lines, "line", "lines"), plain(&list.path))),
        (None, None) => None,
    };
    let lists: Vec<String> = result.lists.iter().filter_map(list).collect();
    let guessed = match &result.guessed[..] {
        [] => String::new(),
        guessed => format!("taken for {}, as the list does not name their algorithm", words(guessed)),
    };
    told::known([
        ("not looked for", Some(words(&result.not_looked_for))),
        ("digests", Some(guessed)),
        ("matched", Some(strengths.join(", "))),
        ("not understood", Some(lists.join(", "))),
    ])
}

fn summary(counts: &[(String, u64)], not_looked_for: &[String], facts: Facts) -> Section {
    let figures = counts.iter().map(|(word, number)| match *number {
        0 if not_looked_for.contains(word) => Figure::new(format!("{} (not looked for)", label(word)), "–"),
        number => Figure::count(label(word), number, tone(word)),
    });
    Section::new("Summary").with(SectionPart::Figures(figures.collect())).with(SectionPart::Facts(facts))
}

fn chart(counts: &[(String, u64)]) -> Option<Section> {
    let counts = counts.iter().filter(|(word, _)| !OUTSIDE.contains(&word.as_str()));
    let counts = counts.map(|(word, number)| (word.as_str(), *number));
    let chart = charts::counted("Entries by category", "entries", "category", counts)?;
    Some(Section::new("Charts").with(SectionPart::Chart(chart)))
}

/// Returns the sections of problems and of matches.
fn entries(entries: Vec<Entry>, most: usize) -> [Option<Section>; 2] {
    let mut rows = Rows::new(most);
    for entry in entries {
        let weight = if is_fine(&entry.category) { Weight::Fine } else { Weight::Matters };
        rows.push(entry, weight);
    }
    let note = rows.note("entries");
    let (mut problems, fine) = rows.parted();
    problems.sort_by_key(|entry| rank(&entry.category));
    let title = |word: &str, entries: &[Entry]| {
        format!("{word}: {}", count(entries.len() as u64, "entry", "entries"))
    };
    let problems = (!problems.is_empty()).then(|| {
        let section = Section::new(title("Problems", &problems)).warning(note);
        section.with(SectionPart::Records(table(&problems).extent(Extent::Every)))
    });
    let fine = (!fine.is_empty()).then(|| {
        let section = Section::new(title("Matched", &fine));
        section.with(SectionPart::Records(table(&fine).extent(Extent::Folded)))
    });
    [problems, fine]
}

fn table(entries: &[Entry]) -> Table {
    let words = Category::ALL.map(Category::word);
    let others = ["ok", "failed", "partly-verified", "unnamed", "unsupported", "unproven", "not_compared"];
    let tones = words.into_iter().chain(others).map(|word| (word, tone(word)));
    let hashed = |status: &&str| *status != Status::Hashed.word();
    let text = |text: &Option<String>| text.as_deref().map(plain);
    let table = Table::of(entries)
        .column(Column::code("path"), Entry::path)
        .optional(Column::state("category", tones), |entry| plain(&entry.category))
        .optional(Column::code("known path"), Entry::known_path)
        .optional(Column::words("status"), |entry| entry.status.as_deref().filter(hashed).map(plain))
        .optional(Column::number("offset"), |entry| entry.offset)
        .optional(Column::number("length"), |entry| entry.length)
        .optional(Column::words("known as"), |entry| text(&entry.known_category))
        .optional(Column::words("set"), |entry| text(&entry.known_set));
    // Digests of matches add nothing.
    let problems = entries.iter().filter(|entry| !is_fine(&entry.category));
    let details = Details::new(problems.map(|entry| &entry.more));
    details.add_to(table, |entry| &entry.more).captioned("")
}

impl Entry {
    fn path(&self) -> String {
        shown(&self.path, self.path_b64.as_deref())
    }

    /// Returns the known path. If it is the same, as for nearly all entries, it says nothing.
    fn known_path(&self) -> Option<String> {
        let known = shown(self.known_path.as_deref()?, self.known_path_b64.as_deref());
        Some(known).filter(|known| *known != self.path())
    }
}
