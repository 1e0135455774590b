//! `par2`: recovery files of PAR 1 (`.par`, `.p01`) and PAR 2 (`.par2`), which have length and MD5 of each file. The data
//! for recovery are skipped. Only read.
//!
//! PAR 2 is a sequence of packets, each with an MD5 of its own; those about files are in every volume, some of them
//! several times. PAR 1 has one list of files, and an MD5 of all behind offset 32.
//!
//! Source: Parity Volume Set Specification 1.0 and 2.0.

use super::encase::fill;
use crate::format::malformed::{Bad, Malformed, Why};
use crate::format::read::lines::MAX_LINE;
use crate::format::{Hint, Reader};
use crate::{Named, Record};
use hashmill_digest::{Algorithm, Digest, MessageHasher, find, hash};
use std::collections::HashSet;
use std::io::{BufReader, Read};

const PAR1: &[u8] = b"PAR\0\0\0\0\0";
const PAR2: &[u8] = b"PAR2\0PKT";
const DESCRIPTION: &[u8] = b"PAR 2.0\0FileDesc";
const MAIN: &[u8] = b"PAR 2.0\0Main\0\0\0\0";

/// The length of the header of a packet, and that of the file of PAR 1.
const PACKET: usize = 64;
const HEADER: usize = 96;
/// The maximum length of a packet about files, and of the list of files of PAR 1.
const MAX_PACKET: u64 = 16 * MAX_LINE as u64;

pub(in crate::format) fn sniff(first: &[u8]) -> bool {
    first.starts_with(PAR2) || first.starts_with(PAR1)
}

pub(in crate::format) fn reader<'a>(input: Box<dyn Read + 'a>, _: Hint) -> Box<dyn Reader + 'a> {
    let input = BufReader::new(input);
    Box::new(Par { input, ready: Vec::new(), seen: HashSet::new(), number: 0, expected: None, ended: false })
}

struct Par<'a> {
    input: BufReader<Box<dyn Read + 'a>>,
    /// Records that were read, the last one first.
    ready: Vec<Record>,
    /// The files that were met, by their numbers.
    seen: HashSet<Vec<u8>>,
    /// The current packet, from 1.
    number: u64,
    /// The number of files.
    expected: Option<u64>,
    ended: bool,
}

impl Iterator for Par<'_> {
    type Item = Result<Record, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.ended {
            self.number += 1;
            if let Err(bad) = self.packet() {
                self.ended = true;
                return Some(Err(bad.at(self.number)));
            }
        }
        self.ready.pop().map(Ok)
    }
}

impl Reader for Par<'_> {}

