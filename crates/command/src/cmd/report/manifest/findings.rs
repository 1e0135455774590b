//! Records that a reader looks for: those that rules match, names of another type, content that looks encrypted, duplicates,
//! the largest and the newest.

use super::content;
use super::most::{MOST, Most};
use super::table::table;
use crate::cmd::report::rows::Rows;
use crate::words::message::{Shown, count};
use hashmill_digest::Digest;
use hashmill_manifest::{Named, Record, Status, Time};
use hashmill_report::{Cell, Column, Extent, Section, SectionPart, Table, size};

/// The most records of a finding that a page lists.
const LISTED: usize = 10_000;
/// The most groups of duplicates that it lists.
const GROUPS: usize = 1000;
/// Up to this number of records a reader sees all of them at once, and needs no lists of the largest or newest.
const FEW: usize = 100;

/// Records that a reader looks for.
#[derive(Debug, Default)]
pub struct Findings {
    matching: Listed,
    mismatches: Listed,
    random: Listed,
    largest: Most<u64>,
    newest: Most<(i64, u32)>,
}

/// The first records that something holds for, and their number.
#[derive(Debug, Default)]
struct Listed {
    kept: Vec<Record>,
    number: u64,
}

/// A group of files with the same content.
struct Duplicates<'a> {
    digest: &'a Named,
    size: u64,
    records: Vec<&'a Record>,
}

impl Findings {
    /// Takes a record.
    pub fn add(&mut self, record: &Record) {
        if record.piece.is_some() || record.status != Status::Hashed {
            return;
        }
        self.matching.add(record, content::has_matches(record));
        self.mismatches.add(record, content::is_mismatch(record));
        self.random.add(record, content::is_random(record));
        if let Some(size) = record.size.filter(|size| *size > 0) {
            self.largest.add(size, record);
        }
        if let Some(Time { seconds, nanoseconds }) = record.mtime {
            self.newest.add((seconds, nanoseconds), record);
        }
    }

    /// Returns the sections of records that something was found about.
    pub fn found(&self) -> impl Iterator<Item = Section> {
        let parts = [
            (&self.matching, "Matched by rules", Extent::Every),
            (&self.mismatches, "Names of another type", Extent::Folded),
            (&self.random, "Encrypted or random", Extent::Folded),
        ];
        parts.into_iter().filter_map(|(found, title, extent)| found.section(title, extent))
    }

    /// Returns the sections of duplicates, and of the largest and the newest of many records.
    pub fn most(&self, rows: &Rows<Record>) -> Vec<Section> {
        if !rows.is_full() && rows.iter().count() <= FEW {
            return Vec::new();
        }
        let folded = |title: &str, table: Table| {
            let table = table.extent(Extent::Folded);
            (!table.rows.is_empty()).then(|| Section::new(title).with(SectionPart::Records(table)))
        };
        let largest = folded(&format!("The {MOST} largest files"), table(self.largest.records()));
        let newest = folded(&format!("The {MOST} files that changed last"), table(self.newest.records()));
        [duplicates(rows), largest, newest].into_iter().flatten().collect()
    }
}

impl Listed {
    fn add(&mut self, record: &Record, is_found: bool) {
        self.number += u64::from(is_found);
        if is_found && self.kept.len() < LISTED {
            self.kept.push(record.clone());
        }
    }

    fn section(&self, title: &str, extent: Extent) -> Option<Section> {
        let Listed { kept, number } = self;
        let left_out = *number - kept.len() as u64;
        let note = (left_out > 0)
            .then(|| format!("{left_out} more of them are in the manifest, and not listed here."));
        let section = Section::new(format!("{title}: {}", count(*number, "file", "files"))).warning(note);
        let table = table(kept.iter()).extent(extent);
        (*number > 0).then(|| section.with(SectionPart::Records(table)))
    }
}

/// Returns the section of files with the same content, those that waste most bytes first.
fn duplicates(rows: &Rows<Record>) -> Option<Section> {
    if rows.is_full() {
        let text =
            "This page has not all records, and can't say which have the same content: 'hashmill dupes' can.";
        return Some(Section::new("Duplicates").with(SectionPart::Text(text.into())));
    }
    let mut groups = groups(rows);
    groups
        .sort_by(|a, b| b.wasted().cmp(&a.wasted()).then_with(|| a.records[0].path.cmp(&b.records[0].path)));
    let (number, wasted) = (groups.len(), groups.iter().map(Duplicates::wasted).sum::<u128>());
    let note = number.saturating_sub(GROUPS);
    let note = (note > 0)
        .then(|| format!("These are the {GROUPS} groups of most bytes; {note} more are not listed."));
    let table = Table::of(groups.iter().take(GROUPS))
        .column(Column::code("first path"), |group| Shown(&group.records[0].path).to_string())
        .column(Column::code("another path"), |group| Shown(&group.records[1].path).to_string())
        .column(Column::number("files"), |group| group.records.len())
        .column(Column::number("size (bytes)"), |group| group.size)
        .column(Column::number("bytes more than once"), |group| Cell::Number(group.wasted() as f64, 0))
        .column(Column::code("digest"), |group| {
            let Named { algorithm, digest, .. } = group.digest;
            format!("{}: {}", algorithm.name, algorithm.format(digest))
        })
        .captioned("")
        .extent(Extent::Folded);
    let title = format!(
        "Duplicates: {}, {} more than once",
        count(number as u64, "group", "groups"),
        size(wasted as f64)
    );
    (number > 0).then(|| Section::new(title).warning(note).with(SectionPart::Records(table)))
}

impl Duplicates<'_> {
    fn wasted(&self) -> u128 {
        u128::from(self.size) * (self.records.len() as u128 - 1)
    }
}

/// Returns the groups of records with the same longest digest and the same size.
fn groups(rows: &Rows<Record>) -> Vec<Duplicates<'_>> {
    let whole = |record: &&Record| {
        record.piece.is_none() && record.status == Status::Hashed && record.size.is_some_and(|size| size > 0)
    };
    let mut files: Vec<(&Named, u64, &Record)> = rows
        .iter()
        .filter(whole)
        .filter_map(|record| Some((longest(record)?, record.size?, record)))
        .collect();
    let key = |(named, size, _): &(&Named, u64, &Record)| (named.algorithm.name, *size);
    files.sort_by(|a, b| {
        key(a)
            .cmp(&key(b))
            .then_with(|| a.0.digest.as_bytes().cmp(b.0.digest.as_bytes()))
            .then_with(|| a.2.path.cmp(&b.2.path))
    });
    let same =
        |a: &(&Named, u64, &Record), b: &(&Named, u64, &Record)| key(a) == key(b) && a.0.digest == b.0.digest;
    let groups = files.chunk_by(same).filter(|group| group.len() > 1);
    groups
        .map(|group| Duplicates {
            digest: group[0].0,
            size: group[0].1,
            records: group.iter().map(|file| file.2).collect(),
        })
        .collect()
}

/// Returns the longest digest of a record.
fn longest(record: &Record) -> Option<&Named> {
    let telling = record.digests.iter().filter(|named| is_telling(&named.digest));
    telling.max_by_key(|named| named.digest.as_bytes().len())
}

/// Returns whether equal digests of this length tell equal contents.
fn is_telling(digest: &Digest) -> bool {
    digest.as_bytes().len() >= 16
}
