//! The bitmaps of blocks and inodes.
//!
//! Source: the kernel's documentation, `filesystems/ext4/bitmaps.rst`.

use super::checksum::crc32c;
use super::features::read_only;
use super::groups::Descriptor;
use super::volume::Volume;
use crate::Problem;
use std::ops::Range;

/// Returns whether a bit is set; those beyond the end are.
pub(super) fn is_set(bits: &[u8], index: u64) -> bool {
    let byte = usize::try_from(index / 8).ok().and_then(|at| bits.get(at));
    byte.is_none_or(|byte| byte >> (index % 8) & 1 == 1)
}

fn set(bits: &mut [u8], index: u64) {
    if let Some(byte) = usize::try_from(index / 8).ok().and_then(|at| bits.get_mut(at)) {
        *byte |= 1 << (index % 8);
    }
}

/// Returns whether no bit of a range is set.
fn are_clear(bits: &[u8], range: Range<u64>) -> bool {
    let mut index = range.start;
    while index < range.end {
        let is_whole = index.is_multiple_of(8) && range.end - index >= 8;
        let byte = usize::try_from(index / 8).ok().and_then(|at| bits.get(at));
        if is_whole && byte == Some(&0) {
            index += 8;
        } else if is_set(bits, index) {
            return false;
        } else {
            index += 1;
        }
    }
    true
}

impl Volume {
    /// Reads which clusters of a group are in use, and whether the checksum of that is right.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn block_bits(&self, group: u64, descriptor: &Descriptor) -> Result<(Vec<u8>, bool), Problem> {
        if descriptor.are_blocks_unset {
            return Ok((self.unset_bits(group, descriptor), true));
        }
        let bits = self.block(descriptor.block_bitmap)?;
        let is_right = !self.superblock.features.has_read_only(read_only::CHECKSUMS) || {
            let length = (self.superblock.blocks_per_group / self.superblock.cluster / 8) as usize;
            let (stated, mask) = descriptor.block_checksum;
            bits.get(..length).is_some_and(|bits| (crc32c(self.superblock.seed, bits) ^ stated) & mask == 0)
        };
        Ok((bits, is_right))
    }

    /// Returns the bits of a group in which nothing but its own metadata is in use.
    fn unset_bits(&self, group: u64, descriptor: &Descriptor) -> Vec<u8> {
        let (start, length) = (self.superblock.group_start(group), self.superblock.group_length(group));
        let table = (u64::from(self.superblock.inodes_per_group) * self.superblock.inode_size as u64)
            .div_ceil(self.superblock.block_size);
        let places = [
            start..start + self.leading_blocks(group),
            descriptor.block_bitmap..descriptor.block_bitmap.saturating_add(1),
            descriptor.inode_bitmap..descriptor.inode_bitmap.saturating_add(1),
            descriptor.inode_table..descriptor.inode_table.saturating_add(table),
        ];
        let mut bits = vec![0; self.superblock.block_size as usize];
        let cluster = self.superblock.cluster;
        for Range { start: from, end } in places {
            let (from, end) = (from.max(start), end.min(start + length));
            if from < end {
                ((from - start) / cluster..=(end - 1 - start) / cluster)
                    .for_each(|index| set(&mut bits, index));
            }
        }
        bits
    }

    /// Returns the number of blocks at the start of a group that its superblock and descriptors take.
    fn leading_blocks(&self, group: u64) -> u64 {
        let per_block = self.descriptors_per_block();
        let has_copy = self.superblock.has_copy(group);
        let number = group / per_block;
        if self.is_meta(number) {
            let has_descriptors = matches!(group % per_block, 0 | 1) || group % per_block == per_block - 1;
            return u64::from(has_copy) + u64::from(has_descriptors);
        }
        if !has_copy {
            return 0;
        }
        let all = self.superblock.groups().div_ceil(per_block);
        let blocks = if self.is_meta(all) { all.min(self.superblock.first_meta) } else { all };
        (1 + blocks + self.superblock.reserved_descriptors).min(self.superblock.group_length(group))
    }

    /// Reads which inodes of a group are in use.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn inode_bits(&self, descriptor: &Descriptor) -> Result<Vec<u8>, Problem> {
        if descriptor.are_inodes_unset {
            return Ok(vec![0; self.superblock.block_size as usize]);
        }
        self.block(descriptor.inode_bitmap)
    }

    /// Returns whether an inode is in use; it is if that can't be read.
    pub fn is_used(&self, inode: u32) -> bool {
        let index = inode.saturating_sub(1);
        let group = u64::from(index / self.superblock.inodes_per_group);
        let bits = self.descriptor(group).and_then(|descriptor| self.inode_bits(&descriptor));
        bits.map_or(true, |bits| is_set(&bits, (index % self.superblock.inodes_per_group).into()))
    }

    /// Returns whether none of these blocks is in use.
    ///
    /// # Errors
    /// If a bitmap can't be read.
    pub fn are_free(&self, blocks: Range<u64>) -> Result<bool, Problem> {
        let mut block = blocks.start;
        while block < blocks.end {
            let Some(offset) = block.checked_sub(self.superblock.first_block) else { return Ok(false) };
            let group = offset / self.superblock.blocks_per_group;
            let start = self.superblock.group_start(group);
            let end = blocks.end.min(start.saturating_add(self.superblock.group_length(group)));
            if end <= block {
                return Err(Problem::Beyond);
            }
            let (bits, _) = self.block_bits(group, &self.descriptor(group)?)?;
            let cluster = self.superblock.cluster;
            if !are_clear(&bits, (block - start) / cluster..(end - 1 - start) / cluster + 1) {
                return Ok(false);
            }
            block = end;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_clear_if_none_of_its_bits_is_set() {
        let bits = [0, 0b0001_0000, 0, 0, 0b1000_0000];
        for start in 0..=48 {
            for end in start..=48 {
                let expected = !(start..end).any(|index| is_set(&bits, index));
                assert_eq!(are_clear(&bits, start..end), expected, "{start}..{end}");
            }
        }
        assert!(is_set(&bits, 12) && is_set(&bits, 39) && is_set(&bits, 40) && !is_set(&bits, 38));
    }
}
