//! `csv`: comma-separated values with a header (RFC 4180). The columns are `path`, `path_b64` (only filled if the name
//! is not UTF-8), `size`, `status`, `reason`, `version` (for objects of stores), `strength` (for stored records),
//! `offset` and `length` (for pieces), one for each algorithm (and for a likeness algorithm `NAME_status`: why there is
//! no digest, or that it is sparse), `mtime` (if times are kept), `ctime`, `inode`, `device`,
//! `read` and `reused` (if the metadata are kept), `atime`, `crtime`, `container` and `allocation` (of entries inside of
//! other files), `bad_blocks` (if there are any), `category` and `set`
//! (for labels). The reader ignores and reports other columns.
//!
//! Tables of other programs are read, too: separated by tabs or semicolons, with descriptive titles (`Name`, `SHA256
//! Hash`; see [`super::titles`], and [`super::parts`] for names and paths in two columns).

use super::base64;
use super::content::content;
use super::draft::{Draft, Key};
use super::fields::Fields;
use super::lines::{Lines, MAX_LIKENESS_LINE, peek};
use super::malformed::{Bad, Malformed, Why};
use super::naming::{Naming, number, write_number};
use super::parts::Parts;
use super::text::is_comment;
use super::text::without_cr;
use super::writer::{cannot_carry, check_columns, check_hashed, check_sound};
use super::{Column, Hint, Layout, Reader, Writer, metadata, ranges, style};
use super::{tables, titles};
use crate::{Likeness, Record};
use hashmill_digest::{Algorithm, Style};
use hashmill_similar::Similar;
use std::io::{self, Read, Write};

/// Returns whether the first meaningful line is a header.
pub(super) fn sniff(first: &[u8]) -> bool {
    content(first).next().is_some_and(is_header)
}

fn is_header(line: &[u8]) -> bool {
    // Sets of known digests and hashdeep have headers of their own.
    let set = [tables::is_nsrl, tables::is_hashkeeper, tables::is_ilook].iter().any(|fits| fits(line));
    !set && !line.starts_with(b"%%%%") && titles::delimiter(without_cr(line)).is_some()
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    let (first, input) = peek(input);
    let delimiter = content(&first).next().and_then(titles::delimiter).unwrap_or(b',');
    let quoted = delimiter == b',' || has_quotes(&first, delimiter);
    let lines = Lines::bounded(input, MAX_LIKENESS_LINE);
    let (algorithms, likeness) = (Vec::new(), Vec::new());
    let fields = Fields::with(delimiter, quoted);
    let parts = Parts::find(&first, Fields::with(delimiter, quoted), quoted);
    let rows = Rows { parts, naming: Naming::new(hint) };
    Box::new(Csv { lines, fields, quoted, header: Header::Ahead, rows, algorithms, likeness })
}

/// Returns whether a field starts with a quote. If none does, quotes are part of names and need not be paired.
fn has_quotes(first: &[u8], delimiter: u8) -> bool {
    let starts = |at: usize| at == 0 || first[at - 1] == delimiter || first[at - 1] == b'\n';
    memchr::memchr_iter(b'"', first).any(starts)
}

struct Csv<'a> {
    lines: Lines<'a>,
    fields: Fields,
    /// Fields may be quoted and then contain line feeds.
    quoted: bool,
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
            let next = if self.quoted { self.lines.next_quoted()? } else { self.lines.next()? };
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
        self.algorithms = keys.iter().filter_map(|key| key.digest()).collect();
        let digests = keys.iter().filter(|key| key.digest().is_some() || matches!(key, Key::Likeness(_)));
        let likeness = |(place, key): (usize, &Key)| match key {
            Key::Likeness(row) => Some((place, *row)),
            _ => None,
        };
        self.likeness = digests.enumerate().filter_map(likeness).collect();
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

/// Returns the titles of a column: a likeness digest also has a status.
fn titles(column: Column, style: Style) -> Vec<String> {
    match column {
        Column::Digest(algorithm) => vec![[algorithm.name, style::suffix(style, algorithm)].concat()],
        Column::Likeness(algorithm) => {
            vec![algorithm.name.to_string(), format!("{}_status", algorithm.name)]
        }
    }
}

pub(super) fn writer(layout: Layout) -> Box<dyn Writer> {
    Box::new(CsvWriter { layout, line: Vec::new() })
}

struct CsvWriter {
    layout: Layout,
    line: Vec<u8>,
}

