//! Streams of xz within a limit of memory (The .xz File Format 1.2.1).

use super::part::Part;
use crate::{Limits, Problem};
use lzma_rust2::{XzReader, lzma2_get_memory_usage};
use std::io::{BufRead, BufReader, Read};

/// The length of the header of a stream, after which the first block begins (2.1.1).
const HEADER: usize = 12;

/// The filter with a dictionary (5.3.1).
const LZMA2: u64 = 0x21;

/// Opens a stream whose dictionary is within the limit.
pub(super) fn decoder(mut part: BufReader<Part>, limits: &Limits) -> Result<Box<dyn Read + Send>, Problem> {
    let kibibytes = u32::try_from(limits.memory / 1024).unwrap_or(u32::MAX - 1);
    let dictionary = part.fill_buf().ok().and_then(dictionary);
    if let Some(needed) = dictionary.map(lzma2_get_memory_usage).filter(|needed| *needed > kibibytes) {
        return Err(Problem::Memory(u64::from(needed) * 1024));
    }
    Ok(Box::new(XzReader::new_mem_limit(part, true, kibibytes)))
}

/// Returns the size of the dictionary of the first block (3.1); none if it has none, or its header is not there.
fn dictionary(stream: &[u8]) -> Option<u32> {
    let (length, block) = stream.get(HEADER..)?.split_first()?;
    let (flags, mut fields) = block.get(..usize::from(*length) * 4)?.split_first()?;
    let sizes = (flags >> 6).count_ones();
    (0..sizes).try_for_each(|_| number(&mut fields).map(drop))?;
    for _ in 0..=flags & 3 {
        let filter = number(&mut fields)?;
        let length = usize::try_from(number(&mut fields)?).ok()?;
        let (properties, rest) = fields.split_at_checked(length)?;
        fields = rest;
        if filter == LZMA2 {
            let bits = u32::from(*properties.first()?);
            return Some(if bits >= 40 { u32::MAX } else { (2 | bits & 1) << (bits / 2 + 11) });
        }
    }
    None
}

/// Takes a number of 7 bits a byte (1.2).
fn number(fields: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = fields.split_first()?;
        *fields = rest;
        number |= u64::from(byte & 127) << shift;
        if *byte < 128 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_are_known_before_memory_is_taken() {
        let block = |block: &[u8]| dictionary(&[&[0; HEADER], block].concat());
        // By `xz -9`, and by `xz --x86 --lzma2=dict=3MiB`, as far as the padding.
        assert_eq!(block(b"\x02\0\x21\x01\x1c\0\0\0\x10\xcf\x58\xcc"), Some(64 << 20));
        assert_eq!(block(b"\x02\x01\x04\0\x21\x01\x13\0\x48\x72\x42\x62"), Some(3 << 20));
        assert_eq!(block(b"\x03\xc0\x85\x01\x07\x21\x01\x28\0\0\0\0\0\0\0\0"), Some(u32::MAX));
        let damaged: [&[u8]; 5] =
            [b"", b"\0\0", b"\x02\0\x21", b"\x02\0\x21\0\0\0\0\0\0", b"\x02\0\x21\xff\xff\xff\xff\xff\xff"];
        for damaged in damaged {
            assert_eq!(block(damaged), None);
        }
    }
}
