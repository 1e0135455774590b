//! `sums`: a digest, two spaces and a name a line, as coreutils and b3sum write them; `checksum size name`
//! for checksums that are written in decimal (POSIX cksum). A record takes a line for each algorithm.

use super::lines::LineReader;
use super::listing::{Line, Listing, Spacing, split};
use super::naming::{is_hex, write_digest, write_number};
use super::{Foreign, Hint, Layout, Reader, Writer, cannot_carry, check_sound, without_likeness};
use crate::case::line::write_comment;
use crate::case::{About, End, Start};
use crate::path::{escape, needs_escape};
use crate::{Named, Record, Status};
use hashloom_digest::Text;
use std::io::{self, Read, Write};
use std::sync::Arc;

pub(super) fn sniff(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    if super::links::is_link(line) {
        return true;
    }
    match split(line, &mut Spacing::Unknown, None) {
        Some(Line::Untagged { digest, name }) => {
            let digits = digest.strip_prefix(b"XXH3_").unwrap_or(digest);
            (is_hex(digits) || Foreign::of_base32(digits).is_some()) && !name.is_empty()
        }
        Some(Line::Tagged { .. }) | None => false,
        Some(Line::Sized { .. } | Line::Cksum { .. }) => true,
    }
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Listing::new(hint)))
}

pub(super) fn writer(layout: Layout) -> Box<dyn Writer> {
    Box::new(Sums { lines: Vec::new(), start: layout.case })
}

struct Sums {
    lines: Vec<u8>,
    start: Option<Arc<Start>>,
}

impl Writer for Sums {
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
            return Err(cannot_carry("the sums format has no pieces"));
        }
        without_likeness(record)?;
        self.lines.clear();
        for named in &record.digests {
            self.line(record, named)?;
        }
        out.write_all(&self.lines)
    }
}

impl Sums {
    fn line(&mut self, record: &Record, named: &Named) -> io::Result<()> {
        let escaped = needs_escape(&record.path);
        if escaped {
            self.lines.push(b'\\');
        }
        write_digest(named, &mut self.lines);
        match named.algorithm.text {
            Text::Hex => self.lines.extend_from_slice(b"  "),
            Text::Decimal => {
                let size = record.size.ok_or(cannot_carry("a cksum line needs the size"))?;
                self.lines.push(b' ');
                write_number(size, &mut self.lines);
                self.lines.push(b' ');
            }
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
