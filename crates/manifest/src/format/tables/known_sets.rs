//! Sets of known digests as comma-separated values: NSRL RDS text, HashKeeper, iLook. Only read.
//!
//! The header names the columns; each row of [`COLUMNS`] defines the meaning of a column.

use super::fields::Fields;
use crate::format::read::lines::Lines;

use crate::Record;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::values::naming::{named_as, number};
use crate::format::{Hint, Reader};
use hashmill_digest::{Algorithm, find};
use std::io::Read;

/// The meaning of a column.
#[derive(Clone, Copy)]
enum Column {
    Digest(&'static str),
    Name,
    Directory,
    Size,
}

const COLUMNS: &[(&[u8], Column)] = &[
    (b"SHA-1", Column::Digest("sha1")),
    (b"MD5", Column::Digest("md5")),
    (b"CRC32", Column::Digest("crc32")),
    (b"SHA-256", Column::Digest("sha256")),
    (b"FileName", Column::Name),
    (b"FileSize", Column::Size),
    (b"hash", Column::Digest("md5")),
    (b"file_name", Column::Name),
    (b"directory", Column::Directory),
    (b"file_size", Column::Size),
    (b"V1Hash", Column::Digest("md5")),
    (b"V3Hash", Column::Digest("md5")),
    (b"V4Hash", Column::Digest("md5")),
    (b"HashSHA1", Column::Digest("sha1")),
    (b"HashSHA256", Column::Digest("sha256")),
    (b"HashSHA384", Column::Digest("sha384")),
    (b"HashSHA512", Column::Digest("sha512")),
    (b"FilePath", Column::Directory),
];

pub(in crate::format) fn is_nsrl(line: &[u8]) -> bool {
    line.starts_with(b"\"SHA-1\",") || line.starts_with(b"\"SHA-256\",")
}

pub(in crate::format) fn is_hashkeeper(line: &[u8]) -> bool {
    line.starts_with(b"\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\"")
}

pub(in crate::format) fn is_ilook(line: &[u8]) -> bool {
    [&b"V1Hash,"[..], b"V3Hash,", b"V4Hash,"].iter().any(|start| line.starts_with(start))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    let lines = Lines::new(input);
    Box::new(Table { lines, fields: Fields::default(), columns: None, algorithms: Vec::new() })
}

struct Table<'a> {
    lines: Lines<'a>,
    fields: Fields,
    /// The meaning of each column, once the header is read; `None` for unused columns.
    columns: Option<Vec<Option<Column>>>,
    algorithms: Vec<&'static Algorithm>,
}

impl Iterator for Table<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (number, line) = match self.lines.next()? {
                Ok(line) => line,
                Err(malformed) => return Some(Err(malformed)),
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            if !self.fields.split(line) {
                return Some(Err(Bad::new("line", Why::Unrecognised).at(number)));
            }
            match &self.columns {
                None => {
                    let columns = header(&self.fields);
                    self.algorithms = algorithms(&columns);
                    self.columns = Some(columns);
                }
                Some(columns) => return Some(row(&self.fields, columns).map_err(|bad| bad.at(number))),
            }
        }
    }
}

impl Reader for Table<'_> {
    fn columns(&self) -> &[&'static Algorithm] {
        &self.algorithms
    }
}

fn header(fields: &Fields) -> Vec<Option<Column>> {
    let meaning = |name: &[u8]| COLUMNS.iter().find(|(known, _)| *known == name).map(|(_, column)| *column);
    fields.iter().map(meaning).collect()
}

fn algorithms(columns: &[Option<Column>]) -> Vec<&'static Algorithm> {
    let names = columns.iter().flatten().filter_map(|column| match column {
        Column::Digest(name) => Some(*name),
        _ => None,
    });
    names.filter_map(|name| find(name).ok()).collect()
}

fn row(fields: &Fields, columns: &[Option<Column>]) -> Result<Record, Bad> {
    let mut record = Record::hashed(Box::default(), None, Vec::new());
    let (mut directory, mut name): (&[u8], &[u8]) = (b"", b"");
    let is_filled = |field: &[u8]| !field.trim_ascii().is_empty();
    if fields.len() < columns.len() || fields.iter().skip(columns.len()).any(is_filled) {
        return Err(Bad::new("fields", Why::Fields { found: fields.len(), expected: columns.len() }));
    }
    for (field, column) in fields.iter().zip(columns) {
        match column {
            Some(Column::Digest(algorithm)) if !field.is_empty() => {
                record.digests.push(named_as(algorithm, field)?);
            }
            Some(Column::Size) if !field.is_empty() => {
                record.size = Some(number(field).ok_or(Bad::new("size", Why::Number))?);
            }
            Some(Column::Name) => name = field,
            Some(Column::Directory) => directory = field,
            _ => {}
        }
    }
    if record.digests.is_empty() {
        return Err(Bad::new("digest", Why::Missing));
    }
    record.path = join(directory, name);
    Ok(record)
}

/// Joins a name to a directory in Windows notation; `\` alone means no directory.
fn join(directory: &[u8], name: &[u8]) -> Box<[u8]> {
    let directory: &[u8] = if directory == b"\\" { b"" } else { directory };
    let divided = directory.is_empty() || directory.ends_with(b"\\") || directory.ends_with(b"/");
    let divider: &[u8] = if divided { b"" } else { b"\\" };
    [directory, divider, name].concat().into()
}
