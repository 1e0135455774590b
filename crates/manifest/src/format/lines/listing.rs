//! Lists of digests and names: the reader of `sums` and `bsd`.

use super::links;
use super::rclone;
use crate::case::line::CasePlace;
use crate::format::malformed::{Bad, Why};
use crate::format::read::content::content;
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::lines::peek;
use crate::format::read::list_line::{
    Line, Spacing, escape_mark, hides_digests, hides_line, is_prose, is_zero, line_name, says_nothing, split,
    usual_spacing,
};
use crate::format::read::text::{is_comment, is_dos, without_cr};
use crate::format::reader::Reader;
use crate::format::values::hint::Hint;
use crate::format::values::naming::{Naming, named, number};
use crate::{Named, Record};
use hashmill_digest::{Algorithm, Text, find};
use std::io::Read;

/// Reads the lines of a list.
pub(crate) struct Listing {
    naming: Naming,
    /// Lines end with a NUL (`sha256sum -z`): names are not escaped, and a carriage return is part of the name.
    zero: bool,
    /// A carriage return at the end of a line is part of the line end.
    dos: bool,
    forced: Option<&'static Algorithm>,
    cksum: Option<&'static Algorithm>,
    spacing: Spacing,
    /// Names of all first lines begin with another digest, so that they may be columns of a table.
    is_table: bool,
    /// The length of the last digest that was followed by two blanks.
    width: Option<usize>,
}

impl Listing {
    pub fn new(hint: Hint) -> Self {
        let forced = match hint {
            Hint::Forced(algorithm) => Some(algorithm),
            _ => None,
        };
        let naming = Naming::new(hint);
        Listing {
            naming,
            zero: false,
            dos: true,
            forced,
            cksum: find("cksum").ok(),
            spacing: Spacing::Unknown,
            is_table: false,
            width: None,
        }
    }

    /// Creates a reader of a list with any line terminator.
    pub fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
        let (first, input) = peek(input);
        let mut listing = Listing { zero: is_zero(&first), dos: is_dos(&first), ..Listing::new(hint) };
        listing.spacing = usual_spacing(content(&first), listing.decimal());
        let hides = |line: &[u8]| {
            let parts = split(line, &mut Spacing::Unknown, listing.decimal());
            parts.is_some_and(|parts| hides_digests(line, &parts))
        };
        listing.is_table = content(&first).nth(1).is_some() && content(&first).all(hides);
        listing.width = content(&first).find_map(|line| listing.width_of(line));
        if listing.zero {
            Box::new(LineReader::zero(input, listing))
        } else {
            Box::new(LineReader::new(input, listing))
        }
    }

    /// Returns whether digests are decimal, if that is known.
    fn decimal(&self) -> Option<bool> {
        self.forced.map(|algorithm| algorithm.text == Text::Decimal)
    }

    /// Returns the length of the digest in a line that has two blanks after it.
    fn width_of(&self, line: &[u8]) -> Option<usize> {
        let is_two = self.spacing == Spacing::Two;
        match split(line, &mut Spacing::Two, self.decimal()).filter(|_| is_two && !line.starts_with(b" "))? {
            Line::Untagged { digest, .. } => Some(digest.len()),
            _ => None,
        }
    }

    fn record(&mut self, line: &[u8]) -> Result<Record, Bad> {
        if links::is_link(line) {
            return links::read(line);
        }
        if let Some(record) = rclone::without_digest(line, self.width) {
            return Ok(record);
        }
        let (escaped, line) = if self.zero { (false, line) } else { escape_mark(line) };
        let why = || if is_prose(line) { Why::Prose } else { Why::Unrecognised };
        let decimal = self.decimal();
        let parts = split(line, &mut self.spacing, decimal).ok_or_else(|| Bad::new("line", why()))?;
        if says_nothing(line, &parts) && is_prose(line) {
            return Err(Bad::new("line", Why::Prose));
        }
        if hides_line(line) {
            return Err(Bad::new("line", Why::Alike));
        }
        if !self.zero && line.ends_with(&[0]) {
            return Err(Bad::new("name", Why::Unrecognised));
        }
        let is_named = matches!(parts, Line::Untagged { digest, .. } if self.naming.names(digest.len()));
        if (self.is_table || !is_named) && hides_digests(line, &parts) {
            return Err(Bad::new("digest", Why::Alike));
        }
        if let Line::Untagged { digest, .. } = parts {
            self.width = (self.spacing == Spacing::Two).then_some(digest.len());
        }
        let name = parts.name();
        let named = self.name_digest(parts);
        let path = line_name(name, escaped)?;
        let (named, size) = named.map_err(|bad| bad.with_file(&path))?;
        Ok(Record::hashed(path, size, vec![named]))
    }

    fn name_digest(&mut self, line: Line<'_>) -> Result<(Named, Option<u64>), Bad> {
        Ok(match line {
            Line::Untagged { digest, .. } => (self.naming.untagged(digest)?, None),
            Line::Tagged { tag: b"SIZE", digest, .. } if number(digest).is_some() => {
                return Err(Bad::new("line", Why::Prose));
            }
            Line::Tagged { tag, digest, .. } => (self.naming.tagged(tag, digest)?, None),
            Line::Sized { size, digest, .. } => (self.naming.untagged(digest)?, Some(size)),
            Line::Cksum { value, size, .. } => {
                let algorithm = self.forced.or(self.cksum).ok_or(Bad::new("line", Why::Unrecognised))?;
                (named(algorithm, value)?, Some(size))
            }
        })
    }
}

impl Parse for Listing {
    const CASE: CasePlace = CasePlace::Comments;

    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = if self.zero || !self.dos { line } else { without_cr(line) };
        if is_comment(line) {
            self.naming.comment(line);
            return None;
        }
        Some(self.record(line))
    }
}
