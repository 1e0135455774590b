//! The reference counts of clusters: a table with the places of blocks, which have a count for each cluster.

use super::header::{Header, OFFSET};
use crate::disks::blocks::Source;
use std::io;
use std::ops::Range;

/// Reads reference counts.
pub(super) struct References<'a> {
    pub(super) header: &'a Header,
    pub(super) source: Source<'a>,
}

impl References<'_> {
    /// Returns the number of clusters that a block is for.
    pub(super) fn per_block(&self) -> u64 {
        self.header.cluster_size() * 8 / self.header.reference_bits()
    }

    /// Returns the number of entries of the table.
    pub(super) fn blocks(&self) -> u64 {
        u64::from(self.header.references_clusters) * (self.header.cluster_size() / 8)
    }

    /// Returns the offset of a block; 0 if there is none, and all its counts are 0.
    pub(super) fn block(&self, index: u64) -> io::Result<u64> {
        if index >= self.blocks() {
            return Ok(0);
        }
        let at = self.header.references_offset.saturating_add(index * 8);
        Ok(self.source.entry_be64(0, at)? & OFFSET)
    }

    /// Returns the count of a cluster.
    pub(super) fn count(&self, cluster: u64) -> io::Result<u64> {
        match self.block(cluster / self.per_block())? {
            0 => Ok(0),
            block => {
                let index = cluster % self.per_block();
                Ok(self.counts(block, index..index + 1)?.first().copied().unwrap_or(0))
            }
        }
    }

    /// Returns the counts in a range of a block.
    pub(super) fn counts(&self, block: u64, range: Range<u64>) -> io::Result<Vec<u64>> {
        let bits = self.header.reference_bits();
        let (first, last) = (range.start * bits / 8, (range.end * bits).div_ceil(8));
        let mut bytes = vec![0; (last - first) as usize];
        self.source.table(0, block.saturating_add(first), &mut bytes)?;
        Ok(range.map(|index| count_in(&bytes, index * bits - first * 8, bits)).collect())
    }
}

/// Returns the count at a bit. Counts of less than a byte begin at the lowest bit, longer ones are big-endian.
fn count_in(bytes: &[u8], bit: u64, bits: u64) -> u64 {
    let at = (bit / 8) as usize;
    if bits < 8 {
        let byte = bytes.get(at).copied().unwrap_or(0);
        return u64::from(byte >> (bit % 8)) & ((1 << bits) - 1);
    }
    let bytes = bytes.get(at..at + (bits / 8) as usize).unwrap_or_default();
    bytes.iter().fold(0, |count, byte| count << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_every_width_are_read() {
        let bytes = [0b1011_0010, 1, 2, 3, 4, 5, 6, 7];
        assert_eq!(count_in(&bytes, 1, 1), 1);
        assert_eq!(count_in(&bytes, 2, 2), 0);
        assert_eq!(count_in(&bytes, 4, 4), 0b1011);
        assert_eq!(count_in(&bytes, 8, 8), 1);
        assert_eq!(count_in(&bytes, 16, 16), 0x203);
        assert_eq!(count_in(&bytes, 0, 64), 0xb201_0203_0405_0607);
    }
}
