//! `sfv`: the name first, then one digest or more, in hexadecimal. SFV files hold a CRC-32 after a space;
//! `rhash` puts two spaces before each of several digests. Only read.

use super::lines::{LineReader, Parse, without_cr};
use super::listing::{Spacing, hashed, split};
use super::malformed::{Bad, Why};
use super::naming::{Naming, is_hex};
use super::sniff::is_comment;
use super::{Hint, Reader};
use crate::Record;
use hashloom_digest::{find, of_bits};
use std::io::Read;

pub(super) fn sniff(line: &[u8]) -> bool {
    let another = split(line, &mut Spacing::Unknown, None).is_some();
    !another && last_digest(line).is_some_and(|(_, digest)| is_digest(digest))
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    // Eight digits in this kind of file are CRC-32 by definition, not by a guess.
    let hint = match (hint, find("crc32")) {
        (Hint::None, Ok(crc32)) => Hint::Name(crc32),
        _ => hint,
    };
    Box::new(LineReader::new(input, Sfv { naming: Naming::new(hint) }))
}

struct Sfv {
    naming: Naming,
}

impl Parse for Sfv {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        (!is_comment(line)).then(|| self.record(line))
    }
}

impl Sfv {
    fn record(&mut self, line: &[u8]) -> Result<Record, Bad> {
        let (name, last) = last_digest(line).ok_or(Bad::new("line", Why::Unrecognised))?;
        let mut digests = vec![self.naming.untagged(last)?];
        let mut name = name;
        // Only two spaces divide digests from digests, and something must stay for the name.
        while let Some(before) = name.strip_suffix(b" ") {
            match last_digest(before) {
                Some((rest, digest)) if is_digest(digest) && !rest.trim_ascii().is_empty() => {
                    digests.insert(0, self.naming.untagged(digest)?);
                    name = rest;
                }
                _ => break,
            }
        }
        let name = name.trim_ascii_end();
        if name.is_empty() {
            return Err(Bad::new("name", Why::Missing));
        }
        Ok(hashed(name.into(), None, digests))
    }
}

/// The last word of a line, and what stands before the space in front of it.
fn last_digest(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_end();
    let space = memchr::memrchr2(b' ', b'\t', line)?;
    (space > 0).then(|| (&line[..space], &line[space + 1..]))
}

fn is_digest(text: &[u8]) -> bool {
    is_hex(text) && of_bits(4 * text.len() as u32).next().is_some()
}
