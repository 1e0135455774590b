//! `plain`: a digest alone on a line, or several of different lengths, or one with white space and a name after it; the
//! simplest file of known digests. Only read.

use super::line_reader::{LineReader, Parse};
use super::list_line::{digests_alone, hides_line, is_digest};
use super::malformed::{Bad, Why};
use super::naming::{Naming, is_hex};
use super::text::is_comment;
use super::text::without_cr;
use super::{Hint, Reader};
use crate::Record;
use std::io::Read;

pub(super) fn sniff(line: &[u8]) -> bool {
    is_hex(line.trim_ascii()) || digests_alone(line).is_some()
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
            self.naming.comment(line);
            return None;
        }
        Some(self.record(line))
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
