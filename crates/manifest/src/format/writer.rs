//! The trait of all writers, and their parameters.

use super::made::Made;
use crate::Record;
use crate::case::{End, Start};
use hashmill_digest::{Algorithm, Style};
use hashmill_facts::FactSet;
use hashmill_similar::Similar;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// The properties of the records to write.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// The algorithms of all records, in order.
    pub algorithms: Vec<&'static Algorithm>,
    /// The likeness algorithms of all records, each with its index among all digest columns, in ascending order.
    pub likeness: Vec<(usize, &'static Similar)>,
    /// The facts that records may have.
    pub facts: FactSet,
    /// The notation of digests.
    pub style: Style,
    /// Whether records may have leaf digests.
    pub leaves: bool,
    /// Whether there may be records of pieces.
    pub pieces: bool,
    /// Whether records may have times.
    pub times: bool,
    /// Whether records may have metadata.
    pub metadata: bool,
    /// Whether records may be of entries inside of other files.
    pub inside: bool,
    /// Whether records may have attributes of Windows.
    pub attributes: bool,
    /// Whether records may have bad blocks.
    pub bad_blocks: bool,
    /// Whether records may have labels.
    pub labels: bool,
    /// Whether records may be of stored objects.
    pub stored: bool,
    /// Whether records may be of objects with versions.
    pub versions: bool,
    /// Case data at the start; then [`Writer::conclude`] must be called before [`Writer::end`].
    pub case: Option<Arc<Start>>,
}

/// A column of digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Of an algorithm for equality.
    Digest(&'static Algorithm),
    /// Of an algorithm for likeness.
    Likeness(&'static Similar),
}

impl Layout {
    /// Returns the columns of digests, in order.
    pub fn columns(&self) -> Vec<Column> {
        let mut columns: Vec<Column> = self.algorithms.iter().map(|row| Column::Digest(row)).collect();
        for (place, row) in &self.likeness {
            columns.insert((*place).min(columns.len()), Column::Likeness(row));
        }
        columns
    }
}

/// Writes records to a file: `begin` once, `record` for each, `conclude` if there are case data, `end` once. The same
/// records always give the same bytes; if the format includes the time and place of creation, these must be equal, too
/// ([`Writer::made`]).
///
/// Errors of `out` are returned unchanged. A record that the format can't carry (a piece if [`super::Carries::pieces`]
/// is false, no size if a line needs one) is an [`InvalidInput`](io::ErrorKind::InvalidInput) error, and nothing of it
/// is written; a record that is not hashed is omitted if [`super::Carries::status`] is false.
pub trait Writer {
    /// Sets the path of the file before `begin`: [`super::Body::Database`] is written there and not to `out`. No part
    /// of the path may be a symbolic link.
    fn place(&mut self, path: &Path) {
        let _ = path;
    }

    /// Returns the time and place of creation, to be set before `begin`, if the format has them. The default is 1970.
    fn made(&mut self) -> Option<&mut Made> {
        None
    }

    /// Sets the approximate maximum number of record bytes to buffer, before `begin`. One record may need more.
    fn memory(&mut self, bytes: usize) {
        let _ = bytes;
    }

    /// Writes the part before the first record.
    ///
    /// # Errors
    /// Those of `out`.
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let _ = out;
        Ok(())
    }

    /// Writes a record.
    ///
    /// # Errors
    /// Returns those of `out`, and `InvalidInput` for a record that the format can't carry.
    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the end of the case data whose start was in the [`Layout`].
    ///
    /// # Errors
    /// Returns those of `out`, and `InvalidInput` if [`super::Carries::case`] is false.
    fn conclude(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        let _ = (end, out);
        Err(cannot_carry("the format has no place for case data"))
    }

    /// Writes the part after the last record. Does not flush.
    ///
    /// # Errors
    /// Those of `out`.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let _ = out;
        Ok(())
    }
}

/// Refuses a record with facts about content, for formats that can't carry them.
pub(super) fn without_facts(record: &Record) -> io::Result<()> {
    if record.facts.is_none() { Ok(()) } else { Err(cannot_carry("a fact about content")) }
}

/// Refuses a record with likeness digests, for formats that can't carry them.
pub(super) fn without_likeness(record: &Record) -> io::Result<()> {
    if record.likeness.is_empty() { Ok(()) } else { Err(cannot_carry("a likeness digest")) }
}

/// Checks that each digest of a record has a column.
pub(super) fn check_columns(record: &Record, columns: &[&'static Algorithm]) -> io::Result<()> {
    let all = record.digests.iter().all(|named| columns.contains(&named.algorithm));
    if all { Ok(()) } else { Err(cannot_carry("the header has no column for a digest of the record")) }
}

/// Checks that all bytes of a record were read, so that its digests are those of the complete file.
pub(super) fn check_sound(record: &Record) -> io::Result<()> {
    if record.bad_blocks.is_empty() {
        Ok(())
    } else {
        Err(cannot_carry("the format has no place for bad blocks"))
    }
}

/// Checks that a record is of a whole file with digests by these algorithms only, if a format can't carry others.
pub(super) fn check_whole(record: &Record, holds: &[&str]) -> io::Result<()> {
    if record.piece.is_some() {
        return Err(cannot_carry("the format has no pieces"));
    }
    check_sound(record)?;
    check_hashed(record)?;
    without_likeness(record)?;
    without_facts(record)?;
    let held = record.digests.iter().all(|named| holds.contains(&named.algorithm.name));
    if held { Ok(()) } else { Err(cannot_carry("the format has no place for a digest by this algorithm")) }
}

/// Returns a name as text, for formats without other names.
pub(super) fn text_name<'a>(name: &'a [u8], format: &str) -> io::Result<&'a str> {
    let no_text =
        |_| io::Error::new(io::ErrorKind::InvalidInput, format!("{format} has names in UTF-8 only"));
    str::from_utf8(name).map_err(no_text)
}

/// Checks that a record is not of a stored object: without its strength it would pass as hashed.
pub(super) fn check_hashed(record: &Record) -> io::Result<()> {
    match record.status.strength() {
        None => Ok(()),
        Some(_) => Err(cannot_carry("the format has no place for the strength of stored records")),
    }
}

/// Strips a leading `./`, for documents whose paths are relative to their own folder.
pub(super) fn below(path: &[u8]) -> &[u8] {
    let Some(rest) = path.strip_prefix(b"./") else { return path };
    match rest.iter().position(|byte| *byte != b'/') {
        Some(start) => below(&rest[start..]),
        None => path,
    }
}

/// Creates the error for a part that a format can't carry.
pub(super) fn cannot_carry(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}
