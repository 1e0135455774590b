//! `md5deep`: lines of md5deep and its variants that coreutils does not write: `digest,name` (`-c`), `size,
//! digest,name` (`-zc`), `digest YYYY:MM:DD:HH:MM:SS  name` (`-t`), `digest,YYYY:MM:DD:HH:MM:SS,name` (`-tc`), and
//! those with a leading size (`-z`). The time is the inode's change time and is ignored. With `-0`, lines end with a
//! NUL. Only read.
//!
//! With `-p`, ` offset FIRST-LAST` follows the name. File names may end so, too: a list has pieces if all names end so
//! and one of them has two adjacent pieces.
//!
//! Source: md5deep(1), and output of md5deep 4.4.

use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::lines::peek;
use crate::format::read::list_line;
use crate::format::read::list_line::{Spacing, digests_alone, is_zero};
use crate::format::read::text::{SNIFFED, is_comment, without_cr};
use crate::format::values::naming::{Naming, is_hex, number};
use crate::format::{Hint, Reader};
use crate::{Piece, Record};
use hashmill_digest::hash;
use std::collections::HashSet;
use std::io::Read;

/// The length of a time.
const TIME: usize = 19;
/// The length of a size with the blanks before it.
const SIZE: usize = 10;

/// The parts of a line, as text.
struct Line<'a> {
    size: Option<u64>,
    digest: &'a [u8],
    name: &'a [u8],
}

/// The properties of all lines of a list.
#[derive(Clone, Copy)]
struct Shape {
    /// Lines end with a NUL.
    zero: bool,
    /// The lines are of pieces.
    pieces: bool,
}

impl Shape {
    /// Returns the shape of a list with these first bytes.
    fn from_start(first: &[u8]) -> Shape {
        let lines = |end: u8| whole_lines(first, end);
        // A name may be a digest itself, so one line alone doesn't distinguish the formats.
        let shaped = |line| split(line).is_some_and(|line| is_digest(line.digest));
        let own = || lines(0).all(shaped) && lines(0).any(sniff);
        let zero = first.contains(&0) && (is_zero(first) || own());
        let end = if zero { 0 } else { b'\n' };
        Shape { zero, pieces: are_pieces(lines(end)) }
    }
}

/// Returns the complete lines; if these bytes are the whole file, all lines.
fn whole_lines(first: &[u8], end: u8) -> impl Iterator<Item = &[u8]> {
    let cut = first.len() >= SNIFFED;
    let last = memchr::memrchr(end, first).filter(|last| cut || last + 1 == first.len());
    first[..last.unwrap_or(first.len())].split(move |byte| *byte == end).map(without_cr)
}

/// Returns whether all readable lines are of pieces and two of them are adjacent.
fn are_pieces<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut found = Vec::new();
    for line in lines {
        // Damaged lines are ignored.
        let Some(line) = any(line) else { continue };
        let Some(piece) = piece(line.name) else { return false };
        found.push(piece);
    }
    let starts: HashSet<(&[u8], u64)> = found.iter().map(|(name, first, _)| (*name, *first)).collect();
    found.iter().any(|(name, _, last)| last.checked_add(1).is_some_and(|next| starts.contains(&(name, next))))
}

/// Splits a piece's name into the file's name and the first and last byte.
fn piece(name: &[u8]) -> Option<(&[u8], u64, u64)> {
    let dash = memchr::memrchr(b'-', name)?;
    let space = memchr::memrchr(b' ', &name[..dash])?;
    let path = name[..space].strip_suffix(b" offset").filter(|path| !path.is_empty())?;
    let (first, last) = (number(&name[space + 1..dash])?, number(&name[dash + 1..])?);
    (first <= last && last < u64::MAX).then_some((path, first, last))
}

/// Returns whether a list has pieces, or lines of these formats that end with a NUL.
pub(in crate::format) fn starts(first: &[u8]) -> bool {
    let shape = Shape::from_start(first);
    shape.pieces || shape.zero && !is_zero(first)
}

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    split(line)
        .is_some_and(|line| is_digest(line.digest) && !line.name.split(|byte| *byte == b',').any(is_digest))
        && digests_alone(line).is_none()
}

