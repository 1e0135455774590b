//! `rpm`: the output of `rpm -q --dump`: path, size, time, digest, mode, owner, group, flags for configuration and
//! documentation, device, and the target of a link (`X` for other entries). Only read.
//!
//! Source: rpm(8), `--dump`. A folder or link has no digest; a file that the package only claims has zeros.
//! Path and link may contain blanks, so the fields between them are searched for; a line with two possible positions is
//! malformed.

use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::values::naming::{named_as, number};
use crate::format::values::several::without_digest;
use crate::format::{Hint, Reader};
use crate::{Record, Status, Time};
use std::io::Read;

/// The algorithms of packages, by the number of digits.
const ALGORITHMS: [(usize, &str); 5] =
    [(32, "md5"), (40, "sha1"), (64, "sha256"), (96, "sha384"), (128, "sha512")];

/// The bits of a mode for the kind of an entry.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;
const FOLDER: u32 = 0o040_000;

struct Line<'a> {
    path: &'a [u8],
    size: u64,
    time: i64,
    digest: &'a [u8],
    mode: u32,
}

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    matches!(split(line), Ok(Some(_)))
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Dump))
}

struct Dump;

impl Parse for Dump {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        match split(line) {
            Ok(Some(line)) if line.mode & KIND == FOLDER => None,
            Ok(Some(line)) => Some(record(&line)),
            Ok(None) if line.trim_ascii().is_empty() => None,
            Ok(None) => Some(Err(Bad::new("line", Why::Unrecognised))),
            Err(bad) => Some(Err(bad)),
        }
    }
}

fn record(line: &Line<'_>) -> Result<Record, Bad> {
    let Line { path, size, time, digest, mode } = *line;
    if mode & KIND != REGULAR {
        return Ok(Record { reason: Some("link".into()), ..Record::bare(path.into(), Status::Unreadable) });
    }
    let mtime = Some(Time { seconds: time, nanoseconds: 0 });
    if digest.iter().all(|digit| *digit == b'0') {
        return Ok(without_digest(path));
    }
    let digits = digest.len();
    let name = ALGORITHMS.iter().find(|(known, _)| *known == digits).map(|(_, name)| *name);
    let name = name.ok_or(Bad::new("digest", Why::NoAlgorithm { digits }))?;
    Ok(Record { mtime, ..Record::hashed(path.into(), Some(size), vec![named_as(name, digest)?]) })
}

/// Splits a line; returns `None` if it has no fields of an entry.
fn split(line: &[u8]) -> Result<Option<Line<'_>>, Bad> {
    if !line.starts_with(b"/") {
        return Ok(None);
    }
    let mut found = memchr::memchr_iter(b' ', line).filter_map(|at| fields(&line[..at], &line[at + 1..]));
    match (found.next(), found.next()) {
        (Some(_), Some(_)) => Err(Bad::new("path", Why::Alike)),
        (found, _) => Ok(found),
    }
}

fn fields<'a>(path: &'a [u8], rest: &'a [u8]) -> Option<Line<'a>> {
    let mut words = rest.splitn(10, |byte| *byte == b' ');
    let (size, time, digest) = (number(words.next()?)?, number(words.next()?)?, words.next()?);
    let mode = str::from_utf8(words.next()?).ok().filter(|mode| mode.starts_with('0'))?;
    let (_owner, _group) = (words.next()?, words.next()?);
    let is_flag = |field: &[u8]| matches!(field, b"0" | b"1");
    let flags = is_flag(words.next()?) && is_flag(words.next()?);
    number(words.next()?)?;
    let has_target = words.next().is_some_and(|target| !target.is_empty());
    let is_digest = digest.len() >= 32 && digest.iter().all(u8::is_ascii_hexdigit);
    (flags && has_target && is_digest).then_some(())?;
    Some(Line {
        path,
        size,
        time: i64::try_from(time).ok()?,
        digest,
        mode: u32::from_str_radix(mode, 8).ok()?,
    })
}
