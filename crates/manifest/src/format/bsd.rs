//! `bsd`: `ALGORITHM (name) = digest`, as written by BSD, `sha256sum --tag`, `openssl dgst`, `rhash --bsd` and `xxhsum
//! --tag`. A record takes a line for each algorithm.

use super::list_line::{Line, Spacing, escape_mark, split};
use super::listing::Listing;
use super::naming::{is_hex, is_tag};
use super::writer::{cannot_carry, check_sound, without_likeness};
use super::{Hint, Layout, Reader, Writer, style};
use crate::case::line::write_comment;
use crate::case::{About, End, Start};
use crate::path::{escape, escapes};
use crate::{Named, Record, Status};
use hashmill_digest::Style;
use std::io::{self, Read, Write};
use std::sync::Arc;

/// The minimum number of digits of a digest behind an unknown tag.
const LONG: usize = 16;

pub(super) fn sniff(line: &[u8]) -> bool {
    let (_, line) = escape_mark(line);
    match split(line, &mut Spacing::Unknown, None) {
        Some(Line::Tagged { tag, digest, .. }) => {
            // Settings contain parentheses, too: `width (px) = 300`. A digest with a quote is a quoted name in CSV.
            !digest.is_empty()
                && !digest.contains(&b'"')
                && (is_tag(tag) || is_hex(digest) && digest.len() >= LONG)
        }
        _ => false,
    }
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    Listing::reader(input, hint)
}

pub(super) fn writer(layout: Layout) -> Box<dyn Writer> {
    Box::new(Bsd { lines: Vec::new(), style: layout.style, start: layout.case })
}

struct Bsd {
    lines: Vec<u8>,
    style: Style,
    start: Option<Arc<Start>>,
}

impl Writer for Bsd {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.start.as_deref().map_or(Ok(()), |start| write_comment(&About::Start(start.clone()), out))
    }

    fn conclude(&mut self, end: &End, out: &mut dyn Write) -> io::Result<()> {
        write_comment(&About::End(end.clone()), out)
    }

    fn record(&mut self, record: &Record, out: &mut dyn Write) -> io::Result<()> {
        if record.status != Status::Hashed {
            return Ok(());
        }
        check_sound(record)?;
        if record.piece.is_some() {
            return Err(cannot_carry("the bsd format has no pieces"));
        }
        without_likeness(record)?;
        self.lines.clear();
        for named in &record.digests {
            line(record, named, self.style, escapes(&record.path, named.algorithm), &mut self.lines);
        }
        out.write_all(&self.lines)
    }
}

/// Appends the line of a digest.
pub(super) fn line(record: &Record, named: &Named, style: Style, escaped: bool, lines: &mut Vec<u8>) {
    lines.extend_from_slice(if escaped { b"\\" } else { b"" });
    lines.extend_from_slice(named.algorithm.tag.as_bytes());
    lines.extend_from_slice(style::tag_suffix(style, named.algorithm).as_bytes());
    lines.extend_from_slice(b" (");
    if escaped {
        escape(&record.path, lines);
    } else {
        lines.extend_from_slice(&record.path);
    }
    lines.extend_from_slice(b") = ");
    style::write(style, named, lines);
    lines.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_name_in_a_table_is_no_tag() {
        assert!(sniff(b"MD5 (x) = d41d8cd98f00b204e9800998ecf8427e"));
        assert!(!sniff(b"\"MD5 (x) = \",sha256=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA,0"));
    }
}
