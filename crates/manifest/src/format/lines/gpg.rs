//! `gpg`: digests as `gpg --print-md` and `--print-mds` write them, beside releases of Apache: `NAME: ` or `NAME: ALGORITHM
//! = `, and hexadecimal digits in groups of two, four or eight. Lines of more than 79 columns are broken between groups,
//! and after a long name. Only read.
//!
//! Source: GnuPG's `g10/gpg.c`, `print_hex`.

use super::alone::{FEWEST_DIGITS, groups};
use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::list_line::{is_digest, is_prose};
use crate::format::read::text::{is_comment, without_cr};
use crate::format::values::naming::{Naming, is_tag};
use crate::format::{Hint, Reader};
use hashmill_digest::MAX_BYTES;
use std::io::Read;

/// More bytes than gpg writes behind a name.
const LONGEST_REST: usize = 256;

/// Returns whether a file begins with the digest of a file in groups.
pub(in crate::format) fn starts(first: &[u8]) -> bool {
    let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first);
    let lines = text.split(|byte| *byte == b'\n').map(without_cr);
    // A name may begin as a comment does.
    let is_comment = |line: &&[u8]| is_comment(line) && Print::begin(line).is_none();
    let mut lines = lines.skip_while(is_comment);
    let Some(mut print) = lines.next().and_then(Print::begin) else { return false };
    while lines.next().is_some_and(|line| print.takes(line)) {}
    print.digits.len() >= FEWEST_DIGITS && is_digest(&print.digits)
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Output { naming: Naming::new(hint), print: None, closed: false }))
}

/// A digest of a file, as far as it was read.
struct Print {
    name: Vec<u8>,
    tag: Option<Vec<u8>>,
    digits: Vec<u8>,
}

impl Print {
    /// Parses the first line of a digest. The name may have any text in it, so the last possible mark counts.
    fn begin(line: &[u8]) -> Option<Print> {
        let text = line.trim_ascii_end();
        let whole = |at: usize| {
            let (tag, digits) = values(&text[at + 1..])?;
            Some(Print { name: text[..at].to_vec(), tag: tag.map(<[u8]>::to_vec), digits })
        };
        let marked = |at: &usize| *at > 0 && matches!(text.get(at + 1), None | Some(b' '));
        let marks = memchr::memchr_iter(b':', text).rev().take_while(|at| text.len() - at < LONGEST_REST);
        marks.filter(marked).find_map(whole)
    }

    /// Adds the groups of another line, or the algorithm below a long name; returns whether it was one of this digest.
    fn takes(&mut self, line: &[u8]) -> bool {
        match values(line) {
            Some((None, digits)) if !digits.is_empty() && self.digits.len() <= 2 * MAX_BYTES => {
                self.digits.extend_from_slice(&digits);
            }
            Some((Some(tag), digits)) if self.digits.is_empty() && self.tag.is_none() => {
                (self.tag, self.digits) = (Some(tag.to_vec()), digits);
            }
            _ => return false,
        }
        true
    }
}

/// Parses `ALGORITHM = GROUPS`, `GROUPS`, or nothing.
fn values(text: &[u8]) -> Option<(Option<&[u8]>, Vec<u8>)> {
    let text = text.trim_ascii();
    if text.is_empty() {
        return Some((None, Vec::new()));
    }
    let (tag, text) = match memchr::memmem::find(text, b" = ") {
        Some(at) => (Some(text[..at].trim_ascii()), &text[at + 3..]),
        None => (None, text),
    };
    let fits = tag.is_none_or(is_tag) && !text.iter().any(u8::is_ascii_lowercase);
    groups(text).filter(|_| fits).map(|digits| (tag, digits))
}

struct Output {
    naming: Naming,
    print: Option<Print>,
    /// A line below the digest is not of it, so that no later one is.
    closed: bool,
}

impl Parse for Output {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        let is_open = !self.closed;
        if self.print.as_mut().is_some_and(|print| is_open && print.takes(line)) {
            return None;
        }
        if let Some(print) = Print::begin(line) {
            let before = self.end();
            (self.print, self.closed) = (Some(print), false);
            return before;
        }
        self.closed = true;
        if is_comment(line) {
            return None;
        }
        let why = if is_prose(line) { Why::Prose } else { Why::Unrecognised };
        Some(Err(Bad::new("line", why)))
    }

    fn end(&mut self) -> Option<Result<Record, Bad>> {
        let Print { name, tag, digits } = self.print.take()?;
        let named = match tag {
            _ if digits.is_empty() => Err(Bad::new("digest", Why::Missing)),
            Some(tag) => self.naming.tagged(&tag, &digits),
            None => self.naming.untagged(&digits),
        };
        let named = named.map_err(|bad| bad.with_file(&name));
        Some(named.map(|named| Record::hashed(name.into(), None, vec![named])))
    }
}
