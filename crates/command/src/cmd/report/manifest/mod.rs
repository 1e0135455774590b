//! A manifest as sections of a page.

mod content;
mod findings;
mod most;
mod table;
mod tally;

use super::case::{self, About};
use super::rows::{Rows, Weight};
use super::source::ReportInput;
use super::told::ReportedResult;
use crate::words::message::{Shown, count};
use anyhow::{Context, bail};
use findings::Findings;
use hashmill_job::hash::unscanned;
use hashmill_manifest::format::{Format, Hint, Opened, open};
use hashmill_manifest::{Record, Status};
use hashmill_os::names;
use hashmill_report::{Cell, Extent, Section, SectionPart};
use std::io::Read;
use std::path::{Path, PathBuf};
use table::{is_bad, table};
use tally::Tally;

/// Suffixes of files beside a manifest that prove it.
const PROOFS: [&str; 3] = ["sig", "minisig", "tsr"];

/// Returns the page of a manifest, with these sections among its own.
///
/// # Errors
/// If it can't be read, or is not a manifest.
pub fn tell(source: ReportInput, most: usize, more: Vec<Section>) -> anyhow::Result<ReportedResult> {
    let (title, path) = (source.name(), source.path.clone());
    let mut facts = source.facts();
    let (mut input, seal) = source.read()?;
    let mut tally = Tally::default();
    let mut records = Records { rows: Rows::new(most), findings: Findings::default() };
    let (format, About { facts: about, case, errors }) = read(&mut input, &path, &mut tally, &mut records)?;
    facts.insert(1, ("format".into(), format!("{}: {}", format.name, format.about)));
    facts.push(seal.fact(&mut input).context("cannot read")?);
    if !facts.iter().any(|(name, _)| name == "signatures") {
        facts.extend(proofs(&path));
    }
    let Records { rows, findings } = records;
    let mut sections = vec![tally.summary(facts)];
    sections.extend(problems(&rows, &tally));
    sections.extend(findings.found());
    sections.extend(more);
    sections.extend([case, errors, left_out(&rows, &tally)].into_iter().flatten());
    sections.extend(tally.charts());
    sections.extend(findings.most(&rows));
    sections.extend(all(rows));
    let malformed = tally.malformed();
    Ok(ReportedResult { kind: "manifest", title, verdict: tally.verdict(), about, sections, malformed })
}

/// The records that the page has.
struct Records {
    rows: Rows<Record>,
    findings: Findings,
}

impl Records {
    fn push(&mut self, record: Record) {
        self.findings.add(&record);
        let weight = weight(&record);
        self.rows.push(record, weight);
    }
}

/// Counts and keeps the records; returns the format, and the facts of the run.
fn read(
    input: impl Read,
    path: &Path,
    tally: &mut Tally,
    records: &mut Records,
) -> anyhow::Result<(&'static Format, About)> {
    match open(Box::new(input), Hint::from_name(&names::path_bytes(path))) {
        Ok(Opened { format, mut reader, .. }) => {
            tally.read(&mut *reader, path, &mut |record| records.push(record))?;
            Ok((format, case::tell(reader.case())))
        }
        Err(error) => bail!("{error}"),
    }
}

/// Returns whether the record is of an entry that was not to be hashed, such as a FIFO.
fn is_left_out(record: &Record) -> bool {
    record.status == Status::Skipped
}

/// Returns the rank of a record among problems: what was looked for first, then what is not as it should be.
fn rank(record: &Record) -> u8 {
    match record.status {
        Status::Hashed if is_bad(record) => 0,
        Status::Unreadable => 1,
        Status::Changed => 2,
        _ => 3,
    }
}

/// Returns whether a record is of a file that is known to be bad, or is not as it should be.
fn is_problem(record: &Record) -> bool {
    !record.is_sound() || is_bad(record) || unscanned(record).is_some()
}

fn weight(record: &Record) -> Weight {
    if is_problem(record) || content::has_matches(record) { Weight::Matters } else { Weight::Fine }
}

/// Returns the files beside the manifest that prove it.
fn proofs(path: &Path) -> Vec<(String, String)> {
    let beside = |end: &&str| {
        let mut name = path.as_os_str().to_os_string();
        name.push(".");
        name.push(end);
        PathBuf::from(name)
    };
    let found: Vec<String> = PROOFS
        .iter()
        .map(beside)
        .filter(|path| path.is_file())
        .map(|path| Shown::path(&path).to_string())
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    vec![("signature".into(), format!("{} beside it; not verified for this page", found.join(", ")))]
}

/// Returns the section of the records that a reader must see, which comes first.
fn problems(rows: &Rows<Record>, tally: &Tally) -> Option<Section> {
    let mut records: Vec<&Record> =
        rows.matter().filter(|record| is_problem(record) && !is_left_out(record)).collect();
    records.sort_by_key(|record| rank(record));
    let title = format!("Problems: {}", count(tally.troubled(), "record", "records"));
    let section = Section::new(title).warning(rows.note("records"));
    let is_any = rows.is_full() || !records.is_empty();
    is_any.then(|| section.with(SectionPart::Records(table(records.into_iter()).extent(Extent::Every))))
}

/// Returns the section of the entries that were not to be hashed, each with the reason.
fn left_out(rows: &Rows<Record>, tally: &Tally) -> Option<Section> {
    let table = table(rows.matter().filter(|record| is_left_out(record)));
    let title = format!("Left out: {}", count(tally.left_out(), "entry", "entries"));
    let section = || Section::new(title).with(SectionPart::Records(table));
    (tally.left_out() > 0).then(section)
}

/// Returns the section of all records, unless only those that a reader must see are left.
fn all(rows: Rows<Record>) -> Option<Section> {
    let title = || format!("All records: {}", Cell::from(rows.iter().count()));
    (!rows.is_full()).then(|| Section::new(title()).with(SectionPart::Records(table(rows.iter()))))
}
