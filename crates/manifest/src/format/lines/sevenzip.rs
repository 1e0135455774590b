//! `7zip`: the output of `7z h`: a table of digests by one or more algorithms, sizes and names. Only read.
//!
//! The line of dashes below the titles marks the columns; a second one ends the files. With `-ba` both are missing, and
//! the width of the sizes distinguishes the lines from those of other lists. Folders have no digest. Source: output of
//! 7-Zip 26.02 (`-scrc…`).

use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::list_line::is_digest;
use crate::format::read::text::without_cr;
use crate::format::values::naming::{Naming, number};
use crate::format::values::several::Several;
use crate::format::{Hint, Reader};
use std::io::Read;
use std::ops::Range;

/// The width of a size with the blanks before it, and the numbers of blanks around it.
const SIZE: usize = 13;
const BEFORE_SIZE: usize = 1;
const BEFORE_NAME: usize = 2;

pub(in crate::format) fn starts(first: &[u8]) -> bool {
    let mut lines = first.split(|byte| *byte == b'\n').map(without_cr).take(64);
    first.trim_ascii_start().starts_with(b"7-Zip") && lines.any(|line| titles(line).is_some())
}

/// Returns whether a line is one of `7z h -ba`.
pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    bare_columns(without_cr(line)).is_some()
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    let table = Table { naming: Naming::new(hint), has_titles: false, part: Part::Outside };
    Box::new(LineReader::new(input, table))
}

/// Parses the algorithms in a line of titles: `SHA256 SHA1 Size  Name`.
fn titles(line: &[u8]) -> Option<Vec<Box<[u8]>>> {
    let titles = line.strip_suffix(b"Size  Name").filter(|titles| !titles.starts_with(b" "))?;
    let words = titles.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let algorithms: Vec<Box<[u8]>> = words.map(Box::from).collect();
    (!algorithms.is_empty()).then_some(algorithms)
}

/// The place in the output.
enum Part {
    /// Text that is not about files.
    Outside,
    Titles(Vec<Box<[u8]>>),
    Files {
        algorithms: Vec<Box<[u8]>>,
        columns: Vec<Range<usize>>,
    },
}

struct Table {
    naming: Naming,
    has_titles: bool,
    part: Part,
}

impl Parse for Table {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        match &mut self.part {
            Part::Outside => self.outside(line),
            Part::Titles(algorithms) => {
                let (algorithms, columns) = (std::mem::take(algorithms), columns(line));
                let fits = columns.len() == algorithms.len() + 2;
                self.part = if fits { Part::Files { algorithms, columns } } else { Part::Outside };
                (!fits).then(|| Err(Bad::new("titles", Why::Unrecognised)))
            }
            Part::Files { .. } if line.starts_with(b"---") => {
                self.part = Part::Outside;
                None
            }
            Part::Files { algorithms, columns } => {
                file(line, algorithms, columns, &mut self.naming).transpose()
            }
        }
    }

    /// Reports a table without the line that ends it.
    fn end(&mut self) -> Option<Result<Record, Bad>> {
        match std::mem::replace(&mut self.part, Part::Outside) {
            Part::Outside => None,
            _ => Some(Err(Bad::new("table", Why::Truncated))),
        }
    }
}

impl Table {
    fn outside(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        if let Some(algorithms) = titles(line) {
            (self.part, self.has_titles) = (Part::Titles(algorithms), true);
            return None;
        }
        // Totals follow a table.
        let columns = if self.has_titles { None } else { bare_columns(line) };
        let is_other = || !self.has_titles && !line.trim_ascii().is_empty() && !line.starts_with(b" ");
        match columns {
            Some(columns) => file(line, &[], &columns, &mut self.naming).transpose(),
            None => {
                (is_other() && is_digest(first_word(line))).then(|| Err(Bad::new("line", Why::Unrecognised)))
            }
        }
    }
}

fn first_word(line: &[u8]) -> &[u8] {
    line.split(|byte| *byte == b' ').next().unwrap_or_default()
}

/// Returns the columns that the dashes of a line mark.
fn columns(line: &[u8]) -> Vec<Range<usize>> {
    let mut columns = Vec::new();
    let mut at = 0;
    for word in line.split(|byte| *byte == b' ') {
        if !word.is_empty() && word.iter().all(|byte| *byte == b'-') {
            columns.push(at..at + word.len());
        }
        at += word.len() + 1;
    }
    columns
}

/// Returns the columns of a line without titles: digests, a size of fixed width, a name.
fn bare_columns(line: &[u8]) -> Option<Vec<Range<usize>>> {
    let (mut columns, mut at) = (Vec::new(), 0);
    loop {
        let word = first_word(line.get(at..)?);
        if !is_digest(word) {
            break;
        }
        columns.push(at..at + word.len());
        at += word.len() + BEFORE_SIZE;
    }
    let (size, name) = (at..at + SIZE, at + SIZE + BEFORE_NAME);
    let is_size = number(line.get(size.clone())?.trim_ascii_start()).is_some();
    let has_name = line.get(size.end..name)? == b"  " && line.len() > name;
    (!columns.is_empty() && is_size && has_name && line[at] == b' ').then(|| {
        columns.extend([size, name..line.len()]);
        columns
    })
}

/// Returns the record of a line; `None` for a folder.
fn file(
    line: &[u8],
    algorithms: &[Box<[u8]>],
    columns: &[Range<usize>],
    naming: &mut Naming,
) -> Result<Option<Record>, Bad> {
    let unrecognised = || Bad::new("line", Why::Unrecognised);
    let [digests @ .., size, name] = columns else { return Err(unrecognised()) };
    let cell = |column: &Range<usize>| line.get(column.clone()).map(<[u8]>::trim_ascii);
    let name = line.get(name.start..).filter(|name| !name.is_empty()).ok_or_else(unrecognised)?;
    let mut several = Several::default();
    for (place, column) in digests.iter().enumerate() {
        let digest = cell(column).ok_or_else(unrecognised)?;
        let named = |naming: &mut Naming| match algorithms.get(place) {
            Some(algorithm) => naming.tagged(algorithm, digest),
            None => naming.untagged(digest),
        };
        if !digest.is_empty() {
            several.add(named(naming).map_err(|bad| bad.with_file(name)))?;
        }
    }
    let size = cell(size).ok_or_else(unrecognised)?;
    if several.is_empty() && size.is_empty() {
        return Ok(None);
    }
    let size = if size.is_empty() { None } else { Some(number(size).ok_or(Bad::new("size", Why::Number))?) };
    several.record(name, size).map(Some)
}
