//! xz: streams of blocks, each with its filters and a check, and an index.

mod block;
mod chain;
mod check;
mod crc64;
mod index;
mod sha256;

use super::decode::Decode;
use super::packed::Packed;
use super::problems::trailing;
use crate::fields::u32_at;
use crate::{Limits, Problem};
use block::Block;
use check::CheckType;
use flate2::Crc;
use index::Records;

/// The bytes that a stream begins with.
const MAGIC: &[u8; 6] = b"\xFD7zXZ\0";

/// A decoder of xz.
pub(super) struct Xz {
    part: Part,
    limits: Limits,
    /// The check of the blocks of this stream.
    check: CheckType,
    /// The blocks of this stream.
    records: Records,
}

/// The part of the file that comes next.
enum Part {
    Block(Block),
    /// A header of a block, or the index.
    Header(Packed),
    /// The end of the file, or padding and another stream.
    Stream(Packed),
    /// Nothing, as an error came before.
    Lost,
}

impl Xz {
    /// Reads the headers of the first stream and its first block.
    pub(super) fn new(mut packed: Packed, limits: &Limits) -> Result<Xz, Problem> {
        let check = header(&mut packed)?;
        let mut decoder = Xz { part: Part::Header(packed), limits: *limits, check, records: Records::new() };
        decoder.advance()?;
        Ok(decoder)
    }

    /// Goes on where no content is. Returns whether anything follows.
    fn advance(&mut self) -> Result<bool, Problem> {
        self.part = match std::mem::replace(&mut self.part, Part::Lost) {
            Part::Block(block) => Part::Header(block.end(&mut self.records)?),
            Part::Header(mut packed) => match packed.byte()? {
                0 => {
                    let length = self.records.check_index(&mut packed)?;
                    footer(&mut packed, length, self.check)?;
                    Part::Stream(packed)
                }
                size => Part::Block(Block::begin(packed, size, self.check, &self.limits)?),
            },
            Part::Stream(mut packed) => {
                if !self.next_stream(&mut packed)? {
                    self.part = Part::Stream(packed);
                    return Ok(false);
                }
                Part::Header(packed)
            }
            Part::Lost => return Err(Problem::damaged("compressed bytes can't be read behind an error")),
        };
        Ok(true)
    }

    /// Passes over padding, and reads the header of the next stream. Returns whether there is one.
    fn next_stream(&mut self, packed: &mut Packed) -> Result<bool, Problem> {
        let zeros = packed.skip_zeros()?;
        let first = packed.peek(MAGIC.len())?;
        let is_magic = first.starts_with(MAGIC);
        if !first.is_empty() && !is_magic {
            return Err(if MAGIC.starts_with(first) { Problem::Truncated } else { trailing() });
        }
        if !zeros.is_multiple_of(4) {
            return Err(Problem::damaged("the padding of xz is no multiple of four bytes"));
        }
        if is_magic {
            self.check = header(packed)?;
            self.records = Records::new();
        }
        Ok(is_magic)
    }
}

impl Decode for Xz {
    fn decode(&mut self, buffer: &mut [u8]) -> Result<usize, Problem> {
        loop {
            if let Part::Block(block) = &mut self.part {
                let count = block.read(buffer)?;
                if count > 0 {
                    return Ok(count);
                }
            }
            if !self.advance()? {
                return Ok(0);
            }
        }
    }
}

/// Reads the header of a stream (section 2.1.1).
fn header(packed: &mut Packed) -> Result<CheckType, Problem> {
    let header: [u8; 12] = packed.array()?;
    if !header.starts_with(MAGIC) {
        return Err(Problem::damaged("no stream of xz begins there"));
    }
    let [.., zero, check, _, _, _, _] = header;
    if u32_at(&header, 8)? != crc32(&[zero, check]) {
        return Err(Problem::Checksum("a header of xz"));
    }
    if zero != 0 || check > 15 {
        return Err(Problem::Unsupported(format!("flags {zero:#04x} {check:#04x} of xz").into()));
    }
    CheckType::from_code(check)
}

/// Reads the footer of a stream (section 2.1.2), which repeats the length of the index and the check.
fn footer(packed: &mut Packed, length: u64, check: CheckType) -> Result<(), Problem> {
    let footer: [u8; 12] = packed.array()?;
    let (body, magic) = footer.split_at(10);
    if magic != b"YZ" {
        return Err(Problem::damaged("a stream of xz does not end as it should"));
    }
    if u32_at(body, 0)? != crc32(body.get(4..).unwrap_or_default()) {
        return Err(Problem::Checksum("a footer of xz"));
    }
    let is_same = body.get(8..) == Some(&[0, check.code()]);
    if !is_same || (u64::from(u32_at(body, 4)?) + 1) * 4 != length {
        return Err(Problem::damaged("a footer of xz is of another stream"));
    }
    Ok(())
}

/// Returns the CRC-32 of bytes.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}
