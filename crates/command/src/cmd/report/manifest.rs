//! A manifest as sections of a page.

use super::case::{self, About};
use super::charts;
use super::rows::{Rows, Weight};
use super::source::ReportInput;
use super::spread::Spread;
use super::timeline::Timeline;
use super::told::ReportedResult;
use crate::words::message;
use crate::words::message::{Shown, count};
use anyhow::{Context, bail, ensure};
use hashmill_manifest::format::{Format, Hint, Opened, Reader, open};
use hashmill_manifest::stored::Strength;
use hashmill_manifest::{Allocation, Label, Record, Status, Time};
use hashmill_os::names;
use hashmill_report::{Cell, Column, Extent, Figure, PageVerdict, Section, SectionPart, Table, Tone, size};
use hashmill_terminal::path_b64;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Suffixes of files beside a manifest that prove it.
const PROOFS: [&str; 3] = ["sig", "minisig", "tsr"];
const STATUSES: [Status; 5] =
    [Status::Hashed, Status::Unreadable, Status::Changed, Status::Skipped, Status::Stored(Strength::None)];

/// Counts over the records.
#[derive(Default)]
struct Tally {
    files: u64,
    pieces: u64,
    /// The number of records that a reader must see: of problems, and of entries that were left out.
    troubled: u64,
    left_out: u64,
    bytes: u64,
    damaged: u64,
    /// Records of files that were deleted.
    deleted: u64,
    statuses: [u64; STATUSES.len()],
    categories: BTreeMap<Box<str>, u64>,
    spread: Spread,
    timeline: Timeline,
    malformed: Vec<String>,
    malformed_count: u64,
}

/// The most malformed parts that a page names.
const NAMED: usize = 100;

/// Returns the page of a manifest.
///
/// # Errors
/// If it can't be read, or is not a manifest.
pub fn tell(source: ReportInput, most: usize) -> anyhow::Result<ReportedResult> {
    let (title, path) = (source.name(), source.path.clone());
    let mut facts = source.facts();
    let (mut input, seal) = source.read()?;
    let mut tally = Tally::default();
    let mut rows = Rows::new(most);
    let (format, About { facts: about, case, errors }) = read(&mut input, &path, &mut tally, &mut rows)?;
    facts.insert(1, ("format".into(), format!("{}: {}", format.name, format.about)));
    facts.push(seal.fact(&mut input).context("cannot read")?);
    if !facts.iter().any(|(name, _)| name == "signatures") {
        facts.extend(proofs(&path));
    }
    let (problems, left_out) = (problems(&rows, &tally), left_out(&rows, &tally));
    let sections =
        [Some(tally.summary(facts)), problems, case, errors, left_out, tally.charts(), records(rows)];
    let sections = sections.into_iter().flatten().collect();
    let malformed = tally.malformed_count;
    Ok(ReportedResult { kind: "manifest", title, verdict: tally.verdict(), about, sections, malformed })
}

/// Counts and keeps the records; returns the format, and the facts of the run.
fn read(
    input: impl Read,
    path: &Path,
    tally: &mut Tally,
    rows: &mut Rows<Record>,
) -> anyhow::Result<(&'static Format, About)> {
    match open(Box::new(input), Hint::from_name(&names::path_bytes(path))) {
        Ok(Opened { format, mut reader, .. }) => {
            tally.read(&mut *reader, rows, path)?;
            Ok((format, case::tell(reader.case())))
        }
        Err(error) => bail!("{error}"),
    }
}

impl Tally {
    fn read(&mut self, reader: &mut dyn Reader, rows: &mut Rows<Record>, path: &Path) -> anyhow::Result<()> {
        for record in reader {
            match record {
                Ok(record) => {
                    self.count(&record);
                    let weight = weight(&record);
                    let number = if is_left_out(&record) { &mut self.left_out } else { &mut self.troubled };
                    *number += u64::from(weight == Weight::Matters);
                    rows.push(record, weight);
                }
                Err(malformed) => {
                    ensure!(!malformed.is_end(), "{malformed}");
                    message::about_path(path, &malformed);
                    self.malformed_count += u64::from(!malformed.is_note());
                    if !malformed.is_note() && self.malformed.len() < NAMED {
                        self.malformed.push(Shown(malformed.to_string().as_bytes()).to_string());
                    }
                }
            }
        }
        Ok(())
    }

    fn count(&mut self, record: &Record) {
        if record.piece.is_some() {
            self.pieces += 1;
            return;
        }
        self.files += 1;
        self.damaged += u64::from(!record.bad_blocks.is_empty());
        self.deleted += u64::from(allocation(record).is_some());
        self.statuses
            [STATUSES.iter().position(|status| status.word() == record.status.word()).unwrap_or(0)] += 1;
        if let Some(label) = &record.label {
            *self.categories.entry(label.category.clone()).or_default() += 1;
        }
        if let Some(size) =
            record.size.filter(|_| matches!(record.status, Status::Hashed | Status::Stored(_)))
        {
            self.bytes = self.bytes.saturating_add(size);
            self.spread.add(&record.path, size);
        }
        if let Some(time) = record.mtime {
            self.timeline.add(time);
        }
    }

