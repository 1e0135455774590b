//! `clamav`: ClamAV's signatures of whole files (`.hdb`, `.hsb`, `.fp`, `.sfp`): digest, size, name of the malware. A
//! size of `*` matches any size. Only read.
//!
//! Source: ClamAV's documentation, "File hash signatures".

use crate::Record;
use crate::format::malformed::{Bad, Why};
use crate::format::read::line_reader::{LineReader, Parse};
use crate::format::read::text::{is_comment, without_cr};
use crate::format::values::naming::{Naming, is_hex, number};
use crate::format::{Hint, Reader};
use std::io::Read;

pub(in crate::format) fn sniff(line: &[u8]) -> bool {
    let mut parts = line.split(|byte| *byte == b':');
    let digest = parts.next().is_some_and(|text| matches!(text.len(), 32 | 40 | 64) && is_hex(text));
    let size = parts.next().is_some_and(|text| text == b"*" || number(text).is_some());
    digest && size && parts.next().is_some_and(|name| !name.is_empty())
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, hint: Hint) -> Box<dyn Reader + 'a> {
    Box::new(LineReader::new(input, Signatures { naming: Naming::new(hint) }))
}

struct Signatures {
    naming: Naming,
}

impl Parse for Signatures {
    fn line(&mut self, line: &[u8]) -> Option<Result<Record, Bad>> {
        let line = without_cr(line);
        (!is_comment(line)).then(|| self.record(line))
    }
}

impl Signatures {
    fn record(&mut self, line: &[u8]) -> Result<Record, Bad> {
        let mut parts = line.split(|byte| *byte == b':');
        let digest = parts.next().unwrap_or_default();
        let size = match parts.next().ok_or(Bad::new("size", Why::Missing))? {
            b"*" => None,
            size => Some(number(size).ok_or(Bad::new("size", Why::Number))?),
        };
        let name = parts.next().filter(|name| !name.is_empty()).ok_or(Bad::new("name", Why::Missing))?;
        let tag: &[u8] = match digest.len() {
            32 => b"MD5",
            40 => b"SHA1",
            64 => b"SHA256",
            digits => return Err(Bad::new("digest", Why::NoAlgorithm { digits })),
        };
        Ok(Record::hashed(name.into(), size, vec![self.naming.tagged(tag, digest)?]))
    }
}
