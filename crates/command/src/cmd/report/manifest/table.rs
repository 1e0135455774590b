//! Records as a table.

use super::content;
use crate::words::message::Shown;
use hashmill_job::hash::unscanned;
use hashmill_manifest::{Allocation, Label, Record, Time};
use hashmill_report::{Column, Table, Tone};
use hashmill_terminal::path_b64;

/// Returns a table of records, with the columns that any of them has.
pub fn table<'a>(records: impl Iterator<Item = &'a Record>) -> Table {
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
            record
                .reason
                .as_deref()
                .map(|why| Shown(why.as_bytes()).to_string())
                .or_else(|| unscanned(record).map(str::to_string))
        })
        .optional(Column::state("deleted", deleted), |record| allocation(record).map(Allocation::word))
        .optional(Column::state("category", category), |record| label(record, |label| &label.category))
        .optional(Column::words("set"), |record| label(record, |label| &label.set))
        .optional(Column::words("rules"), content::rules)
        .optional(Column::words("type"), content::mime)
        .optional(Column::state("name", [(content::MISMATCH, Tone::Doubtful)]), content::mismatch)
        .optional(Column::words("puid"), content::puids)
        .optional(Column::words("PRONOM"), content::formats)
        .optional(Column::state("class", [(content::RANDOM, Tone::Doubtful)]), content::class)
        .optional(Column::number("entropy (bits a byte)"), content::entropy)
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

/// Returns whether a record is of a file that is known to be bad.
pub fn is_bad(record: &Record) -> bool {
    record.label.as_ref().is_some_and(|label| &*label.category == "bad")
}

/// Returns what is left of a file that was deleted.
pub fn allocation(record: &Record) -> Option<Allocation> {
    record.metadata.as_ref()?.allocation
}

/// Returns the meaning of a category of known files.
pub fn tone_of_category(category: &str) -> Tone {
    match category {
        "bad" => Tone::Bad,
        "good" | "known" => Tone::Good,
        _ => Tone::Plain,
    }
}

/// Returns the text of a digest, or of the digest of likeness, by this algorithm.
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