    /// Returns the number of records of files that were not read properly.
    fn failed(&self) -> u64 {
        self.statuses[1] + self.statuses[2] + self.damaged
    }

    fn verdict(&self) -> PageVerdict {
        let bad = self.categories.get("bad").copied().unwrap_or(0);
        let mut troubles = Vec::new();
        if bad > 0 {
            troubles.push(format!("{} known bad", count(bad, "file is", "files are")));
        }
        if self.failed() > 0 {
            troubles
                .push(format!("{} not read as it should be", count(self.failed(), "file was", "files were")));
        }
        if self.malformed_count > 0 {
            let parts = count(self.malformed_count, "part of the manifest was", "parts of the manifest were");
            troubles.push(format!("{parts} not understood"));
        }
        let mut files = count(self.statuses[0], "file", "files");
        if self.left_out > 0 {
            let entries = count(self.left_out, "entry was", "entries were");
            files = format!("{files} hashed, {entries} left out");
        } else {
            files += " hashed";
        }
        if troubles.is_empty() && self.troubled == 0 {
            return PageVerdict::new(Tone::Good, format!("{files}, nothing went wrong."));
        }
        let tone = if bad > 0 { Tone::Bad } else { Tone::Doubtful };
        PageVerdict::new(tone, format!("{}. {files}.", troubles.join(", ")))
    }

    fn summary(&self, facts: Vec<(String, String)>) -> Section {
        // Hits come before the entries that were looked at.
        let known = |(category, number): (&str, u64)| {
            Figure::count(in_category(category), number, tone_of_category(category))
        };
        let categories = self.categories.iter().map(|(category, number)| (&**category, *number));
        let (bad, others): (Vec<_>, Vec<_>) = categories.partition(|(category, _)| *category == "bad");
        let mut figures: Vec<Figure> = bad.into_iter().map(known).collect();
        figures.push(Figure::count("entries", self.files, Tone::Plain));
        figures
            .push(Figure::new(format!("{} bytes hashed", Cell::from(self.bytes)), size(self.bytes as f64)));
        let tones = [Tone::Good, Tone::Bad, Tone::Bad, Tone::Plain];
        for ((status, number), tone) in STATUSES.iter().zip(self.statuses).zip(tones) {
            figures.push(Figure::count(in_words(status.word()), number, tone));
        }
        let more = [
            ("stored by the server, not read", self.statuses[4], Tone::Plain),
            ("with parts that could not be read", self.damaged, Tone::Bad),
            ("deleted files", self.deleted, Tone::Doubtful),
            ("records of pieces", self.pieces, Tone::Plain),
            ("parts not understood", self.malformed_count, Tone::Doubtful),
        ];
        let more = more.into_iter().filter(|(_, number, _)| *number > 0);
        figures.extend(more.map(|(label, number, tone)| Figure::count(label, number, tone)));
        figures.extend(others.into_iter().map(known));
        let others = match self.malformed_count.saturating_sub(NAMED as u64) {
            0 => None,
            more => Some(format!("and {more} more parts that were not understood")),
        };
        Section::new("Summary")
            .with(SectionPart::Figures(figures))
            .with(SectionPart::Facts(facts))
            .warning(self.malformed.iter().cloned().chain(others))
    }

    fn charts(&self) -> Option<Section> {
        let statuses = STATUSES.iter().map(|status| status.word()).zip(self.statuses);
        let categories = self.categories.iter().map(|(category, number)| (&**category, *number));
        let charts = [
            self.spread.sizes(),
            self.spread.kinds(),
            self.timeline.chart(),
            charts::counted("Files by status", "files", "status", statuses),
            charts::counted("Files by what they are known as", "files", "category", categories),
        ];
        let parts: Vec<SectionPart> = charts.into_iter().flatten().map(SectionPart::Chart).collect();
        (!parts.is_empty()).then(|| Section { title: "Charts".into(), parts })
    }
}

/// Returns what is left of a file that was deleted.
fn allocation(record: &Record) -> Option<Allocation> {
    record.metadata.as_ref()?.allocation
}

/// Returns a category of known files in words.
fn in_category(category: &str) -> String {
    match category {
        "unknown" => "in no set".into(),
        "known" => "known, not judged".into(),
        other => format!("known {}", Shown(other.as_bytes())),
    }
}

/// Returns a status in words.
fn in_words(status: &str) -> &str {
    match status {
        "changed-while-reading" => "changed while being read",
        "skipped" => "left out",
        other => other,
    }
}

/// Returns whether the record is of an entry that was not to be hashed, such as a FIFO.
fn is_left_out(record: &Record) -> bool {
    record.status == Status::Skipped
}

