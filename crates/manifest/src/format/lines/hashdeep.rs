//! `hashdeep`: the format of hashdeep 4.4 (`HASHDEEP-1.0`), with any of our algorithms as columns.
//!
//! A record is `size,digest,…,name`; commas in the name need no quotes because the name is last. A piece is a record
//! whose name ends in ` offset FIRST-LAST` and whose size is the piece's. Our extension: a line that starts with a
//! backslash has an escaped name, see [`crate::path`]. It is used if the name has a line feed or a carriage return, or
//! looks like a piece; then the space before the numbers is escaped.

use crate::case::line::{CasePlace, write_comment};
use crate::case::{About, End, Start};
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::list_line::line_name;
use crate::format::read::text::without_cr;
use crate::format::values::naming::{named, number, write_digest, write_number};
use crate::format::writer::{cannot_carry, check_columns, check_sound, without_facts, without_likeness};
use crate::format::{Foreign, Hint, Layout, Reader, Writer};
use crate::path::escape;
use crate::{Named, Piece, Record, Status};
use hashmill_digest::{Algorithm, find};
use std::io::{self, Read, Write};
use std::sync::Arc;

const MAGIC: &[u8] = b"%%%% HASHDEEP-";
const HEADER: &[u8] = b"%%%% HASHDEEP-1.0";

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    first.starts_with(MAGIC)
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    let parse = Hashdeep { columns: None, foreign: None, algorithms: Vec::new(), dos: false };
    Box::new(LineReader::new(input, parse))
}

pub(in crate::format) fn writer(layout: Layout) -> Box<dyn Writer> {
    Box::new(HashdeepWriter { algorithms: layout.algorithms, line: Vec::new(), start: layout.case })
}

struct Hashdeep {
    /// The columns between size and name, once the header is read; `None` for an unknown algorithm.
    columns: Option<Vec<Option<&'static Algorithm>>>,
    /// A column of an unsupported algorithm.
    foreign: Option<Foreign>,
    algorithms: Vec<&'static Algorithm>,
    /// Whether the header ends with CR LF, so that a carriage return at the end of a line is never part of a name.
    dos: bool,
}

impl Parse for Hashdeep {
    const CASE: CasePlace = CasePlace::Comments;

    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        if line.starts_with(b"%%%%") {
            return self.header(line).err().map(Err);
        }
        let line = if self.dos { without_cr(line) } else { line };
        (!matches!(line.first(), None | Some(b'#'))).then(|| self.record(line))
    }

    fn columns(&self) -> &[&'static Algorithm] {
        &self.algorithms
    }
}

impl Hashdeep {
    fn header(&mut self, line: &[u8]) -> Result<(), Bad> {
        let text = without_cr(line);
        if text.starts_with(MAGIC) {
            self.dos = text.len() < line.len();
            return (text == HEADER).then_some(()).ok_or(Bad::new("header", Why::Unrecognised));
        }
        let names = text.strip_prefix(b"%%%% size,").and_then(|rest| rest.strip_suffix(b"filename"));
        let names = names.ok_or(Bad::new("columns", Why::Unrecognised))?;
        // Each name is followed by a comma, so the text after the last one is empty.
        let mut names: Vec<&[u8]> = names.split(|byte| *byte == b',').collect();
        if names.pop() != Some(b"") {
            return Err(Bad::new("columns", Why::Unrecognised));
        }
        let foreign = |name: &&[u8]| Foreign::of_name(&String::from_utf8_lossy(name));
        self.foreign = names.iter().find_map(foreign);
        let found: Vec<_> = names.into_iter().map(column).collect();
        self.algorithms = found.iter().flatten().copied().collect();
        self.columns = Some(found.iter().map(|column| column.as_ref().ok().copied()).collect());
        let twice = self.algorithms.iter().enumerate().any(|(at, one)| self.algorithms[..at].contains(one));
        if twice {
            (self.columns, self.algorithms) = (None, Vec::new());
            return Err(Bad::new("columns", Why::Twice));
        }
        found.into_iter().find_map(Result::err).map_or(Ok(()), Err)
    }

    fn record(&self, line: &[u8]) -> Result<Record, Bad> {
        let columns = self.columns.as_ref().ok_or(Bad::new("columns", Why::Missing))?;
        let (escaped, line) = line.strip_prefix(b"\\").map_or((false, line), |rest| (true, rest));
        let (size, mut rest) = field(line, "size")?;
        let size = number(size).ok_or(Bad::new("size", Why::Number))?;
        let mut digests: Vec<Named> = Vec::with_capacity(columns.len());
        for column in columns {
            let (text, after) = field(rest, "digest")?;
            rest = after;
            if let Some(algorithm) = column {
                digests.push(named(algorithm, text)?);
            }
        }
        let (name, piece) = match piece_suffix(rest, size) {
            Some((name, piece)) => (name, Some(piece)),
            None => (rest, None),
        };
        let path = line_name(name, escaped)?;
        if digests.is_empty() {
            let missing = Bad::new("digest", Why::Missing);
            return Err(self.foreign.map_or(missing, |foreign| Bad::unsupported(foreign).with_file(&path)));
        }
        Ok(Record { piece, ..Record::hashed(path, Some(size), digests) })
    }
}

