//! Checksums of the blocks that lookups read. A block is verified when it is first used, so that opening an index does
//! not read all of it, and no flipped byte changes an answer silently.
//!
//! The checksum is CRC-32C. A block has some hundred bytes; at this length, it detects any five flipped bits, any
//! damage within 32 adjacent bits, and all but one in four billion other errors. The processor computes it faster than
//! memory delivers the bytes. The number of the block and the checksum of the whole section are mixed in, so a block
//! can't replace another one or one of another index, not even together with its checksum. All this protects against
//! accidents: an attacker who can write to the index can also fix its checksums.

use crate::layout::{Section, word};
use hashmill_digest::crc32c;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

pub(crate) const CHECK: usize = 4;

/// The error of a block that does not match its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mismatch;

/// The checksums of a section's blocks, and which blocks were verified.
#[derive(Debug)]
pub(crate) struct Checks {
    /// The position of the checksums in the file.
    place: Range<usize>,
    mask: u32,
    verified: Box<[AtomicU64]>,
}

impl Checks {
    /// Uses the checksums at this position, for the blocks of a section.
    pub fn new(place: Range<usize>, section: &Section) -> Self {
        let blocks = place.len() / CHECK;
        let verified = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Checks { place, mask: mask(section), verified }
    }

    /// Returns whether a block was verified before.
    #[inline]
    pub fn is_verified(&self, block: usize) -> bool {
        // The blocks never change, so these bits order no other memory.
        self.verified[block / 64].load(Relaxed) >> (block % 64) & 1 == 1
    }

    /// Verifies a block at this position of the file, unless it was verified before.
    #[inline]
    pub fn verify(&self, file: &[u8], block: usize, bytes: Range<usize>) -> Result<(), Mismatch> {
        if self.is_verified(block) { Ok(()) } else { self.verify_again(file, block, bytes) }
    }

    /// Verifies a block, even if it was verified before.
    #[cold]
    pub fn verify_again(&self, file: &[u8], block: usize, bytes: Range<usize>) -> Result<(), Mismatch> {
        // A position outside the file means that the fences changed after they were checked.
        let bytes = file.get(bytes).ok_or(Mismatch)?;
        if bound(crc32c(bytes), block, self.mask) != word(file, self.at(block)) {
            return Err(Mismatch);
        }
        self.verified[block / 64].fetch_or(1 << (block % 64), Relaxed);
        Ok(())
    }

    /// Returns the size of all checksums in bytes.
    pub fn bytes(&self) -> usize {
        self.place.len()
    }

    /// Returns the position of a block's checksum in the file.
    #[inline]
    pub fn at(&self, block: usize) -> usize {
        self.place.start + CHECK * block
    }
}

/// Returns the stored checksum of a block from its CRC-32C: different for each position and section.
fn bound(crc: u32, block: usize, mask: u32) -> u32 {
    crc ^ block as u32 ^ mask
}

/// Returns the number that binds checksums to the content of a section.
fn mask(section: &Section) -> u32 {
    word(&section.sum, 0)
}

/// Returns the stored checksums of all blocks of a section, from their CRC-32Cs in order.
pub(crate) fn encode<'a>(crcs: &'a [u32], section: &Section) -> impl Iterator<Item = [u8; CHECK]> + use<'a> {
    let mask = mask(section);
    crcs.iter().enumerate().map(move |(block, crc)| bound(*crc, block, mask).to_le_bytes())
}