impl Par<'_> {
    fn packet(&mut self) -> Result<(), Bad> {
        let mut header = [0; PACKET];
        match fill(&mut self.input, &mut header)? {
            0 => return self.end(),
            PACKET if header.starts_with(PAR2) => {}
            PACKET if header.starts_with(PAR1) && self.number == 1 => return self.first_version(&header),
            PACKET => return Err(damaged("a packet begins in another way")),
            _ => return Err(Bad::new("packet", Why::Truncated)),
        }
        let length = number(&header[8..16]).checked_sub(PACKET as u64);
        let length = length.ok_or_else(|| damaged("a packet is shorter than its header"))?;
        let (kind, md5) = (&header[48..64], &header[16..32]);
        if kind != DESCRIPTION && kind != MAIN {
            return self.skip(length);
        }
        let body = self.take(length)?;
        if hash(algorithm()?, &[&header[32..], &body].concat()).as_bytes() != md5 {
            return Err(damaged("a packet has another MD5 than it says"));
        }
        if kind == MAIN { self.main(&body) } else { self.file(&body) }
    }

    /// Reads the number of files: their numbers follow the length of blocks and the number of files that can be repaired.
    fn main(&mut self, body: &[u8]) -> Result<(), Bad> {
        let numbers = body.len().checked_sub(12).ok_or_else(|| damaged("the main packet is too short"))?;
        self.expected = Some(numbers as u64 / 16);
        Ok(())
    }

    /// Reads number, MD5, MD5 of the first 16 KiB, length and name of a file.
    fn file(&mut self, body: &[u8]) -> Result<(), Bad> {
        let (facts, name) = body.split_at_checked(56).ok_or_else(|| damaged("a file has no name"))?;
        if self.seen.insert(facts[..16].to_vec()) {
            let end = name.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            self.ready.push(record(name[..end].into(), number(&facts[48..56]), &facts[16..32])?);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Bad> {
        self.ended = true;
        let (found, expected) = (self.seen.len() as u64, self.expected);
        match expected.ok_or(Bad::new("main packet", Why::Missing))? {
            expected if expected == found => Ok(()),
            expected => Err(Bad::new("files", Why::Count { found, expected })),
        }
    }

    fn take(&mut self, length: u64) -> Result<Vec<u8>, Bad> {
        if length > MAX_PACKET {
            return Err(Bad::new("packet", Why::TooLong(MAX_PACKET as usize)));
        }
        let mut bytes = vec![0; length as usize];
        let whole = fill(&mut self.input, &mut bytes)? == bytes.len();
        if whole { Ok(bytes) } else { Err(Bad::new("packet", Why::Truncated)) }
    }

    fn skip(&mut self, length: u64) -> Result<(), Bad> {
        let skipped = std::io::copy(&mut self.input.by_ref().take(length), &mut std::io::sink());
        match skipped.map_err(|source| Bad::new("file", Why::Io(source)))? {
            skipped if skipped == length => Ok(()),
            _ => Err(Bad::new("packet", Why::Truncated)),
        }
    }

    /// Reads a file of PAR 1 to its end.
    fn first_version(&mut self, start: &[u8]) -> Result<(), Bad> {
        self.ended = true;
        let rest = self.take((HEADER - PACKET) as u64)?;
        let header = [start, &rest].concat();
        let (files, offset, size) =
            (number(&header[56..64]), number(&header[64..72]), number(&header[72..80]));
        if offset != HEADER as u64 {
            return Err(damaged("the list of files is not behind the header"));
        }
        let list = self.take(size)?;
        let mut hasher = MessageHasher::new(algorithm()?);
        hasher.update(&header[32..]);
        hasher.update(&list);
        let mut buffer = vec![0; 64 << 10];
        loop {
            match fill(&mut self.input, &mut buffer)? {
                0 => break,
                length => hasher.update(&buffer[..length]),
            }
        }
        if hasher.finish().as_bytes() != &header[16..32] {
            return Err(damaged("the file has another MD5 than it says"));
        }
        self.ready = entries(&list)?;
        self.ready.reverse();
        let found = self.ready.len() as u64;
        let all = Why::Count { found, expected: files };
        if found == files { Ok(()) } else { Err(Bad::new("files", all)) }
    }
}

/// Reads the entries of PAR 1: their length, a status, and length, MD5, MD5 of the first 16 KiB and name of a file.
fn entries(mut list: &[u8]) -> Result<Vec<Record>, Bad> {
    let mut records = Vec::new();
    while !list.is_empty() {
        let length = list.get(..8).map_or(0, number);
        let length = usize::try_from(length).ok().filter(|length| (56..=list.len()).contains(length));
        let (entry, rest) = list.split_at(length.ok_or_else(|| damaged("an entry has no possible length"))?);
        let units = entry[56..].chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
        let name: Result<String, _> = char::decode_utf16(units).collect();
        let name = name.map_err(|_| damaged("a name is not UTF-16"))?;
        let name = name.trim_end_matches('\0').as_bytes().into();
        records.push(record(name, number(&entry[16..24]), &entry[24..40])?);
        list = rest;
    }
    Ok(records)
}

fn record(name: Box<[u8]>, size: u64, md5: &[u8]) -> Result<Record, Bad> {
    if name.is_empty() {
        return Err(Bad::new("name", Why::Missing));
    }
    let named = Named { algorithm: algorithm()?, digest: Digest::new(md5), guessed: false };
    Ok(Record::hashed(name, Some(size), vec![named]))
}

fn algorithm() -> Result<&'static Algorithm, Bad> {
    find("md5").map_err(|unknown| Bad::new("digest", Why::Unknown(unknown)))
}

/// Reads eight bytes, the least significant first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn damaged(what: &'static str) -> Bad {
    Bad::new("file", Why::Damaged(what.into()))
}
