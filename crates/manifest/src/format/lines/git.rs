//! `git`: the output of `git ls-tree -r` (one entry per line: mode, kind, object, with `-l` the size, and name) and of
//! `git ls-files -s` (mode, object, stage and name). With `-z`, entries end with a NUL and names are not quoted. Only
//! read.
//!
//! Source: git's documentation, "git-ls-tree" and "git-ls-files" (output format), and `quote.c`.

use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::lines::peek;
use crate::format::values::naming::{named_as, number};
use crate::format::{Hint, Reader};
use crate::{Record, Status};
use std::io::Read;

/// The modes of a symbolic link (its object is its target) and of a submodule (its object is a commit).
const LINK: &[u8] = b"120000";
const SUBMODULE: &[u8] = b"160000";

/// An entry, with its parts as text.
struct Line<'a> {
    mode: &'a [u8],
    kind: &'a [u8],
    object: &'a [u8],
    /// A number or `-`.
    size: Option<&'a [u8]>,
    /// The file is in an unfinished merge: each side has an entry.
    is_unmerged: bool,
    name: &'a [u8],
}

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    split(line).is_some()
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    let (first, input) = peek(input);
    // No name contains a NUL, and without -z no line does.
    match first.contains(&0) {
        true => Box::new(LineReader::zero(input, Listed { quoted: false })),
        false => Box::new(LineReader::new(input, Listed { quoted: true })),
    }
}

struct Listed {
    /// Names with unusual bytes are quoted.
    quoted: bool,
}

impl Parse for Listed {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        (!line.is_empty()).then(|| self.record(line))
    }
}

impl Listed {
    fn record(&self, line: &[u8]) -> Result<Record, Bad> {
        let Line { mode, kind, object, size, is_unmerged, name } =
            split(line).ok_or_else(|| Bad::new("line", Why::Unrecognised))?;
        let path: Box<[u8]> = match name.strip_prefix(b"\"") {
            Some(rest) if self.quoted => unquote(rest).ok_or(Bad::new("name", Why::Escape))?.into(),
            _ => name.into(),
        };
        if path.is_empty() {
            return Err(Bad::new("name", Why::Missing));
        }
        if kind != b"blob" || mode == LINK || is_unmerged {
            let what = match kind {
                _ if is_unmerged => "unmerged",
                b"tree" => "folder",
                b"commit" => "submodule",
                _ => "link",
            };
            return Ok(Record { reason: Some(what.into()), ..Record::bare(path, Status::Unreadable) });
        }
        let algorithm = if object.len() == 64 { "git-blob-sha256" } else { "git-blob" };
        let size = match size {
            Some(size) => Some(number(size).ok_or(Bad::new("size", Why::Number))?),
            None => None,
        };
        Ok(Record::hashed(path, size, vec![named_as(algorithm, object)?]))
    }
}

/// Parses a line of either command.
fn split(line: &[u8]) -> Option<Line<'_>> {
    let tab = memchr::memchr(b'\t', line)?;
    let (front, name) = (&line[..tab], &line[tab + 1..]);
    let mode = front.get(..6).filter(|mode| mode.iter().all(|byte| (b'0'..=b'7').contains(byte)))?;
    let rest = front[6..].strip_prefix(b" ")?;
    of_tree(mode, rest, name).or_else(|| of_index(mode, rest, name))
}

/// Parses `OBJECT STAGE`; a merged file has only stage 0.
fn of_index<'a>(mode: &'a [u8], rest: &'a [u8], name: &'a [u8]) -> Option<Line<'a>> {
    let space = memchr::memchr(b' ', rest)?;
    let (object, stage) = (&rest[..space], &rest[space + 1..]);
    let kind: &[u8] = if mode == SUBMODULE { b"commit" } else { b"blob" };
    let is_stage = matches!(stage, [b'0'..=b'3']);
    let is_unmerged = stage != b"0";
    (is_object(object) && is_stage).then_some(Line { mode, kind, object, size: None, is_unmerged, name })
}

