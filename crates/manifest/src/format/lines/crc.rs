//! `crc`: the table of CRC-32 that cfv and programs for collections of pictures write (`.crc`). Only read.
//!
//! The line of dashes below the titles marks the columns; a second one ends the files, and their number follows. Source:
//! cfv's samples and manual.

use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::read::content::content;
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::without_cr;
use crate::format::values::naming::{named_as, number};
use crate::format::{Hint, Reader};
use std::io::Read;
use std::ops::Range;

/// The titles of all columns, in their order; all but the first and CRC-32 may be missing.
const TITLES: [&str; 5] = ["Filename", "Filesize", "W x H", "CRC-32", "Description"];
const COUNT: &[u8] = b"Count of files:";

pub(in crate::format) fn starts(first: &[u8]) -> bool {
    let mut lines = content(first).skip_while(|line| titles(line).is_none());
    lines.next().is_some() && lines.next().is_some_and(is_dashes)
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Table { place: Place::Before, titles: Vec::new(), found: 0 }))
}

/// Returns the titles in a line of them.
fn titles(line: &[u8]) -> Option<Vec<&'static str>> {
    let text = str::from_utf8(line).ok()?;
    let found: Vec<&str> = TITLES.into_iter().filter(|title| text.contains(title)).collect();
    let is_line = text.starts_with(TITLES[0]) && found.contains(&"CRC-32");
    is_line.then_some(found)
}

fn is_dashes(line: &[u8]) -> bool {
    line.starts_with(b"--") && line.iter().all(|byte| matches!(byte, b'-' | b' '))
}

/// Returns the places of dashes in a line.
fn columns(line: &[u8]) -> Vec<Range<usize>> {
    let starts = (0..line.len()).filter(|at| line[*at] == b'-' && (*at == 0 || line[at - 1] == b' '));
    let end = |start: usize| start + line[start..].iter().take_while(|byte| **byte == b'-').count();
    starts.map(|start| start..end(start)).collect()
}

/// The place in the file.
enum Place {
    Before,
    Files(Vec<Range<usize>>),
    Behind,
}

struct Table {
    place: Place,
    titles: Vec<&'static str>,
    found: u64,
}

impl Parse for Table {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        match &self.place {
            Place::Before if is_dashes(line) && !self.titles.is_empty() => {
                self.place = Place::Files(columns(line));
                None
            }
            Place::Before => {
                self.titles = titles(line).unwrap_or_default();
                None
            }
            Place::Files(_) if is_dashes(line) => {
                self.place = Place::Behind;
                None
            }
            Place::Files(columns) => {
                self.found += 1;
                Some(record(line, columns, &self.titles))
            }
            Place::Behind => {
                let expected = number(line.strip_prefix(COUNT)?.trim_ascii())?;
                let count = Why::Count { found: self.found, expected };
                (expected != self.found).then(|| Err(Bad::new("files", count)))
            }
        }
    }

    fn end(&mut self) -> Option<Result<Record, Bad>> {
        let is_cut = !matches!(std::mem::replace(&mut self.place, Place::Behind), Place::Behind);
        is_cut.then(|| Err(Bad::new("table", Why::Truncated)))
    }
}

fn record(line: &[u8], columns: &[Range<usize>], titles: &[&str]) -> Result<Record, Bad> {
    // Columns are counted in characters.
    let text: Vec<char> = match str::from_utf8(line) {
        Ok(text) => text.chars().collect(),
        Err(_) => return Err(Bad::new("name", Why::Unrecognised)),
    };
    let cell = |wanted: &str| {
        let column = columns.get(titles.iter().position(|title| *title == wanted)?)?;
        let cell: String = text.get(column.start..column.end.min(text.len()))?.iter().collect();
        Some(cell.trim_end().to_string())
    };
    let missing = |part| Bad::new(part, Why::Missing);
    let name = cell("Filename").filter(|name| !name.is_empty()).ok_or(missing("name"))?;
    let crc = cell("CRC-32").ok_or(missing("digest"))?;
    let size = cell("Filesize").map(|size| {
        let digits: Vec<u8> = size.trim().bytes().filter(|byte| !matches!(byte, b',' | b'.')).collect();
        number(&digits).ok_or(Bad::new("size", Why::Number))
    });
    Ok(Record::hashed(name.into_bytes().into(), size.transpose()?, vec![named_as("crc32", crc.as_bytes())?]))
}
