//! Recognising a format by a file's first bytes, and opening it.

use super::{Body, FORMATS, Format, Hint, Reader, Sniff, whole};
use crate::case::line;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

/// How many bytes [`sniff`] wants to see.
pub const SNIFFED: usize = 64 << 10;

/// How many lines without a known shape may come before the first that has one.
const LINES: usize = 64;

/// The format that a file with these first bytes has; [`SNIFFED`] bytes are enough.
pub fn sniff(first: &[u8]) -> Option<&'static Format> {
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    let starts =
        |row: &&Format| matches!(row.sniff, Sniff::Start(fits) | Sniff::Either(fits, _) if fits(first));
    let by_content = || content(first).take(LINES).find_map(by_line);
    FORMATS.iter().find(starts).or_else(by_content).or_else(|| by_case(first))
}

fn by_line(line: &[u8]) -> Option<&'static Format> {
    FORMATS.iter().find(|row| matches!(row.sniff, Sniff::Line(fits) | Sniff::Either(_, fits) if fits(line)))
}

/// A list that holds case data and no record: both list formats read it.
fn by_case(first: &[u8]) -> Option<&'static Format> {
    let mut lines = first.split(|byte| *byte == b'\n');
    lines.find(|line| line::is_comment(line)).and_then(|_| super::find_format("sums"))
}

/// The lines that are neither blank nor comments.
fn content(first: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = first.split(|byte| *byte == b'\n').map(super::lines::without_cr);
    lines.filter(|line| !is_comment(line))
}

/// Whether a line of a digest list says nothing.
pub(super) fn is_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#' | b';'))
}

/// A manifest whose format is known.
pub struct Opened<'a> {
    /// Its format.
    pub format: &'static Format,
    /// Its records.
    pub reader: Box<dyn Reader + 'a>,
}

/// Why a file is no manifest.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unusable {
    /// It could not be opened.
    Open(io::Error),
    /// It could not be read.
    Io(io::Error),
    /// It has no bytes.
    Empty,
    /// It has no format that we know.
    Unrecognised,
    /// It has a format that we know, but is damaged, or has something else in it than a manifest.
    Foreign(String),
}

/// Recognises a file's format and opens it.
///
/// The hint also settles lines that two formats could have written: with CRC-32 from a `.sfv` file's name
/// a line `name digest` is SFV.
///
/// # Errors
/// [`Unusable`] if it can't be read, is empty, or has no known format.
pub fn open<'a>(mut input: Box<dyn Read + 'a>, hint: Hint) -> Result<Opened<'a>, Unusable> {
    let (format, first) = recognise(&mut input)?;
    let input = Box::new(Cursor::new(first).chain(input));
    let reader = match format.body {
        Body::Text => (format.reader)(input, hint),
        Body::Whole(open) | Body::Database(open) => whole::spooled(input, open)?,
    };
    Ok(Opened { format, reader })
}

/// As [`open`], for a file by its name: formats that are read from any place need no copy of it. They open it once
/// more: where it matters which file is read, it is opened by the caller, for [`open`].
///
/// # Errors
/// As [`open`].
pub fn open_path(path: &Path, hint: Hint) -> Result<Opened<'static>, Unusable> {
    let mut file = File::open(path).map_err(Unusable::Open)?;
    if !file.metadata().map_err(Unusable::Io)?.is_file() {
        return open(Box::new(file), hint);
    }
    let (format, first) = recognise(&mut file)?;
    let reader = match format.body {
        Body::Text => (format.reader)(Box::new(Cursor::new(first).chain(file)), hint),
        Body::Whole(open) | Body::Database(open) => open(path)?,
    };
    Ok(Opened { format, reader })
}

/// The format of a file, and the bytes that were read to know it.
fn recognise(input: &mut dyn Read) -> Result<(&'static Format, Vec<u8>), Unusable> {
    let mut first = Vec::new();
    input.take(SNIFFED as u64).read_to_end(&mut first).map_err(Unusable::Io)?;
    if first.is_empty() {
        return Err(Unusable::Empty);
    }
    let format = sniff(&first).ok_or(Unusable::Unrecognised)?;
    Ok((format, first))
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Open(source) => write!(f, "cannot open: {source}"),
            Unusable::Io(source) => write!(f, "cannot read: {source}"),
            Unusable::Empty => write!(f, "is empty"),
            Unusable::Foreign(what) => write!(f, "{what}"),
            Unusable::Unrecognised => write!(f, "is no manifest or digest list of a known format"),
        }
    }
}

impl std::error::Error for Unusable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Unusable::Open(source) | Unusable::Io(source) => Some(source),
            _ => None,
        }
    }
}
