//! `csv`: comma-separated values with a header (RFC 4180). The columns are `path`, `path_b64` (only filled if the name
//! is not UTF-8), `size`, `status`, `reason`, `version` (for objects of stores), `strength` (for stored records),
//! `offset` and `length` (for pieces), one for each algorithm (and for a likeness algorithm `NAME_status`: why there is
//! no digest, or that it is sparse), `type`, `type_name`, `type_extensions` (separated by commas), `mismatch`, `entropy`,
//! `chi2`, `class`, `puid` (separated by commas), `puid_formats` (JSON) and `puid_signatures` (facts about content), `mtime` (if times are kept), `ctime`, `inode`, `device`,
//! `read` and `reused` (if the metadata are kept), `atime`, `crtime`, `container` and `allocation` (of entries inside of
//! other files), `bad_blocks` (if there are any), `category` and `set`
//! (for labels). The reader ignores and reports other columns.
//!
//! Tables of other programs are read, too: separated by tabs or semicolons, with descriptive titles (`Name`, `SHA256
//! Hash`; see [`super::titles`], and [`super::parts`] for names and paths in two columns).

use super::fields::{Fields, Quotes};
use super::parts::Parts;
use super::{cells, facts, known_sets, titles};
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::read::content::content;
use crate::format::read::lines::{Lines, MAX_LIKENESS_LINE, peek};
use crate::format::read::text::is_comment;
use crate::format::read::text::without_cr;
use crate::format::values::draft::{Draft, Key, algorithms};
use crate::format::values::naming::{Naming, number, write_number};
use crate::format::values::style;
use crate::format::writer::{cannot_carry, check_columns, check_hashed, check_sound};
use crate::format::{Hint, Layout, Reader, Writer};
use crate::{Likeness, Record};
use hashmill_digest::{Algorithm, Style};
use hashmill_similar::Similar;
use std::io::{self, Read, Write};

/// Returns whether the first meaningful line is a header.
pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    content(first).next().is_some_and(is_header)
}

fn is_header(line: &[u8]) -> bool {
    // Sets of known digests and hashdeep have headers of their own.
    let set =
        [known_sets::is_nsrl, known_sets::is_hashkeeper, known_sets::is_ilook].iter().any(|fits| fits(line));
    !set && !line.starts_with(b"%%%%") && titles::delimiter(without_cr(line)).is_some()
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    let (first, input) = peek(input);
    let delimiter = content(&first).next().and_then(titles::delimiter).unwrap_or(b',');
    let is_quoted = delimiter == b',' || has_quotes(&first, delimiter);
    let quotes = if is_quoted { Quotes::Enclose } else { Quotes::Literal };
    let lines = Lines::bounded(input, MAX_LIKENESS_LINE);
    let (algorithms, likeness) = (Vec::new(), Vec::new());
    let fields = Fields::with(delimiter, quotes);
    let parts = Parts::find(&first, Fields::with(delimiter, quotes));
    let rows = Rows { parts, naming: Naming::new(hint) };
    Box::new(Csv { lines, fields, header: Header::Ahead, rows, algorithms, likeness })
}

/// Returns whether a field starts with a quote. If none does, quotes are part of names and need not be paired.
fn has_quotes(first: &[u8], delimiter: u8) -> bool {
    let starts = |at: usize| at == 0 || first[at - 1] == delimiter || first[at - 1] == b'\n';
    memchr::memchr_iter(b'"', first).any(starts)
}

struct Csv<'a> {
    lines: Lines<'a>,
    fields: Fields,
    header: Header,
    rows: Rows,
    algorithms: Vec<&'static Algorithm>,
    likeness: Vec<(usize, &'static Similar)>,
}

enum Header {
    Ahead,
    Read(Vec<Key>),
    /// The header is unusable, so no records can be read.
    Unusable,
}

impl Iterator for Csv<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        while !matches!(self.header, Header::Unusable) {
            let ahead = matches!(self.header, Header::Ahead);
            let next =
                if self.fields.may_be_quoted() { self.lines.next_quoted()? } else { self.lines.next()? };
            let (line, whole) = match next {
                Ok((_, line)) if without_cr(line).is_empty() || ahead && is_comment(line) => continue,
                Ok((number, line)) => (number, self.fields.split(line)),
                Err(malformed) => return Some(Err(malformed)),
            };
            let result = if whole { self.fields() } else { Some(Err(Bad::new("line", Why::Unrecognised))) };
            if let Some(result) = result {
                return Some(result.map_err(|bad| bad.at(line)));
            }
        }
        None
    }
}

impl Reader for Csv<'_> {
    fn columns(&self) -> &[&'static Algorithm] {
        &self.algorithms
    }

    fn likeness(&self) -> &[(usize, &'static Similar)] {
        &self.likeness
    }
}

impl Csv<'_> {
    fn fields(&mut self) -> Option<Result<Record, Bad>> {
        if let Header::Read(keys) = &self.header {
            return Some(self.rows.record(&self.fields, keys));
        }
        let keys = titles::keys(self.fields.iter());
        if let Err(bad) = check(&keys) {
            self.header = Header::Unusable;
            return Some(Err(bad));
        }
        (self.algorithms, self.likeness) = algorithms(&keys);
        let left = titles::left_out(&self.fields, &keys);
        self.header = Header::Read(keys);
        left.map(|names| Err(Bad::new("columns", Why::Columns(names))))
    }
}

