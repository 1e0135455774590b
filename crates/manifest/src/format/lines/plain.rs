//! `plain`: a digest alone on a line, or several of different lengths, or one with white space and a name after it; the
//! simplest file of known digests, or the digest of one download ([`super::alone`]). Only read.

use super::alone;
use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::lines::peek;
use crate::format::read::list_line::{digests_alone, hides_line, is_digest};
use crate::format::read::text::is_comment;
use crate::format::read::text::without_cr;
use crate::format::values::naming::{Naming, is_hex};
use crate::format::{Hint, Reader};
use std::io::Read;

/// Returns whether a file holds nothing but one digest.
pub(in crate::format) fn starts(first: &[u8]) -> bool {
    alone::digest(first).is_some()
}

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    is_hex(line.trim_ascii()) || digests_alone(line).is_some()
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    let (first, input) = peek(input);
    let only = alone::digest(&first).map(|(tag, digest)| (tag.map(<[u8]>::to_vec), digest));
    Box::new(LineReader::new(input, Plain { naming: Naming::new(hint), only }))
}

struct Plain {
    naming: Naming,
    /// The digest in a file with nothing else, and its algorithm if it is named. It may take several lines.
    only: Option<(Option<Vec<u8>>, Vec<u8>)>,
}

impl Parse for Plain {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line).trim_ascii_start();
        if is_comment(line) {
            self.naming.comment(line);
            return None;
        }
        if self.only.is_some() { None } else { Some(self.record(line)) }
    }

    fn end(&mut self) -> Option<Result<Record, Bad>> {
        let (tag, digest) = self.only.take()?;
        let named = match tag {
            Some(tag) => self.naming.tagged(&tag, &digest),
            None => self.naming.untagged(&digest),
        };
        Some(named.map(|named| Record::hashed(Box::default(), None, vec![named])))
    }
}

impl Plain {
    fn record(&mut self, line: &[u8]) -> Result<Record, Bad> {
        if let Some(digests) = digests_alone(line) {
            let digests: Result<_, Bad> =
                digests.into_iter().map(|digest| self.naming.untagged(digest)).collect();
            return digests.map(|digests| Record::hashed(Box::default(), None, digests));
        }
        if hides_line(line) {
            return Err(Bad::new("line", Why::Alike));
        }
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (digest, name) = line.split_at(end);
        let name = name.trim_ascii_start();
        let named = self.naming.untagged(digest).map_err(|bad| bad.with_file(name))?;
        let next = name.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        // This may be the name or another digest.
        if next.len() != digest.len() && is_digest(next) {
            return Err(Bad::new("digest", Why::Alike));
        }
        Ok(Record::hashed(name.into(), None, vec![named]))
    }
}