fn column(name: &[u8]) -> Result<&'static Algorithm, Bad> {
    let name = String::from_utf8_lossy(name);
    find(&name).map_err(|unknown| Bad::new("columns", Why::Unknown(unknown)))
}

/// Splits a line at the next comma.
fn field<'a>(line: &'a [u8], part: &'static str) -> Result<(&'a [u8], &'a [u8]), Bad> {
    let comma = memchr::memchr(b',', line).ok_or(Bad::new(part, Why::Missing))?;
    Ok((&line[..comma], &line[comma + 1..]))
}

/// Splits `name offset FIRST-LAST`, if the numbers fit a piece of this size. A piece of an empty file may be `0-0`.
fn piece_suffix(name: &[u8], size: u64) -> Option<(&[u8], Piece)> {
    // Nearly all names end here: no digit at the end.
    name.last()?.is_ascii_digit().then_some(())?;
    let dash = memchr::memrchr(b'-', name)?;
    let space = memchr::memrchr(b' ', &name[..dash])?;
    let path = name[..space].strip_suffix(b" offset")?;
    let (first, last) = (number(&name[space + 1..dash])?, number(&name[dash + 1..])?);
    let spans = if size == 0 { first == last } else { last.checked_sub(first) == Some(size - 1) };
    (spans && !path.is_empty()).then_some((path, Piece { offset: first, length: size }))
}

struct HashdeepWriter {
    algorithms: Vec<&'static Algorithm>,
    line: Vec<u8>,
    start: Option<Arc<Start>>,
}

impl Writer for HashdeepWriter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.line.clear();
        self.line.extend_from_slice(HEADER);
        self.line.extend_from_slice(b"\n%%%% size,");
        for algorithm in &self.algorithms {
            self.line.extend_from_slice(algorithm.name.as_bytes());
            self.line.push(b',');
        }
        self.line.extend_from_slice(b"filename\n");
        out.write_all(&self.line)?;
        // hashdeep accepts comments only after its two header lines.
        self.start.as_deref().map_or(Ok(()), |start| write_comment(&About::Start(start.clone()), out))
    }

    fn conclude(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        write_comment(&About::End(end.clone()), out)
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        without_likeness(record)?;
        without_facts(record)?;
        check_columns(record, &self.algorithms)?;
        check_sound(record)?;
        let size = record.piece.map(|piece| piece.length).or(record.size);
        let size = size.ok_or(cannot_carry("a hashdeep line needs the size"))?;
        let ambiguous = record.piece.is_none() && piece_suffix(&record.path, size).is_some();
        let escaped = ambiguous || memchr::memchr2(b'\n', b'\r', &record.path).is_some();
        self.line.clear();
        self.line.extend_from_slice(if escaped { b"\\" } else { b"" });
        write_number(size, &mut self.line);
        self.line.push(b',');
        self.digests(record)?;
        match ambiguous {
            true => self.ambiguous_name(&record.path),
            false if escaped => escape(&record.path, &mut self.line),
            false => self.line.extend_from_slice(&record.path),
        }
        self.piece(record.piece);
        self.line.push(b'\n');
        out.write_all(&self.line)
    }
}

impl HashdeepWriter {
    fn digests(&mut self, record: &Record) -> io::Result<()> {
        for algorithm in &self.algorithms {
            let named = record.digests.iter().find(|named| named.algorithm == *algorithm);
            write_digest(named.ok_or(cannot_carry("a hashdeep line needs every digest"))?, &mut self.line);
            self.line.push(b',');
        }
        Ok(())
    }

    /// Writes an escaped name that ends like a piece's, with its last space escaped, too.
    fn ambiguous_name(&mut self, path: &[u8]) {
        let start = self.line.len();
        escape(path, &mut self.line);
        if let Some(at) = memchr::memrchr(b' ', &self.line[start..]) {
            self.line.insert(start + at, b'\\');
        }
    }

    fn piece(&mut self, piece: Option<Piece>) {
        let Some(Piece { offset, length }) = piece else { return };
        self.line.extend_from_slice(b" offset ");
        write_number(offset, &mut self.line);
        self.line.push(b'-');
        write_number(offset.saturating_add(length.saturating_sub(1)), &mut self.line);
    }
}