impl Writer for CsvWriter {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let mut columns = vec!["path", "path_b64", "size", "status", "reason"];
        columns.extend(self.layout.versions.then_some("version"));
        columns.extend(self.layout.stored.then_some("strength"));
        columns.extend(self.layout.pieces.then_some(["offset", "length"]).into_iter().flatten());
        let columns_of = |column| titles(column, self.layout.style);
        let digests: Vec<String> = self.layout.columns().into_iter().flat_map(columns_of).collect();
        columns.extend(digests.iter().map(String::as_str));
        columns.extend(self.layout.times.then_some("mtime"));
        let of_metadata: Vec<Key> = metadata::keys(&self.layout).collect();
        columns.extend(of_metadata.iter().map(|key| key.name()));
        columns.extend(self.layout.bad_blocks.then_some("bad_blocks"));
        columns.extend(self.layout.labels.then_some(["category", "set"]).into_iter().flatten());
        out.write_all((columns.join(",") + "\r\n").as_bytes())
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
        self.line.clear();
        self.name(&record.path);
        self.line.push(b',');
        self.number(record.size);
        self.line.push(b',');
        self.line.extend_from_slice(record.status.word().as_bytes());
        self.line.push(b',');
        self.text(record.reason.as_deref().unwrap_or_default());
        if self.layout.versions {
            self.line.push(b',');
            self.text(record.version.as_deref().unwrap_or_default());
        }
        if self.layout.stored {
            self.line.push(b',');
            self.text(record.status.strength().map_or("", |strength| strength.word()));
        }
        if self.layout.pieces {
            self.line.push(b',');
            self.number(record.piece.map(|piece| piece.offset));
            self.line.push(b',');
            self.number(record.piece.map(|piece| piece.length));
        }
        self.digests(record);
        if self.layout.times {
            self.line.push(b',');
            let time = record.mtime.and_then(crate::Time::to_rfc3339).unwrap_or_default();
            self.line.extend_from_slice(time.as_bytes());
        }
        for key in metadata::keys(&self.layout) {
            self.line.push(b',');
            self.text(&metadata::text(key, record).unwrap_or_default());
        }
        if self.layout.bad_blocks {
            self.line.push(b',');
            self.bad_blocks(record);
        }
        if self.layout.labels {
            let label = record.label.as_deref();
            self.line.push(b',');
            self.text(label.map_or("", |label| &label.category));
            self.line.push(b',');
            self.text(label.map_or("", |label| &label.set));
        }
        self.line.extend_from_slice(b"\r\n");
        out.write_all(&self.line)
    }
}

impl CsvWriter {
    fn name(&mut self, path: &[u8]) {
        self.text(&String::from_utf8_lossy(path));
        self.line.push(b',');
        self.line.extend_from_slice(base64::for_name(path).unwrap_or_default().as_bytes());
    }

    /// Adds a field, quoted if necessary.
    fn text(&mut self, text: &str) {
        let special = memchr::memchr3(b',', b'"', b'\n', text.as_bytes()).is_some() || text.contains('\r');
        if special {
            self.line.push(b'"');
            self.line.extend_from_slice(text.replace('"', "\"\"").as_bytes());
            self.line.push(b'"');
        } else {
            self.line.extend_from_slice(text.as_bytes());
        }
    }

    fn number(&mut self, value: Option<u64>) {
        if let Some(value) = value {
            write_number(value, &mut self.line);
        }
    }

    fn bad_blocks(&mut self, record: &Record) {
        if !record.bad_blocks.is_empty() {
            self.line.push(b'"');
            ranges::write(&record.bad_blocks, &mut self.line);
            self.line.push(b'"');
        }
    }

    /// Adds the digests; a missing one leaves its column empty.
    fn digests(&mut self, record: &Record) {
        for column in self.layout.columns() {
            self.line.push(b',');
            match column {
                Column::Digest(algorithm) => self.digest(record, algorithm),
                Column::Likeness(algorithm) => self.likeness(record, algorithm),
            }
        }
    }

    fn digest(&mut self, record: &Record, algorithm: &Algorithm) {
        if let Some(named) = record.digests.iter().find(|named| named.algorithm == algorithm) {
            style::write(self.layout.style, named, &mut self.line);
        }
    }

    /// Adds two fields: the digest and its status.
    fn likeness(&mut self, record: &Record, algorithm: &Similar) {
        let likeness = record.likeness.iter().find(|likeness| likeness.algorithm == algorithm);
        self.text(&likeness.and_then(|likeness| likeness.text(&record.path)).unwrap_or_default());
        self.line.push(b',');
        self.text(likeness.and_then(Likeness::status).unwrap_or_default());
    }

    fn check_likeness(&self, record: &Record) -> io::Result<()> {
        let has =
            |likeness: &Likeness| self.layout.likeness.iter().any(|(_, row)| *row == likeness.algorithm);
        let all = record.likeness.iter().all(has);
        if all { Ok(()) } else { Err(cannot_carry("the header has no column for a digest of the record")) }
    }
}
