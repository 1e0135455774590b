//! `md5deep`: lines of md5deep and its kin that are none of coreutils': `digest,name` (`-c`), `size, digest,name` (`-zc`),
//! `digest YYYY:MM:DD:HH:MM:SS  name` (`-t`), and that with a size before it (`-zt`). The time is that of the last change
//! of the inode, and is left out. Only read.
//!
//! Source: md5deep(1) and lines that md5deep 4.4 wrote.

use super::line_reader::{LineReader, Parse};
use super::list_line::digests_alone;
use super::malformed::{Bad, Why};
use super::naming::{Naming, is_hex, number};
use super::text::{is_comment, without_cr};
use super::{Hint, Reader};
use crate::Record;
use std::io::Read;

/// Letters of a time.
const TIME: usize = 19;
/// Letters of a size, with the blanks before it.
const SIZE: usize = 10;

/// The parts of a line, still text.
struct Line<'a> {
    size: Option<u64>,
    digest: &'a [u8],
    name: &'a [u8],
}

pub(super) fn sniff(line: &[u8]) -> bool {
    split(line)
        .is_some_and(|line| is_digest(line.digest) && !line.name.split(|byte| *byte == b',').any(is_digest))
        && digests_alone(line).is_none()
}

/// What looks like a digest. Behind a comma it is no part of a name: the line is one of a table.
fn is_digest(text: &[u8]) -> bool {
    text.len() >= 32 && is_hex(text)
}

fn split(line: &[u8]) -> Option<Line<'_>> {
    let (size, rest) = sized(line);
    let end = rest.iter().position(|byte| !byte.is_ascii_hexdigit()).filter(|end| *end > 0)?;
    let (digest, rest) = rest.split_at(end);
    let name = rest.strip_prefix(b",").or_else(|| timed(rest))?;
    (!name.is_empty()).then_some(Line { size, digest, name })
}

/// The size before a digest: in ten letters, with a comma and a blank or two blanks behind it.
fn sized(line: &[u8]) -> (Option<u64>, &[u8]) {
    let start = line.iter().take_while(|byte| **byte == b' ').count();
    let end = start + line[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let rest = line[end..].strip_prefix(b", ").or(line[end..].strip_prefix(b"  "));
    match (number(&line[start..end]), rest) {
        (Some(size), Some(rest)) if end >= SIZE => (Some(size), rest),
        _ => (None, line),
    }
}

/// The name behind a time.
fn timed(text: &[u8]) -> Option<&[u8]> {
    let text = text.strip_prefix(b" ")?;
    let (time, rest) = text.split_at_checked(TIME)?;
    let digit = |(place, byte): (usize, &u8)| match place {
        4 | 7 | 10 | 13 | 16 => *byte == b':',
        _ => byte.is_ascii_digit(),
    };
    let name = rest.strip_prefix(b"  ").or(rest.strip_prefix(b" *"))?;
    time.iter().enumerate().all(digit).then_some(name)
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Output { naming: Naming::new(hint) }))
}

struct Output {
    naming: Naming,
}

impl Parse for Output {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        (!is_comment(line)).then(|| {
            let parts = split(line).ok_or(Bad::new("line", Why::Unrecognised))?;
            let named = self.naming.untagged(parts.digest).map_err(|bad| bad.of(parts.name))?;
            Ok(Record::hashed(parts.name.into(), parts.size, vec![named]))
        })
    }
}
