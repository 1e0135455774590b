//! Checksums of the blocks that look-ups read. A block is verified when it is first used, so that opening an index costs
//! no reading of all of it, and no flipped byte changes an answer silently.
//!
//! The checksum is CRC-32C. A block has some hundred bytes, and for so few it finds any five flipped bits, any damage
//! within 32 neighbouring bits, and all but one of four billion other damages; the processor computes it faster than
//! memory gives the bytes. The number of the block and the checksum of the whole section are mixed in, so a block can't
//! stand for another one or for one of another index, not even together with its checksum. All this is against
//! accidents: who can write to the index can make its checksums right.

use crate::layout::{Section, word};
use hashloom_digest::crc32c;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Bytes of a checksum.
pub(crate) const CHECK: usize = 4;

/// A block does not match its checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mismatch;

/// The checksums of a section's blocks, and which blocks were found to match them.
#[derive(Debug)]
pub(crate) struct Checks {
    /// Where in the file the checksums lie.
    place: Range<usize>,
    mask: u32,
    verified: Box<[AtomicU64]>,
}

impl Checks {
    /// The checksums at this place, of the blocks of a section.
    pub fn new(place: Range<usize>, section: &Section) -> Self {
        let blocks = place.len() / CHECK;
        let verified = (0..blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Checks { place, mask: mask(section), verified }
    }

    /// Whether a block was verified before.
    #[inline]
    pub fn is_verified(&self, block: usize) -> bool {
        // The blocks themselves never change, so no other memory is ordered by these bits.
        self.verified[block / 64].load(Relaxed) >> (block % 64) & 1 == 1
    }

    /// Verifies a block, which lies at this place of the file, if it was not verified before.
    #[inline]
    pub fn verify(&self, file: &[u8], block: usize, bytes: Range<usize>) -> Result<(), Mismatch> {
        if self.is_verified(block) { Ok(()) } else { self.verify_again(file, block, bytes) }
    }

    /// Verifies a block.
    #[cold]
    pub fn verify_again(&self, file: &[u8], block: usize, bytes: Range<usize>) -> Result<(), Mismatch> {
        // A place outside the file comes of fences that changed after they were checked.
        let bytes = file.get(bytes).ok_or(Mismatch)?;
        if bound(crc32c(bytes), block, self.mask) != word(file, self.at(block)) {
            return Err(Mismatch);
        }
        self.verified[block / 64].fetch_or(1 << (block % 64), Relaxed);
        Ok(())
    }

    /// Bytes of all checksums.
    pub fn bytes(&self) -> usize {
        self.place.len()
    }

    /// Where in the file the checksum of a block lies.
    #[inline]
    pub fn at(&self, block: usize) -> usize {
        self.place.start + CHECK * block
    }
}

/// The stored checksum of a block, from its CRC-32C: different for each place and each section.
fn bound(crc: u32, block: usize, mask: u32) -> u32 {
    crc ^ block as u32 ^ mask
}

/// The number that ties checksums to the content of a section.
fn mask(section: &Section) -> u32 {
    word(&section.sum, 0)
}

/// The stored checksums of all blocks of a section, from their CRC-32Cs in order.
pub(crate) fn encode<'a>(crcs: &'a [u32], section: &Section) -> impl Iterator<Item = [u8; CHECK]> + use<'a> {
    let mask = mask(section);
    crcs.iter().enumerate().map(move |(block, crc)| bound(*crc, block, mask).to_le_bytes())
}
