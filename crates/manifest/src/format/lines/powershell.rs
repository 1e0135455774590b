//! `powershell`: the output of PowerShell's `Get-FileHash`, a table or a list (`Format-List`). Only read. Long paths in
//! a table are truncated, which is recognised by the dots at their end. Its CSV and JSON are `csv` and `json-list`.
//!
//! Source: Microsoft's documentation, "Get-FileHash", "Format-Table".

use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::read::content::content;
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::{without_cr, words};
use crate::format::values::naming::Naming;
use crate::format::{Hint, Reader};
use std::io::Read;

const TITLES: [&[u8]; 3] = [b"Algorithm", b"Hash", b"Path"];

/// Returns whether the first lines are an entry of a list.
pub(in crate::format) fn starts(first: &[u8]) -> bool {
    let mut lines = content(first).filter_map(key).map(|(title, _)| title);
    let is_entry = content(first).next().is_some_and(|line| key(line).is_some());
    is_entry && TITLES.into_iter().all(|title| lines.next() == Some(title))
}

/// Returns whether a line is the three titles with blanks between them.
pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    words(without_cr(line)).eq(TITLES)
}

/// Splits a line of a list: a key, blanks, a colon, a value.
fn key(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memmem::find(line, b" : ")?;
    let key = line[..colon].trim_ascii_end();
    TITLES.contains(&key).then(|| (key, line[colon + 3..].trim_ascii()))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    let output = Output { naming: Naming::new(Hint::None), is_table: false, entry: None };
    Box::new(LineReader::new(input, output))
}

struct Output {
    naming: Naming,
    /// Whether it is a table or a list.
    is_table: bool,
    /// The values of the current entry of a list.
    entry: Option<[Vec<u8>; 3]>,
}

impl Parse for Output {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        if sniff(line) {
            self.is_table = true;
            return None;
        }
        if line.trim_ascii().is_empty() {
            return self.end();
        }
        // The line below the titles of a table.
        if line.starts_with(b"---") {
            return None;
        }
        if self.is_table { Some(self.row(line)) } else { self.listed(line) }
    }

    fn end(&mut self) -> Option<Result<Record, Bad>> {
        let [algorithm, hash, path] = self.entry.take()?;
        Some(self.record(&algorithm, &hash, &path))
    }
}

impl Output {
    /// Takes a line of a list; one that starts with blanks continues the previous value.
    fn listed(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let Some((title, value)) = key(line) else {
            let last = self.entry.as_mut().filter(|_| line.starts_with(b" "));
            let Some(entry) = last else { return Some(Err(Bad::new("line", Why::Unrecognised))) };
            let place = if entry[2].is_empty() { &mut entry[1] } else { &mut entry[2] };
            // Lines are broken anywhere, so trailing blanks may be part of the value.
            place.extend_from_slice(line.trim_ascii_start());
            return None;
        };
        let done = if title == TITLES[0] { self.end() } else { None };
        let place = TITLES.iter().position(|known| *known == title).unwrap_or_default();
        let entry = self.entry.get_or_insert_default();
        if !entry[place].is_empty() {
            // Nothing says to which of the two the rest belongs.
            self.entry = None;
            return Some(Err(Bad::new("entry", Why::Twice)));
        }
        entry[place] = value.to_vec();
        done
    }

    fn row(&mut self, line: &[u8]) -> Result<Record, Bad> {
        let (algorithm, rest) = word(line).ok_or(Bad::new("line", Why::Unrecognised))?;
        let (hash, path) = word(rest).ok_or(Bad::new("name", Why::Missing))?;
        let path = path.trim_ascii();
        if path.ends_with(b"...") || path.ends_with("\u{2026}".as_bytes()) {
            return Err(Bad::new("name", Why::Truncated));
        }
        self.record(algorithm, hash, path)
    }

    fn record(&mut self, algorithm: &[u8], hash: &[u8], path: &[u8]) -> Result<Record, Bad> {
        if path.is_empty() {
            return Err(Bad::new("name", Why::Missing));
        }
        // MACTripleDES is refused: it needs a key.
        let named = self.naming.tagged(algorithm, hash).map_err(|bad| bad.with_file(path))?;
        Ok(Record::hashed(path.into(), None, vec![named]))
    }
}

/// Splits a line after its first word.
fn word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = memchr::memchr(b' ', line)?;
    Some((&line[..end], line[end..].trim_ascii_start()))
}
