//! An open volume: its medium, its superblock, and where its descriptors lie.

use super::features::incompatible;
use super::superblock::{self, Superblock};
use crate::{Medium, Problem};
use std::sync::Arc;

/// A medium with the superblock that was found on it.
#[derive(Debug)]
pub(super) struct Volume {
    pub medium: Arc<dyn Medium>,
    pub superblock: Superblock,
    /// Whether the superblock is a copy, as the first is damaged.
    pub is_copy: bool,
}

impl Volume {
    /// Finds the superblock, or a copy of it if the first is damaged.
    ///
    /// # Errors
    /// If there is none whose numbers fit together.
    pub fn find(medium: Arc<dyn Medium>) -> Result<Volume, Problem> {
        let first = read(&*medium, superblock::SIZE as u64);
        if let Ok(superblock) = &first
            && superblock.is_intact
        {
            return Ok(Volume { medium, superblock: superblock.clone(), is_copy: false });
        }
        match (copy(&*medium), first) {
            (Some(superblock), _) => Ok(Volume { medium, superblock, is_copy: true }),
            // Of the first, only the checksum is wrong.
            (None, Ok(superblock)) => Ok(Volume { medium, superblock, is_copy: false }),
            (None, Err(problem)) => Err(problem),
        }
    }

    /// Reads a block.
    ///
    /// # Errors
    /// If it lies beyond the end, or the medium can't be read there.
    pub fn block(&self, number: u64) -> Result<Vec<u8>, Problem> {
        if number >= self.superblock.blocks {
            return Err(Problem::Beyond);
        }
        let mut bytes = vec![0; self.superblock.block_size as usize];
        self.medium.read_at(number.saturating_mul(self.superblock.block_size), &mut bytes)?;
        Ok(bytes)
    }

    /// Returns the number of groups that begin before the medium ends.
    pub fn groups(&self) -> u64 {
        let blocks = self.medium.size().div_ceil(self.superblock.block_size);
        let within = blocks.saturating_sub(self.superblock.first_block);
        self.superblock.groups().min(within.div_ceil(self.superblock.blocks_per_group))
    }

    /// Returns the number of 512 byte sectors in a cluster.
    pub fn cluster_sectors(&self) -> u64 {
        self.superblock.cluster.saturating_mul(self.superblock.block_size / 512)
    }

    /// Returns the number of descriptors in a block.
    pub fn descriptors_per_block(&self) -> u64 {
        self.superblock.block_size / self.superblock.descriptor_size as u64
    }

    /// Returns the positions of a group's descriptor: the first, then its copies.
    pub fn descriptor_positions(&self, group: u64) -> impl Iterator<Item = u64> + '_ {
        let per_block = self.descriptors_per_block();
        let size = self.superblock.descriptor_size as u64;
        let (number, within) = (group / per_block, group % per_block * size);
        let copies = self.superblock.copies().map(Some);
        let blocks = std::iter::once(None).chain(copies).filter_map(move |copy| {
            if self.is_meta(number) {
                self.meta_block(number, copy)
            } else {
                Some(self.table_block(number, copy))
            }
        });
        blocks.map(move |block| block.saturating_mul(self.superblock.block_size).saturating_add(within))
    }

    /// Returns whether a block of descriptors lies among its groups.
    pub fn is_meta(&self, number: u64) -> bool {
        self.superblock.features.has_incompatible(incompatible::META_GROUPS)
            && number >= self.superblock.first_meta
    }

    /// Returns the block of descriptors behind the superblock, or behind the copy in a group.
    fn table_block(&self, number: u64, copy: Option<u64>) -> u64 {
        let superblock = match copy {
            // The first superblock lies at 1,024 bytes, whatever the first block of the first group is.
            None => superblock::SIZE as u64 / self.superblock.block_size,
            Some(group) => self.superblock.group_start(group),
        };
        superblock.saturating_add(number).saturating_add(1)
    }

    /// Returns the block of descriptors in the first of its groups; the copies are in the second and the last.
    fn meta_block(&self, number: u64, copy: Option<u64>) -> Option<u64> {
        let per_block = self.descriptors_per_block();
        let first = number.saturating_mul(per_block);
        let group = match copy {
            None => first,
            Some(1) => first.saturating_add(1),
            Some(_) => first.saturating_add(per_block - 1),
        };
        if group >= self.superblock.groups() {
            return None;
        }
        // With clusters, the first block of 1 KiB has no superblock in it, but is counted.
        let is_pushed = group == 0 && self.superblock.block_size == 1024 && self.superblock.first_block == 0;
        let before = u64::from(self.superblock.has_copy(group)) + u64::from(is_pushed);
        Some(self.superblock.group_start(group).saturating_add(before))
    }
}

/// Reads a superblock at a position.
pub(super) fn read(medium: &dyn Medium, position: u64) -> Result<Superblock, Problem> {
    let mut bytes = [0; superblock::SIZE];
    medium.read_at(position, &mut bytes)?;
    Superblock::parse(&bytes)
}

/// Returns whether there is something that says it is the first superblock.
pub(super) fn has_magic(medium: &dyn Medium) -> bool {
    let mut bytes = [0; superblock::SIZE];
    medium.read_at(superblock::SIZE as u64, &mut bytes).is_ok() && superblock::has_magic(&bytes)
}

/// Finds a copy of the superblock where a file system of full groups has one: in the groups 1, 3, 5, 7, 9 and 25, for
/// each size of blocks, with single blocks and with the usual clusters of 16.
pub(super) fn copy(medium: &dyn Medium) -> Option<Superblock> {
    let sizes = (0..=6).map(|log| 1024_u64 << log);
    let groups = sizes.flat_map(|block| [1, 3, 5, 7, 9, 25].map(|group| (block, group)));
    groups.flat_map(|(block, group)| [1, 16].map(|cluster| (block, group, cluster))).find_map(
        |(block, group, cluster)| {
            let first = u64::from(block == 1024 && cluster == 1);
            let position = (block * 8 * cluster * group + first) * block;
            read(medium, position).ok().filter(|found| {
                found.is_intact
                    && found.block_size == block
                    && u64::from(found.group) == group
                    && found.group_start(group).saturating_mul(block) == position
            })
        },
    )
}
