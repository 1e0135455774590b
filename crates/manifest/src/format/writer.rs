//! What every writer of a format does, and what it is told before.

use super::made::Made;
use crate::Record;
use crate::case::{End, Start};
use hashloom_digest::{Algorithm, Style};
use hashloom_similar::Similar;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// What a writer has to expect.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    /// The algorithms of all records, in this order.
    pub algorithms: Vec<&'static Algorithm>,
    /// The likeness algorithms of all records, each with its place among all columns of digests. The
    /// places ascend.
    pub likeness: Vec<(usize, &'static Similar)>,
    /// In whose form digests are written.
    pub style: Style,
    /// Records may have the digests of leaves.
    pub leaves: bool,
    /// There may be records of pieces.
    pub pieces: bool,
    /// Records may have times.
    pub times: bool,
    /// Records may have bad blocks.
    pub bad_blocks: bool,
    /// Records may have labels.
    pub labels: bool,
    /// Records may be of what is only stored.
    pub stored: bool,
    /// Records may be of objects with versions.
    pub versions: bool,
    /// Case data to begin with; then [`Writer::conclude`] must be called before [`Writer::end`].
    pub case: Option<Arc<Start>>,
}

/// A column of digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// Of an algorithm that says whether bytes are the same.
    Digest(&'static Algorithm),
    /// Of one that says how like they are.
    Likeness(&'static Similar),
}

impl Layout {
    /// The columns of digests, in order.
    pub fn columns(&self) -> Vec<Column> {
        let mut columns: Vec<Column> = self.algorithms.iter().map(|row| Column::Digest(row)).collect();
        for (place, row) in &self.likeness {
            columns.insert((*place).min(columns.len()), Column::Likeness(row));
        }
        columns
    }
}

/// Records into a file: `begin` once, `record` for each, `conclude` where there is case data, `end` once. The same records give the same
/// bytes, always; where a format must say when it was made, made at the same time and place ([`Writer::made`]).
///
/// Errors of `out` come back unchanged. A record that the format can't carry (a piece where
/// [`super::Carries::pieces`] is false, no size where a line needs one) is an
/// [`InvalidInput`](io::ErrorKind::InvalidInput), and nothing of it is written; a record that is not
/// hashed is left out where [`super::Carries::status`] is false.
pub trait Writer {
    /// Where the file lies that is written, before `begin`: there [`super::Body::Database`] is written, not to `out`. No
    /// part of the path may be a symbolic link.
    fn place(&mut self, path: &Path) {
        let _ = path;
    }

    /// Where it is set, before `begin`, when and where the manifest is made; none for formats that don't say so. If nobody
    /// sets it, they say 1970.
    fn made(&mut self) -> Option<&mut Made> {
        None
    }

    /// The most bytes of records that may wait to be written, before `begin`. About: a format may need more
    /// for one record.
    fn memory(&mut self, bytes: usize) {
        let _ = bytes;
    }

    /// Writes what comes before the first record.
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
    /// Those of `out`, and `InvalidInput` for what the format can't carry.
    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()>;

    /// Writes the end of the case data whose start was in the [`Layout`].
    ///
    /// # Errors
    /// Those of `out`, and `InvalidInput` where [`super::Carries::case`] is false.
    fn conclude(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        let _ = (end, out);
        Err(cannot_carry("the format has no place for case data"))
    }

    /// Writes what comes after the last record. Does not flush.
    ///
    /// # Errors
    /// Those of `out`.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let _ = out;
        Ok(())
    }
}

/// Refuses a record with likeness digests, for formats that have no place for them.
pub(super) fn without_likeness(record: &Record) -> io::Result<()> {
    if record.likeness.is_empty() { Ok(()) } else { Err(cannot_carry("a likeness digest")) }
}

/// Checks that each digest of a record has its column.
pub(super) fn check_columns(record: &Record, columns: &[&'static Algorithm]) -> io::Result<()> {
    let all = record.digests.iter().all(|named| columns.contains(&named.algorithm));
    if all { Ok(()) } else { Err(cannot_carry("the header has no column for a digest of the record")) }
}

/// Checks that all bytes of a record were read: no digest may look as if they were when they were not.
pub(super) fn check_sound(record: &Record) -> io::Result<()> {
    if record.bad_blocks.is_empty() {
        Ok(())
    } else {
        Err(cannot_carry("the format has no place for bad blocks"))
    }
}

/// Checks that a record is of a whole file with digests of these algorithms alone, for formats that hold nothing else.
pub(super) fn check_whole(record: &Record, holds: &[&str]) -> io::Result<()> {
    if record.piece.is_some() {
        return Err(cannot_carry("the format has no pieces"));
    }
    check_sound(record)?;
    check_hashed(record)?;
    without_likeness(record)?;
    let held = record.digests.iter().all(|named| holds.contains(&named.algorithm.name));
    if held { Ok(()) } else { Err(cannot_carry("the format has no place for a digest by this algorithm")) }
}

/// A name in a format whose names are text.
pub(super) fn text_name<'a>(name: &'a [u8], format: &str) -> io::Result<&'a str> {
    let no_text =
        |_| io::Error::new(io::ErrorKind::InvalidInput, format!("{format} has names in UTF-8 only"));
    str::from_utf8(name).map_err(no_text)
}

/// Checks that a record is not of what is only stored: where nothing says so, it would pass for hashed.
pub(super) fn check_hashed(record: &Record) -> io::Result<()> {
    match record.status.strength() {
        None => Ok(()),
        Some(_) => Err(cannot_carry("the format has no place for the strength of what is only stored")),
    }
}

/// A path as documents have it that lie in the folder they describe: without the `./` that stands for this folder.
pub(super) fn below(path: &[u8]) -> &[u8] {
    let Some(rest) = path.strip_prefix(b"./") else { return path };
    match rest.iter().position(|byte| *byte != b'/') {
        Some(start) => below(&rest[start..]),
        None => path,
    }
}

/// The error for what a format can't carry.
pub(super) fn cannot_carry(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}
