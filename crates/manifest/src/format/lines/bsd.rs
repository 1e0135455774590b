//! `bsd`: `ALGORITHM (name) = digest`, as written by BSD, `sha256sum --tag`, `openssl dgst`, `rhash --bsd` and `xxhsum
//! --tag`. A record takes a line for each algorithm.

use super::listing::Listing;
use super::sums::{LineStyle, list_writer};
use crate::format::read::list_line::{Line, Spacing, escape_mark, split};
use crate::format::values::naming::{is_hex, is_tag};
use crate::format::values::style;
use crate::format::{Hint, Layout, Reader, Writer};
use crate::path::escape;
use crate::{Named, Record};
use hashmill_digest::Style;
use std::io::Read;

/// The minimum number of digits of a digest behind an unknown tag.
const LONG: usize = 16;

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
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

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    Listing::reader(input, hint)
}

pub(in crate::format) fn writer(layout: Layout) -> Box<dyn Writer> {
    list_writer(layout, LineStyle::Tagged)
}

/// Appends the line of a digest.
pub(in crate::format) fn line(
    record: &Record,
    named: &Named,
    style: Style,
    escaped: bool,
    lines: &mut Vec<u8>,
) {
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
