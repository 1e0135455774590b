//! The descriptors of block groups.
//!
//! Source: the kernel's documentation, `filesystems/ext4/group_descr.rst`.

use super::checksum::{crc16, crc32c};
use super::features::read_only;
use super::volume::Volume;
use crate::Problem;
use crate::fields::{le16, le32};

const INODES_UNSET: u16 = 1;
const BLOCKS_UNSET: u16 = 2;
const CHECKSUM_AT: usize = 0x1e;

/// The most groups whose descriptors are checked when a volume is opened: 128 TiB of usual ones.
const CHECKED: u64 = 1 << 20;

/// Where the metadata of a group lie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Descriptor {
    pub block_bitmap: u64,
    pub inode_bitmap: u64,
    pub inode_table: u64,
    /// Whether the block bitmap was never written: only metadata are in use.
    pub are_blocks_unset: bool,
    /// Whether the inode bitmap was never written: no inode is in use.
    pub are_inodes_unset: bool,
    /// The checksum of the block bitmap, and which of its bits there are.
    pub block_checksum: (u32, u32),
    /// Whether its own checksum is right and its places lie in the volume.
    is_intact: bool,
}

impl Volume {
    /// Reads the descriptor of a group; a copy of it if the first is damaged and a copy is not.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn descriptor(&self, group: u64) -> Result<Descriptor, Problem> {
        let mut positions = self.descriptor_positions(group);
        let position = positions.next().ok_or(Problem::Beyond)?;
        let first = self.descriptor_at(group, position);
        match first {
            Ok(found) if found.is_intact => Ok(found),
            first => {
                let mut copies = positions.filter_map(|position| self.descriptor_at(group, position).ok());
                match copies.find(|copy| copy.is_intact) {
                    // Copies are not kept up to date: the bitmaps may have been written since.
                    Some(copy) => Ok(Descriptor { are_blocks_unset: false, are_inodes_unset: false, ..copy }),
                    None => first,
                }
            }
        }
    }

    fn descriptor_at(&self, group: u64, position: u64) -> Result<Descriptor, Problem> {
        let mut bytes = vec![0; self.superblock.descriptor_size];
        self.medium.read_at(position, &mut bytes)?;
        self.parse(group, &bytes).ok_or_else(|| Problem::damaged("a group descriptor"))
    }

    fn parse(&self, group: u64, bytes: &[u8]) -> Option<Descriptor> {
        let is_wide = bytes.len() >= 64;
        let place = |low, high| {
            let high = if is_wide { u64::from(le32(bytes, high)?) << 32 } else { 0 };
            Some(high | u64::from(le32(bytes, low)?))
        };
        let places = [place(0, 0x20)?, place(4, 0x24)?, place(8, 0x28)?];
        let [block_bitmap, inode_bitmap, inode_table] = places;
        let has_flags = self.has_group_checksums();
        let flags = if has_flags { le16(bytes, 0x12)? } else { 0 };
        let high = if is_wide { u32::from(le16(bytes, 0x38)?) << 16 } else { 0 };
        let is_right = !has_flags || self.checksum(group, bytes)? == le16(bytes, CHECKSUM_AT)?;
        Some(Descriptor {
            block_bitmap,
            inode_bitmap,
            inode_table,
            are_blocks_unset: flags & BLOCKS_UNSET != 0,
            are_inodes_unset: flags & INODES_UNSET != 0,
            block_checksum: (high | u32::from(le16(bytes, 0x18)?), if is_wide { !0 } else { 0xffff }),
            is_intact: is_right && places.iter().all(|place| (1..self.superblock.blocks).contains(place)),
        })
    }

    fn has_group_checksums(&self) -> bool {
        self.superblock.features.has_read_only(read_only::GROUP_CHECKSUMS | read_only::CHECKSUMS)
    }

    fn checksum(&self, group: u64, bytes: &[u8]) -> Option<u16> {
        let number = (group as u32).to_le_bytes();
        let (before, after) = (bytes.get(..CHECKSUM_AT)?, bytes.get(CHECKSUM_AT + 2..)?);
        if self.superblock.features.has_read_only(read_only::CHECKSUMS) {
            let parts: [&[u8]; 4] = [&number, before, &[0, 0], after];
            return Some(parts.iter().fold(self.superblock.seed, |state, part| crc32c(state, part)) as u16);
        }
        let parts: [&[u8]; 4] = [&self.superblock.uuid, &number, before, after];
        Some(parts.iter().fold(0xffff, |state, part| crc16(state, part)))
    }

    /// Counts the descriptors that are damaged, and those of them that have no good copy.
    pub fn damaged_descriptors(&self) -> (u64, u64) {
        let mut damaged = (0, 0);
        for group in 0..self.groups().min(CHECKED) {
            let first = self.descriptor_positions(group).next();
            match first.map(|position| self.descriptor_at(group, position)) {
                Some(Ok(found)) if found.is_intact => {}
                _ => {
                    damaged.0 += 1;
                    damaged.1 += u64::from(!self.descriptor(group).is_ok_and(|found| found.is_intact));
                }
            }
        }
        damaged
    }
}