/// Checks that a header has a path and no duplicate column.
fn check(keys: &[Key]) -> Result<(), Bad> {
    if !keys.contains(&Key::Path) {
        return Err(Bad::new("path", Why::Missing));
    }
    titles::twice(keys).map_or(Ok(()), |key| Err(Bad::new(key.name(), Why::Twice)))
}

/// Converts rows to records.
struct Rows {
    /// The path column's part of the path, if names have their own column.
    parts: Parts,
    /// Determines the algorithm of digests without a title of their own.
    naming: Naming,
}

impl Rows {
    fn record(&mut self, fields: &Fields, keys: &[Key]) -> Result<Record, Bad> {
        if fields.len() != keys.len() {
            return Err(Bad::new("fields", Why::Fields { found: fields.len(), expected: keys.len() }));
        }
        let mut draft = Draft::default();
        let in_parts = keys.contains(&Key::Name);
        let (mut path, mut name) = (&b""[..], &b""[..]);
        let mut pairs = fields.iter().zip(keys);
        let algorithm = pairs.find(|(_, key)| **key == Key::Algorithm).map(|(field, _)| field.trim_ascii());
        let algorithm = algorithm.filter(|algorithm| !algorithm.is_empty());
        for (field, key) in fields.iter().zip(keys) {
            let field = if matches!(key, Key::Digest(_) | Key::Azure(_) | Key::Hash | Key::Size) {
                field.trim_ascii()
            } else {
                field
            };
            match key {
                _ if field.is_empty() => {}
                Key::Name => name = field,
                Key::Path if in_parts => path = field,
                Key::Hash => draft.untagged(self.naming.beside(algorithm, field))?,
                Key::Size | Key::Offset | Key::Length => {
                    draft.number(*key, number(field).ok_or(Bad::new(key.name(), Why::Number))?)?;
                }
                _ => draft.text(*key, field)?,
            }
        }
        if in_parts {
            if name.is_empty() {
                return Err(Bad::new("name", Why::Missing));
            }
            let path = self.parts.path(path, name).ok_or(Bad::new("path", Why::Parts))?;
            draft.text(Key::Path, &path)?;
        }
        draft.finish()
    }
}

pub(in crate::format) fn writer(layout: Layout) -> Box<dyn Writer> {
    // No column has leaf digests.
    let layout = Layout { leaves: false, ..layout };
    Box::new(CsvWriter { keys: cells::keys(&layout), layout, line: Vec::new() })
}

struct CsvWriter {
    layout: Layout,
    /// The columns.
    keys: Vec<Key>,
    line: Vec<u8>,
}

impl Writer for CsvWriter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let title = |key: &Key| match key {
            Key::Digest(row) => [row.name, style::suffix(self.layout.style, row)].concat(),
            key => cells::title(*key).into_owned(),
        };
        let titles: Vec<String> = self.keys.iter().map(title).collect();
        out.write_all((titles.join(",") + "\r\n").as_bytes())
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.piece.is_some() && !self.layout.pieces {
            return Err(cannot_carry("the header has no columns for pieces"));
        }
        if !self.layout.bad_blocks {
            check_sound(record)?;
        }
        if !self.layout.stored {
            check_hashed(record)?;
        }
        check_columns(record, &self.layout.algorithms)?;
        self.check_likeness(record)?;
        if !facts::are_held(record, self.layout.facts) {
            return Err(cannot_carry("the header has no column for a fact about content"));
        }
        let CsvWriter { layout, keys, line } = self;
        line.clear();
        for key in keys {
            field(*key, record, layout.style, line);
            line.push(b',');
        }
        line.pop();
        line.extend_from_slice(b"\r\n");
        out.write_all(line)
    }
}

impl CsvWriter {
    fn check_likeness(&self, record: &Record) -> io::Result<()> {
        let has =
            |likeness: &Likeness| self.layout.likeness.iter().any(|(_, row)| *row == likeness.algorithm);
        let all = record.likeness.iter().all(has);
        if all { Ok(()) } else { Err(cannot_carry("the header has no column for a digest of the record")) }
    }
}

/// Appends a record's field in a column, which stays empty if the record has none.
fn field(key: Key, record: &Record, style: Style, line: &mut Vec<u8>) {
    if let Key::Digest(row) = key {
        if let Some(named) = record.digests.iter().find(|named| named.algorithm == row) {
            style::write(style, named, line);
        }
    } else if let Some(number) = cells::number(key, record) {
        write_number(number, line);
    } else if let Some(text) = cells::text(key, record) {
        write_text(&text, line);
    }
}

/// Appends a text, quoted if necessary.
fn write_text(text: &[u8], line: &mut Vec<u8>) {
    if memchr::memchr3(b',', b'"', b'\n', text).is_none() && !text.contains(&b'\r') {
        return line.extend_from_slice(text);
    }
    line.push(b'"');
    for byte in text {
        line.extend_from_slice(if *byte == b'"' { b"\"\"" } else { std::slice::from_ref(byte) });
    }
    line.push(b'"');
}
