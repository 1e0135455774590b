//! `s3cmd`: the objects that `s3cmd ls --list-md5` lists: date, time, size, ETag and location. Only read.

use crate::Record;
use crate::format::json::minio::key_of;
use crate::format::json::s3::digest;
use crate::format::malformed::{Bad, Why};
use crate::format::read::content::content;
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::{without_cr, words};
use crate::format::values::naming::{is_hex, number};
use crate::format::values::several::without_digest;
use crate::format::{Hint, Reader};
use std::io::Read;

const SCHEME: &[u8] = b"s3://";

/// The parts of a line.
struct Line<'a> {
    size: u64,
    /// An MD5, a digest of parts with their number, or another word.
    etag: &'a [u8],
    location: &'a [u8],
}

/// Returns whether all lines are of objects and folders, and one has an ETag.
pub(in crate::format) fn starts(first: &[u8]) -> bool {
    let has_digest =
        |line: Line<'_>| is_hex(line.etag.split(|byte| *byte == b'-').next().unwrap_or_default());
    let lines = content(first).filter(|line| !is_folder(line)).map(split);
    let lines: Option<Vec<Line<'_>>> = lines.collect();
    lines.is_some_and(|lines| lines.into_iter().any(has_digest))
}

/// Returns whether a line is of a folder, which has no date.
fn is_folder(line: &[u8]) -> bool {
    words(line).next() == Some(b"DIR")
}

fn split(line: &[u8]) -> Option<Line<'_>> {
    let at = memchr::memmem::find(line, SCHEME)?;
    let mut front = words(&line[..at]);
    let (date, time) = (front.next()?, front.next()?);
    let is_time = date.len() == 10 && date.get(4) == Some(&b'-') && time.contains(&b':');
    let (size, etag) = (number(front.next()?)?, front.next()?);
    (is_time && front.next().is_none()).then_some(Line { size, etag, location: &line[at..] })
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Listed))
}

struct Listed;

impl Parse for Listed {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        if line.trim_ascii().is_empty() || is_folder(line) {
            return None;
        }
        Some(record(line))
    }
}

fn record(line: &[u8]) -> Result<Record, Bad> {
    let Line { size, etag, location } = split(line).ok_or(Bad::new("line", Why::Unrecognised))?;
    let location = str::from_utf8(location).map_err(|_| Bad::new("name", Why::Unrecognised))?;
    let path = key_of(location).as_bytes();
    let etag = str::from_utf8(etag).unwrap_or_default();
    if !etag.starts_with(|letter: char| letter.is_ascii_hexdigit()) {
        return Ok(Record { size: Some(size), ..without_digest(path) });
    }
    let named = digest(etag, ["md5", "s3-etag"], Some(size)).map_err(|bad| bad.with_file(path))?;
    Ok(Record::hashed(path.into(), Some(size), named.into_iter().collect()))
}
