//! Every file format that is a sequence of records: one row in [`FORMATS`], one file each, behind the traits [`Reader`]
//! and [`Writer`].
//!
//! Readers never skip what they do not understand: it comes out as [`Malformed`] with its line, and they
//! go on after it. Lines are bounded by [`MAX_LINE`], those of formats that carry likeness digests by
//! [`MAX_LIKENESS_LINE`].

pub(crate) mod base64;
mod bsd;
#[cfg(any(feature = "parquet", feature = "sqlite"))]
mod cells;
mod csv;
mod dfxml;
mod documents;
mod draft;
mod encase;
mod foreign;
mod hashdeep;
mod hint;
mod jsonl;
pub(crate) mod lines;
mod links;
mod listing;
pub(crate) mod malformed;
mod naming;
#[cfg(feature = "parquet")]
mod parquet;
mod plain;
mod ranges;
mod registry;
mod sfv;
mod signed;
mod sniff;
#[cfg(feature = "sqlite")]
mod sqlite;
mod sums;
mod tables;
mod titles;
mod whole;

pub(crate) use listing::hashed;

pub use csv::Fields;
pub use documents::{DOCUMENTS, Document};
pub use foreign::Foreign;
pub use hint::Hint;
pub use lines::{Lines, MAX_LIKENESS_LINE, MAX_LINE};
pub use malformed::{Malformed, Signed, Why};
pub use registry::{FORMATS, find_format, format_of_name};
pub use sniff::{Opened, SNIFFED, Unusable, open, open_path, sniff};

use crate::Record;
use crate::case::{Case, End, Start};
use hashloom_digest::Algorithm;
use hashloom_similar::Similar;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// A file format: one row of [`FORMATS`].
pub struct Format {
    /// The name in options and messages: lower case.
    pub name: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// What it is, in a line.
    pub about: &'static str,
    /// How files of it usually end, after a dot: lower case.
    pub suffixes: &'static [&'static str],
    /// What of a record it can carry.
    pub carries: Carries,
    /// The only algorithm whose digests it can carry, if there is one.
    pub only: Option<&'static str>,
    /// Its writer refuses records without a size, or without a digest of the header.
    pub full: bool,
    /// A line of it is a digest and anything else: lines of tables with digests pass for it, too.
    pub loose: bool,
    /// What the yes and no of `carries` do not say, for people.
    pub limits: &'static str,
    /// How its bytes are read and written.
    pub body: Body,
    /// How it is recognised.
    pub sniff: Sniff,
    /// Makes a reader of the format.
    pub reader: for<'a> fn(Box<dyn Read + 'a>, Hint) -> Box<dyn Reader + 'a>,
    /// Makes a writer, where hashloom writes the format.
    pub writer: Option<fn(Layout) -> Box<dyn Writer>>,
}

/// Opens a manifest by its path.
pub type OpenPath = fn(&Path) -> Result<Box<dyn Reader>, Unusable>;

/// How the bytes of a format are read and written.
#[derive(Clone, Copy)]
pub enum Body {
    /// From front to back: what there is of a torn file can be read, and continued.
    Text,
    /// Written from front to back, but only a whole file can be read, and from any place in it.
    Whole(OpenPath),
    /// Read and written in its place: it needs a file, see [`Writer::place`].
    Database(OpenPath),
}

/// How a format is recognised in the first bytes of a file.
pub enum Sniff {
    /// The file starts in a way that no other format's does.
    Start(fn(&[u8]) -> bool),
    /// A line has a shape that no other format's has.
    Line(fn(&[u8]) -> bool),
    /// Either of them.
    Either(fn(&[u8]) -> bool, fn(&[u8]) -> bool),
}

/// The parts of a record that a format can carry. All writers carry path and digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carries {
    /// The size.
    pub size: bool,
    /// Records of pieces.
    pub pieces: bool,
    /// Records that are not hashed; the writers of formats that can't carry them leave them out.
    pub status: bool,
    /// Why they are not.
    pub reason: bool,
    /// The time of the last change.
    pub mtime: bool,
    /// Which algorithm each digest is of.
    pub algorithm: bool,
    /// Likeness digests; the writers of other formats refuse records that have some.
    pub likeness: bool,
    /// The parts of a file that could not be read.
    pub bad_blocks: bool,
    /// What sets of known digests say of a file; the writers of other formats leave it out.
    pub labels: bool,
    /// What is said of the whole run; the writers of other formats leave it out.
    pub case: bool,
}

/// What a writer has to expect.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    /// The algorithms of all records, in this order.
    pub algorithms: Vec<&'static Algorithm>,
    /// The likeness algorithms of all records, each with its place among all columns of digests. The
    /// places ascend.
    pub likeness: Vec<(usize, &'static Similar)>,
    /// There may be records of pieces.
    pub pieces: bool,
    /// Records may have times.
    pub times: bool,
    /// Records may have bad blocks.
    pub bad_blocks: bool,
    /// Records may have labels.
    pub labels: bool,
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

/// Records out of a file. After a [`Malformed`] it continues with what follows.
pub trait Reader: Iterator<Item = Result<Record, Malformed>> {
    /// The algorithms that the file's header names, as far as it was read: all of them once the first
    /// record is out. Empty where the format has no header.
    fn columns(&self) -> &[&'static Algorithm] {
        &[]
    }

    /// The likeness algorithms that the file's header names, each with its place among all digests.
    fn likeness(&self) -> &[(usize, &'static Similar)] {
        &[]
    }

    /// What the file says of the run that wrote it, as far as it was read: its start once the first record is
    /// out, its end once all are.
    fn case(&self) -> &Case {
        &Case::NONE
    }
}

/// Records into a file: `begin` once, `record` for each, `conclude` where there is case data, `end` once. The same records give the same
/// bytes, always.
///
/// Errors of `out` come back unchanged. A record that the format can't carry (a piece where
/// [`Carries::pieces`] is false, no size where a line needs one) is an
/// [`InvalidInput`](io::ErrorKind::InvalidInput), and nothing of it is written; a record that is not
/// hashed is left out where [`Carries::status`] is false.
pub trait Writer {
    /// Where the file lies that is written, before `begin`: there [`Body::Database`] is written, not to `out`. No
    /// part of the path may be a symbolic link.
    fn place(&mut self, path: &Path) {
        let _ = path;
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
    /// Those of `out`, and `InvalidInput` where [`Carries::case`] is false.
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
fn without_likeness(record: &Record) -> io::Result<()> {
    if record.likeness.is_empty() { Ok(()) } else { Err(cannot_carry("a likeness digest")) }
}

/// Checks that each digest of a record has its column.
fn check_columns(record: &Record, columns: &[&'static Algorithm]) -> io::Result<()> {
    let all = record.digests.iter().all(|named| columns.contains(&named.algorithm));
    if all { Ok(()) } else { Err(cannot_carry("the header has no column for a digest of the record")) }
}

/// Checks that all bytes of a record were read: no digest may look as if they were when they were not.
fn check_sound(record: &Record) -> io::Result<()> {
    if record.bad_blocks.is_empty() {
        Ok(())
    } else {
        Err(cannot_carry("the format has no place for bad blocks"))
    }
}

/// The error for what a format can't carry.
fn cannot_carry(what: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}