/// Returns the rank of a record among problems: what was looked for first, then what is not as it should be.
fn rank(record: &Record) -> u8 {
    match record.status {
        Status::Hashed if record.label.as_ref().is_some_and(|label| &*label.category == "bad") => 0,
        Status::Unreadable => 1,
        Status::Changed => 2,
        _ => 3,
    }
}

fn weight(record: &Record) -> Weight {
    let bad = record.label.as_ref().is_some_and(|label| &*label.category == "bad");
    if record.is_sound() && !bad { Weight::Fine } else { Weight::Matters }
}

fn tone_of_category(category: &str) -> Tone {
    match category {
        "bad" => Tone::Bad,
        "good" | "known" => Tone::Good,
        _ => Tone::Plain,
    }
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

fn digest(record: &Record, name: &str) -> Option<String> {
    let digest = record.digests.iter().find(|named| named.algorithm.name == name);
    let likeness = || record.likeness.iter().find(|likeness| likeness.algorithm.name == name);
    match digest {
        Some(named) => Some(named.algorithm.format(&named.digest)),
        None => {
            let likeness = likeness()?;
            let text = likeness.text(&record.path).map(|text| Shown(text.as_bytes()).to_string());
            text.or_else(|| likeness.status().map(str::to_string))
        }
    }
}

/// Returns the section of the records that a reader must see, which comes first.
fn problems(rows: &Rows<Record>, tally: &Tally) -> Option<Section> {
    let mut records: Vec<&Record> = rows.matter().filter(|record| !is_left_out(record)).collect();
    records.sort_by_key(|record| rank(record));
    let title = format!("Problems: {}", count(tally.troubled, "record", "records"));
    let section = Section::new(title).warning(rows.note("records"));
    let is_any = rows.is_full() || !records.is_empty();
    is_any.then(|| section.with(SectionPart::Records(table(records.into_iter()).extent(Extent::Every))))
}

/// Returns the section of the entries that were not to be hashed, each with the reason.
fn left_out(rows: &Rows<Record>, tally: &Tally) -> Option<Section> {
    let table = table(rows.matter().filter(|record| is_left_out(record)));
    let title = format!("Left out: {}", count(tally.left_out, "entry", "entries"));
    let section = || Section::new(title).with(SectionPart::Records(table));
    (tally.left_out > 0).then(section)
}

/// Returns the section of all records, unless only those that a reader must see are left.
fn records(rows: Rows<Record>) -> Option<Section> {
    let title = || format!("All records: {}", Cell::from(rows.iter().count()));
    (!rows.is_full()).then(|| Section::new(title()).with(SectionPart::Records(table(rows.iter()))))
}

fn table<'a>(records: impl Iterator<Item = &'a Record>) -> Table {
    let records: Vec<&Record> = records.collect();
    let status = [("hashed", Tone::Good), ("unreadable", Tone::Bad), ("changed-while-reading", Tone::Bad)];
    let category = ["bad", "good", "known"].map(|word| (word, tone_of_category(word)));
    let label = |record: &Record, text: fn(&Label) -> &str| {
        record.label.as_ref().map(|label| Shown(text(label).as_bytes()).to_string())
    };
    let deleted = ["intact", "overlapped", "partial"].map(|word| (word, Tone::Doubtful));
    let lost = |record: &Record| {
        let bytes: u64 = record.bad_blocks.iter().map(|piece| piece.length).sum();
        Some(bytes).filter(|bytes| *bytes > 0)
    };
    let table = Table::of(records.iter().copied())
        .column(Column::code("path"), |record| Shown(&record.path).to_string())
        .optional(Column::number("size (bytes)"), |record| record.size)
        .optional(Column::state("status", status), |record| record.status.word())
        .optional(Column::words("why"), |record| {
            record.reason.as_deref().map(|why| Shown(why.as_bytes()).to_string())
        })
        .optional(Column::state("deleted", deleted), |record| allocation(record).map(Allocation::word))
        .optional(Column::state("category", category), |record| label(record, |label| &label.category))
        .optional(Column::words("set"), |record| label(record, |label| &label.set))
        .optional(Column::number("offset"), |record| record.piece.map(|piece| piece.offset))
        .optional(Column::number("length"), |record| record.piece.map(|piece| piece.length));
    let table = names(&records)
        .into_iter()
        .fold(table, |table, name| table.optional(Column::code(name), |record| digest(record, name)));
    table
        .optional(Column::time("last change"), |record| record.mtime.and_then(Time::to_rfc3339))
        .optional(Column::number("bytes that could not be read"), lost)
        .optional(Column::code("path in base64"), |record| path_b64(&record.path))
        .captioned("")
}

/// Returns the names of all algorithms of these records.
fn names(records: &[&Record]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for record in records {
        let digests = record.digests.iter().map(|named| named.algorithm.name);
        let likeness = record.likeness.iter().map(|likeness| likeness.algorithm.name);
        for name in digests.chain(likeness) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}
