//! The index (section 4): the sizes of all blocks again.

use crate::Problem;
use crate::compression::packed::Packed;
use hashmill_digest::{Crc32, MessageHasher};

/// The sizes of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockSizes {
    /// Its bytes without padding.
    pub(super) packed: u64,
    /// The bytes of its content.
    pub(super) size: u64,
}

/// The sizes of blocks, of which only a digest is kept: a file may have any number of them.
pub(super) struct Records {
    count: u64,
    digest: MessageHasher,
}

impl Records {
    /// Creates an empty list.
    pub(super) fn new() -> Records {
        Records { count: 0, digest: MessageHasher::sha256() }
    }

    /// Adds a block.
    pub(super) fn add(&mut self, sizes: BlockSizes) {
        self.count = self.count.saturating_add(1);
        self.digest.update(&sizes.packed.to_le_bytes());
        self.digest.update(&sizes.size.to_le_bytes());
    }

    /// Reads the index, behind the zero that it begins with, and compares it with the blocks that there were.
    /// Returns its length.
    pub(super) fn check_index(&mut self, packed: &mut Packed) -> Result<u64, Problem> {
        let blocks = std::mem::replace(self, Records::new());
        let mut index = IndexBytes { packed, crc: Crc32::new(), length: 1 };
        index.crc.update(&[0]);
        let count = index.number()?;
        if count != blocks.count {
            return Err(Problem::damaged("the index of xz has another number of blocks"));
        }
        for _ in 0..count {
            let (packed, size) = (index.number()?, index.number()?);
            self.add(BlockSizes { packed, size });
        }
        while !index.length.is_multiple_of(4) {
            if index.byte()? != 0 {
                return Err(Problem::damaged("the padding of the index of xz is not zero"));
            }
        }
        if u32::from_le_bytes(index.packed.array()?) != index.crc.sum() {
            return Err(Problem::Checksum("the index of xz"));
        }
        let length = index.length.saturating_add(4);
        let listed = std::mem::replace(self, Records::new());
        if listed.digest.finish() != blocks.digest.finish() {
            return Err(Problem::damaged("the index of xz has blocks of other sizes"));
        }
        Ok(length)
    }
}

/// The bytes of an index, which are counted and checked.
struct IndexBytes<'a> {
    packed: &'a mut Packed,
    crc: Crc32,
    length: u64,
}

impl IndexBytes<'_> {
    /// Takes a byte.
    fn byte(&mut self) -> Result<u8, Problem> {
        let byte = self.packed.byte()?;
        self.crc.update(&[byte]);
        self.length = self.length.saturating_add(1);
        Ok(byte)
    }

    /// Takes a number.
    fn number(&mut self) -> Result<u64, Problem> {
        number(|| self.byte())
    }
}

/// Reads a number of 63 bits at most, seven in a byte, the lowest first (section 1.2).
pub(super) fn number(mut byte: impl FnMut() -> Result<u8, Problem>) -> Result<u64, Problem> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let byte = byte()?;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            // A zero at the end would make it longer than it need be.
            let is_shortest = byte != 0 || shift == 0;
            return if is_shortest {
                Ok(value)
            } else {
                Err(Problem::damaged("a number of xz has zeros in front"))
            };
        }
    }
    Err(Problem::damaged("a number of xz is too long"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<u64, Problem> {
        let mut bytes = bytes.iter();
        number(|| bytes.next().copied().ok_or(Problem::Truncated))
    }

    #[test]
    fn numbers_have_one_form() {
        assert_eq!(read(&[0]).unwrap(), 0);
        assert_eq!(read(&[0x7F]).unwrap(), 127);
        assert_eq!(read(&[0x80, 1]).unwrap(), 128);
        assert_eq!(read(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]).unwrap(), u64::MAX >> 1);
        for wrong in [&[0x80, 0][..], &[0x80], &[0xFF; 10]] {
            assert!(read(wrong).is_err(), "{wrong:?}");
        }
    }
}
