//! Where the content of an inode lies: the tree of its extents, or of its pointers.

use super::volume::Volume;
use crate::{ByteRuns, Problem};
use std::collections::HashSet;

/// The most blocks that the tree of one file may have; pointers to 4 TiB in blocks of 4 KiB take as many.
const MOST_BLOCKS: usize = 1 << 20;

/// Where the content of an inode lies.
#[derive(Debug, Default)]
pub(super) struct Mapping {
    pub runs: ByteRuns,
    /// The blocks of the tree that tells it.
    pub blocks: HashSet<u64>,
}

impl Mapping {
    /// Reads a block of the tree, once.
    ///
    /// # Errors
    /// If it was read before, or can't be.
    pub fn block(&mut self, volume: &Volume, number: u64) -> Result<Vec<u8>, Problem> {
        if !self.blocks.insert(number) {
            return Err(Problem::Loop);
        }
        if self.blocks.len() > MOST_BLOCKS {
            return Err(Problem::TooMany("pieces of the file"));
        }
        volume.block(number)
    }

    /// Adds blocks of the file that lie together; none for a hole.
    ///
    /// # Errors
    /// If they lie beyond the end.
    pub fn push(&mut self, volume: &Volume, block: Option<u64>, count: u64) -> Result<(), Problem> {
        let size = volume.superblock.block_size;
        let place = block.map(|block| block.checked_mul(size).ok_or(Problem::Beyond)).transpose()?;
        let length = count.checked_mul(size).ok_or(Problem::Beyond)?;
        self.runs.push(place, length, volume.superblock.size())
    }

    /// Makes a hole of the rest of a file of this size.
    ///
    /// # Errors
    /// If there are too many pieces.
    pub fn end(&mut self, size: u64) -> Result<(), Problem> {
        self.runs.push(None, size.saturating_sub(self.runs.length()), size)
    }
}