fn is_object(text: &[u8]) -> bool {
    matches!(text.len(), 40 | 64) && text.iter().all(u8::is_ascii_hexdigit)
}

/// Parses `KIND OBJECT` or `KIND OBJECT SIZE`, with blanks before the size.
fn of_tree<'a>(mode: &'a [u8], rest: &'a [u8], name: &'a [u8]) -> Option<Line<'a>> {
    let mut words = rest.splitn(3, |byte| *byte == b' ');
    let (kind, object) = (words.next()?, words.next()?);
    let is_kind = matches!(kind, b"blob" | b"tree" | b"commit");
    let size = words.next().map(<[u8]>::trim_ascii_start);
    let is_size = size.is_none_or(|size| size == b"-" || number(size).is_some());
    let fits = is_kind && is_object(object) && is_size;
    fits.then_some(Line { mode, kind, object, size, is_unmerged: false, name })
}

/// Decodes a name in C notation, after the opening quote.
fn unquote(text: &[u8]) -> Option<Vec<u8>> {
    let mut rest = text.strip_suffix(b"\"")?;
    let mut name = Vec::with_capacity(rest.len());
    while let Some((byte, more)) = rest.split_first() {
        rest = more;
        match byte {
            b'"' => return None,
            b'\\' => {
                let (byte, used) = escaped(rest)?;
                name.push(byte);
                rest = &rest[used..];
            }
            byte => name.push(*byte),
        }
    }
    Some(name)
}

/// Decodes the escape after a backslash; returns the byte and the length of the escape.
fn escaped(text: &[u8]) -> Option<(u8, usize)> {
    let plain = |byte| Some((byte, 1));
    match text.first()? {
        b'a' => plain(7),
        b'b' => plain(8),
        b't' => plain(b'\t'),
        b'n' => plain(b'\n'),
        b'v' => plain(11),
        b'f' => plain(12),
        b'r' => plain(b'\r'),
        byte @ (b'"' | b'\\') => plain(*byte),
        b'0'..=b'3' => {
            let digits = text.get(..3)?;
            let octal = digits.iter().all(|byte| (b'0'..=b'7').contains(byte));
            let value = digits.iter().fold(0_u8, |value, digit| value << 3 | (digit & 7));
            octal.then_some((value, 3))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unquoted_as_git_quotes_them() {
        for (text, wanted) in [
            (r#"s/\303\274""#, Some("s/\u{fc}")),
            (r#"\a\b\t\n\v\f\r\"\\""#, Some("\x07\x08\t\n\x0b\x0c\r\"\\")),
            (r#"""#, Some("")),
            (r#"a"b""#, None),
            (r#"\400""#, None),
            (r#"\38""#, None),
            (r#"\x""#, None),
            (r#"\""#, None),
            ("a", None),
        ] {
            let found = unquote(text.as_bytes());
            assert_eq!(found.as_deref(), wanted.map(str::as_bytes), "{text}");
        }
    }

    #[test]
    fn lines_of_other_kinds_are_none() {
        let object = "78981922613b2afb6025042ff6bd878ac1994e85";
        assert!(sniff(format!("100644 blob {object}\ta").as_bytes()));
        assert!(sniff(format!("040000 tree {object}       -\ta").as_bytes()));
        assert!(sniff(format!("100644 {object} 0\ta").as_bytes()));
        for line in [
            format!("100644 blob {object} a"),
            format!("100844 blob {object}\ta"),
            format!("100644 tag {object}\ta"),
            format!("100644 blob {}\ta", &object[1..]),
            format!("100644 blob {object} x\ta"),
            format!("100644 {object} 4\ta"),
            format!("100644 {object}\ta"),
        ] {
            assert!(!sniff(line.as_bytes()), "{line}");
        }
    }
}
