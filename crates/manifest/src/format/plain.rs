//! `plain`: a digest alone on a line, or with white space and a name behind it; the simplest file of known
//! digests. Only read.

use super::lines::{LineReader, Parse, without_cr};
use super::listing::hashed;
use super::malformed::Bad;
use super::naming::{Naming, is_hex};
use super::sniff::is_comment;
use super::{Hint, Reader};
use crate::Record;
use std::io::Read;

pub(super) fn sniff(line: &[u8]) -> bool {
    is_hex(line.trim_ascii())
}

pub(super) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Plain { naming: Naming::new(hint) }))
}

struct Plain {
    naming: Naming,
}

impl Parse for Plain {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line).trim_ascii_start();
        if is_comment(line) {
            return None;
        }
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (digest, name) = line.split_at(end);
        let named = self.naming.untagged(digest);
        let name = name.trim_ascii_start();
        Some(named.map(|named| hashed(name.into(), None, vec![named])).map_err(|bad| bad.of(name)))
    }
}
