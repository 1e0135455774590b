//! EnCase's hash sets (`.hash`): a header, then MD5 digests in binary. Only read.
//!
//! The layout, from published descriptions: the signature; a version and a reserved word of four bytes each; the number
//! of entries at offset 16, least significant byte first; entries from offset 1152, each a digest of 16 bytes and two
//! zero bytes. Entries have no names.

use crate::format::read::lines::read;

use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::{Hint, Reader};
use crate::{Named, Record};
use hashmill_digest::{Digest, find};
use std::io::{self, BufReader, Read};

const SIGNATURE: &[u8] = b"HASH\x0d\x0a\xff\x00";
const HEADER: usize = 1152;
const ENTRY: usize = 18;

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    first.starts_with(SIGNATURE)
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    Box::new(Encase { input: Box::new(BufReader::new(input)), stage: Stage::Header, found: 0, expected: 0 })
}

struct Encase<'a> {
    input: Box<dyn Read + 'a>,
    stage: Stage,
    found: u64,
    expected: u64,
}

#[derive(PartialEq, Eq)]
enum Stage {
    Header,
    Entries,
    Ended,
}

impl Iterator for Encase<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.stage == Stage::Header {
            self.stage = Stage::Entries;
            if let Err(bad) = self.header() {
                return Some(Err(self.end(bad)));
            }
        }
        if self.stage == Stage::Ended {
            return None;
        }
        self.entry().map_err(|bad| self.end(bad)).transpose()
    }
}

impl Reader for Encase<'_> {}

impl Encase<'_> {
    fn end(&mut self, bad: Bad) -> Malformed {
        self.stage = Stage::Ended;
        bad.at(self.found + 1)
    }

    fn header(&mut self) -> Result<(), Bad> {
        let mut header = [0; HEADER];
        let whole = fill(&mut *self.input, &mut header)? == HEADER;
        if !whole || !sniff(&header) {
            return Err(Bad::new("header", Why::Truncated));
        }
        let count = [header[16], header[17], header[18], header[19]];
        self.expected = u64::from(u32::from_le_bytes(count));
        Ok(())
    }

    fn entry(&mut self) -> Result<Option<Record>, Bad> {
        let mut entry = [0; ENTRY];
        match fill(&mut *self.input, &mut entry)? {
            ENTRY => {}
            0 if self.found == self.expected => {
                self.stage = Stage::Ended;
                return Ok(None);
            }
            0 => {
                return Err(Bad::new("entries", Why::Count { found: self.found, expected: self.expected }));
            }
            _ => return Err(Bad::new("entry", Why::Truncated)),
        }
        let algorithm = find("md5").map_err(|unknown| Bad::new("digest", Why::Unknown(unknown)))?;
        self.found += 1;
        let named = Named { algorithm, digest: Digest::new(&entry[..16]), guessed: false };
        Ok(Some(Record::hashed(Box::default(), None, vec![named])))
    }
}

/// Fills the buffer unless the input ends; returns the number of bytes.
pub(in crate::format) fn fill(input: &mut dyn Read, buffer: &mut [u8]) -> Result<usize, Bad> {
    let failed = |source: io::Error| Bad::new("file", Why::Io(source));
    let mut filled = 0;
    while filled < buffer.len() {
        match read(input, &mut buffer[filled..]).map_err(failed)? {
            0 => break,
            more => filled += more,
        }
    }
    Ok(filled)
}