/// Parses a line of these formats, or `digest  name`, which a list with pieces may contain, too.
fn any(line: &[u8]) -> Option<Line<'_>> {
    let plain = || match list_line::split(line, &mut Spacing::Unknown, Some(false))? {
        list_line::Line::Untagged { digest, name } => Some(Line { size: None, digest, name }),
        list_line::Line::Sized { size, digest, name } => Some(Line { size: Some(size), digest, name }),
        _ => None,
    };
    split(line).or_else(plain).filter(|line| is_digest(line.digest))
}

/// Returns whether a text looks like a digest; after a comma, it means that the line is one of a table and not a name.
fn is_digest(text: &[u8]) -> bool {
    text.len() >= 32 && is_hex(text)
}

fn split(line: &[u8]) -> Option<Line<'_>> {
    let (size, rest) = sized(line);
    let end = rest.iter().position(|byte| !byte.is_ascii_hexdigit()).filter(|end| *end > 0)?;
    let (digest, rest) = rest.split_at(end);
    let name = rest.strip_prefix(b",").map(untimed).or_else(|| timed(rest))?;
    (!name.is_empty()).then_some(Line { size, digest, name })
}

/// Splits off the size before a digest: ten characters, followed by a comma and a blank or by two blanks.
fn sized(line: &[u8]) -> (Option<u64>, &[u8]) {
    let start = line.iter().take_while(|byte| **byte == b' ').count();
    let end = start + line[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = line[end..].strip_prefix(b", ").or(line[end..].strip_prefix(b"  "));
    match (number(&line[start..end]), rest) {
        (Some(size), Some(rest)) if end >= SIZE => (Some(size), rest),
        _ => (None, line),
    }
}

/// Returns the name without the time before it.
fn untimed(text: &[u8]) -> &[u8] {
    let behind = |(time, rest): (&[u8], _)| if is_time(time) { rest } else { None };
    let parts = text.split_at_checked(TIME).map(|(time, rest)| (time, rest.strip_prefix(b",")));
    parts.and_then(behind).unwrap_or(text)
}

/// Returns the name after a time, in columns.
fn timed(text: &[u8]) -> Option<&[u8]> {
    let (time, rest) = text.strip_prefix(b" ")?.split_at_checked(TIME)?;
    let name = rest.strip_prefix(b"  ").or(rest.strip_prefix(b" *"))?;
    is_time(time).then_some(name)
}

fn is_time(text: &[u8]) -> bool {
    let digit = |(place, byte): (usize, &u8)| match place {
        4 | 7 | 10 | 13 | 16 => *byte == b':',
        _ => byte.is_ascii_digit(),
    };
    text.iter().enumerate().all(digit)
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    let (first, input) = peek(input);
    let shape = Shape::from_start(&first);
    let output = Output { naming: Naming::new(hint), shape };
    if shape.zero {
        Box::new(LineReader::zero(input, output))
    } else {
        Box::new(LineReader::new(input, output))
    }
}

struct Output {
    naming: Naming,
    shape: Shape,
}

impl Parse for Output {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = if self.shape.zero { line } else { without_cr(line) };
        if is_comment(line) {
            return None;
        }
        Some(if self.shape.pieces { self.piece(line) } else { self.file(line) })
    }
}

impl Output {
    fn file(&mut self, line: &[u8]) -> Result<Record, Bad> {
        let parts = split(line).ok_or(Bad::new("line", Why::Unrecognised))?;
        let named = self.naming.untagged(parts.digest).map_err(|bad| bad.with_file(parts.name))?;
        Ok(Record::hashed(parts.name.into(), parts.size, vec![named]))
    }

    /// Returns the record of a piece. The only piece of an empty file is `0-0`, too.
    fn piece(&mut self, line: &[u8]) -> Result<Record, Bad> {
        let parts = any(line).ok_or(Bad::new("line", Why::Unrecognised))?;
        let (path, first, last) = piece(parts.name).ok_or(Bad::new("piece", Why::Missing))?;
        let named = self.naming.untagged(parts.digest).map_err(|bad| bad.with_file(path))?;
        let empty = (first, last) == (0, 0) && named.digest == hash(named.algorithm, b"");
        let length = if empty { 0 } else { last - first + 1 };
        let piece = Some(Piece { offset: first, length });
        Ok(Record { piece, ..Record::hashed(path.into(), Some(length), vec![named]) })
    }
}
