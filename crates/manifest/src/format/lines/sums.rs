//! `sums`: a digest, two spaces and a name per line, as written by coreutils and b3sum; `checksum size name` for
//! decimal checksums (POSIX cksum). A record takes a line for each algorithm.

use super::bsd;
use super::listing::Listing;
use crate::case::line::write_comment;
use crate::case::{About, End, Start};
use crate::format::read::list_line::{Line, Spacing, digests_alone, escape_mark, split};
use crate::format::values::naming::{is_hex, of_base32, of_base64, write_digest, write_number};
use crate::format::writer::{cannot_carry, check_sound, without_facts, without_likeness};
use crate::format::{Hint, Layout, Reader, Writer};
use crate::path::{escape, escapes};
use crate::{Named, Record, Status};
use hashmill_digest::{Style, Text};
use std::io::{self, Read, Write};
use std::sync::Arc;

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    let (_, line) = escape_mark(line);
    // Other texts contain `ERROR  …`, too; rclone aligns it with the end of digests.
    let of_rclone = || !line.starts_with(b"ERROR") && super::rclone::without_digest(line, None).is_some();
    if super::links::is_link(line) || of_rclone() {
        return true;
    }
    match split(line, &mut Spacing::Unknown, None) {
        Some(Line::Untagged { digest, name }) => {
            let digits = digest.strip_prefix(b"XXH3_").unwrap_or(digest);
            let shaped = is_hex(digits) || of_base32(digits).is_some() || of_base64(digits).is_some();
            // Settings may have a digest as their key, behind one blank.
            let is_setting = !line.trim_ascii_start()[digest.len()..].starts_with(b"  ")
                && (name.starts_with(b"= ") || name.starts_with(b": "));
            shaped && !name.is_empty() && !is_setting && digests_alone(line).is_none()
        }
        Some(Line::Tagged { .. }) | None => false,
        Some(Line::Sized { .. } | Line::Cksum { .. }) => true,
    }
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    Listing::reader(input, hint)
}

pub(in crate::format) fn writer(layout: Layout) -> Box<dyn Writer> {
    list_writer(layout, LineStyle::Plain)
}

/// The style of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::format) enum LineStyle {
    /// Those of `sums`.
    Plain,
    /// Those of `bsd`, with the name of the algorithm.
    Tagged,
}

/// Creates a writer of `sums` or `bsd`.
pub(in crate::format) fn list_writer(layout: Layout, lines: LineStyle) -> Box<dyn Writer> {
    let tagged = lines == LineStyle::Tagged;
    Box::new(ListWriter { tagged, lines: Vec::new(), style: layout.style, start: layout.case })
}

struct ListWriter {
    tagged: bool,
    lines: Vec<u8>,
    style: Style,
    start: Option<Arc<Start>>,
}

impl Writer for ListWriter {
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
            let no_pieces =
                if self.tagged { "the bsd format has no pieces" } else { "the sums format has no pieces" };
            return Err(cannot_carry(no_pieces));
        }
        without_likeness(record)?;
        without_facts(record)?;
        self.lines.clear();
        for named in &record.digests {
            self.line(record, named)?;
        }
        out.write_all(&self.lines)
    }
}

/// XXH3 has the length of an XXH64, so it is never written without its name: xxhsum writes and reads it in the form of
/// `bsd`. Digests of blocks and those that are not hexadecimal are written in that form, too.
const XXH3: &str = "xxh3";

impl ListWriter {
    fn line(&mut self, record: &Record, named: &Named) -> io::Result<()> {
        let escaped = escapes(&record.path, named.algorithm);
        let alone = self.style == Style::Usual && named.algorithm.stands_alone();
        if self.tagged || named.algorithm.name == XXH3 || !alone {
            bsd::line(record, named, self.style, escaped, &mut self.lines);
            return Ok(());
        }
        if escaped {
            self.lines.push(b'\\');
        }
        write_digest(named, &mut self.lines);
        match named.algorithm.text {
            Text::Decimal => {
                let size = record.size.ok_or(cannot_carry("a cksum line needs the size"))?;
                self.lines.push(b' ');
                write_number(size, &mut self.lines);
                self.lines.push(b' ');
            }
            _ => self.lines.extend_from_slice(b"  "),
        }
        if escaped {
            escape(&record.path, &mut self.lines);
        } else {
            self.lines.extend_from_slice(&record.path);
        }
        self.lines.push(b'\n');
        Ok(())
    }
}
