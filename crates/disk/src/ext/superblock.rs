//! The superblock: the geometry of a file system.
//!
//! Source: the kernel's documentation, `filesystems/ext4/super.rst`.

use super::checksum::crc32c;
use super::features::{Features, compatible, incompatible, read_only};
use crate::fields::{array, le16, le32};
use crate::{FileSystemKind, Problem};

/// The size of a superblock in bytes, and the position of the first.
pub(super) const SIZE: usize = 1024;

const MAGIC: u16 = 0xef53;
const LARGEST_BLOCK: u32 = 6;
const CRC32C: u8 = 1;

/// The inodes that are named by a superblock: where, and the names that they are told by.
const SPECIAL: [(usize, &str); 5] = [
    (0xe0, "$Journal"),
    (0x240, "$UserQuota"),
    (0x244, "$GroupQuota"),
    (0x26c, "$ProjectQuota"),
    (0x280, "$OrphanList"),
];

/// The number of the root directory.
pub(super) const ROOT_INODE: u32 = 2;

/// The geometry of a file system.
#[derive(Debug, Clone)]
pub(super) struct Superblock {
    pub features: Features,
    /// The size of a block in bytes: 1 to 64 KiB.
    pub block_size: u64,
    /// The number of blocks in a cluster, which is a bit of a block bitmap; 1 without `bigalloc`.
    pub cluster: u64,
    /// The number of blocks.
    pub blocks: u64,
    /// The first block of the first group.
    pub first_block: u64,
    pub blocks_per_group: u64,
    pub inodes: u32,
    pub inodes_per_group: u32,
    /// The size of an inode in bytes: at least 128.
    pub inode_size: usize,
    /// The number of the first inode that is not reserved.
    pub first_inode: u32,
    /// The size of a group descriptor in bytes: 32, or at least 64.
    pub descriptor_size: usize,
    /// The number of the first block of descriptors that lies among its groups (`meta_bg`).
    pub first_meta: u64,
    /// The number of blocks that are reserved for more descriptors.
    pub reserved_descriptors: u64,
    /// The groups with copies, with `sparse_super2`.
    copies: [u32; 2],
    /// The group that this superblock says it is in.
    pub group: u16,
    pub uuid: [u8; 16],
    pub label: [u8; 16],
    /// The start of all checksums of metadata.
    pub seed: u32,
    pub state: u16,
    pub last_orphan: u32,
    /// The inodes of [`SPECIAL`]; 0 for those that there are none of.
    special: [u32; SPECIAL.len()],
    /// Whether its checksum is right, or it has none.
    pub is_intact: bool,
}

impl Superblock {
    /// Reads a superblock and checks that its numbers fit together.
    ///
    /// # Errors
    /// If it is none, or its numbers make no sense.
    pub fn parse(bytes: &[u8]) -> Result<Superblock, Problem> {
        if !has_magic(bytes) {
            return Err(Problem::damaged("there is no superblock"));
        }
        let superblock = Superblock::fields(bytes).ok_or_else(|| Problem::damaged("the superblock"))?;
        superblock.check().map_err(|what| Problem::damaged(format!("the superblock: {what}")))?;
        Ok(superblock)
    }

    fn fields(bytes: &[u8]) -> Option<Superblock> {
        let features = Features::parse(bytes)?;
        let is_wide = features.has_incompatible(incompatible::WIDE);
        let has_clusters = features.has_read_only(read_only::CLUSTERS);
        let is_first_revision = le32(bytes, 0x4c)? == 0;
        let block_size = 1024_u64 << le32(bytes, 0x18).filter(|log| *log <= LARGEST_BLOCK)?;
        let cluster_size = 1024_u64.checked_shl(le32(bytes, 0x1c)?)?;
        let high = if is_wide { u64::from(le32(bytes, 0x150)?) << 32 } else { 0 };
        let uuid = array(bytes, 0x68)?;
        let special = SPECIAL.map(|(at, _)| le32(bytes, at).unwrap_or(0));
        Some(Superblock {
            block_size,
            cluster: if has_clusters { cluster_size / block_size } else { 1 },
            blocks: high | u64::from(le32(bytes, 4)?),
            first_block: le32(bytes, 0x14)?.into(),
            blocks_per_group: le32(bytes, 0x20)?.into(),
            inodes: le32(bytes, 0)?,
            inodes_per_group: le32(bytes, 0x28)?,
            inode_size: if is_first_revision { 128 } else { le16(bytes, 0x58)?.into() },
            first_inode: if is_first_revision { 11 } else { le32(bytes, 0x54)? },
            descriptor_size: if is_wide { le16(bytes, 0xfe)?.into() } else { 32 },
            first_meta: le32(bytes, 0x104)?.into(),
            reserved_descriptors: le16(bytes, 0xce)?.into(),
            copies: [le32(bytes, 0x24c)?, le32(bytes, 0x250)?],
            group: le16(bytes, 0x5a)?,
            uuid,
            label: array(bytes, 0x78)?,
            seed: if features.has_incompatible(incompatible::CHECKSUM_SEED) {
                le32(bytes, 0x270)?
            } else {
                crc32c(!0, &uuid)
            },
            state: le16(bytes, 0x3a)?,
            last_orphan: le32(bytes, 0xe8)?,
            special,
            is_intact: !features.has_read_only(read_only::CHECKSUMS) || has_right_checksum(bytes)?,
            features,
        })
    }

    /// Checks that the numbers are in their bounds, which are those of the kernel.
    fn check(&self) -> Result<(), &'static str> {
        let bits = self.block_size * 8;
        let is_right = |right, what| if right { Ok(()) } else { Err(what) };
        is_right(self.cluster.is_power_of_two(), "the size of a cluster")?;
        is_right(self.blocks > self.first_block, "the number of blocks")?;
        is_right(self.blocks.checked_mul(self.block_size).is_some(), "the number of blocks")?;
        let clusters = self.blocks_per_group / self.cluster;
        let is_whole = self.blocks_per_group.is_multiple_of(self.cluster);
        is_right(is_whole && (1..=bits).contains(&clusters), "the size of a group")?;
        let inode = self.inode_size as u64;
        is_right(self.inode_size.is_power_of_two() && inode >= 128, "the size of an inode")?;
        is_right(inode <= self.block_size, "the size of an inode")?;
        let inodes = u64::from(self.inodes_per_group);
        is_right((self.block_size / inode..=bits).contains(&inodes), "the inodes of a group")?;
        let all = self.groups().checked_mul(inodes);
        is_right(all == Some(self.inodes.into()), "the number of inodes")?;
        let descriptor = self.descriptor_size;
        let is_wide = self.features.has_incompatible(incompatible::WIDE);
        is_right(descriptor >= if is_wide { 64 } else { 32 }, "the size of a descriptor")?;
        is_right(descriptor.is_power_of_two() && descriptor <= 1024, "the size of a descriptor")
    }

    /// Returns the kind, as the programs that made it would call it.
    pub fn kind(&self) -> FileSystemKind {
        match self.features {
            features if !features.is_old() => FileSystemKind::Ext4,
            features if features.has_compatible(compatible::HAS_JOURNAL) => FileSystemKind::Ext3,
            _ => FileSystemKind::Ext2,
        }
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.blocks.saturating_mul(self.block_size)
    }

    /// Returns the number of groups.
    pub fn groups(&self) -> u64 {
        self.blocks.saturating_sub(self.first_block).div_ceil(self.blocks_per_group)
    }

    /// Returns the first block of a group.
    pub fn group_start(&self, group: u64) -> u64 {
        self.first_block.saturating_add(group.saturating_mul(self.blocks_per_group))
    }

    /// Returns the number of blocks in a group: the last one may have fewer.
    pub fn group_length(&self, group: u64) -> u64 {
        self.blocks.saturating_sub(self.group_start(group)).min(self.blocks_per_group)
    }

    /// Returns whether a group has a superblock and descriptors.
    pub fn has_copy(&self, group: u64) -> bool {
        if self.features.has_compatible(compatible::SPARSE_SUPER2) {
            return group == 0 || self.copies.iter().any(|copy| group == u64::from(*copy));
        }
        let is_sparse = self.features.has_read_only(read_only::SPARSE_SUPER);
        !is_sparse || group <= 1 || [3, 5, 7].iter().any(|base| is_power(*base, group))
    }

    /// Returns the first groups after the first that have copies: at most four.
    pub fn copies(&self) -> impl Iterator<Item = u64> + '_ {
        let few = [1, 2, 3, 5, 7, 9, 25, 27, 49].into_iter();
        let stated = self.copies.iter().map(|copy| u64::from(*copy)).filter(|copy| *copy > 0);
        few.chain(stated).filter(|group| *group < self.groups() && self.has_copy(*group)).take(4)
    }

    /// Returns whether an inode holds metadata of the file system: its number is reserved, and it isn't the root.
    pub fn is_internal(&self, inode: u32) -> bool {
        (inode < self.first_inode && inode != ROOT_INODE) || self.special_name(inode).is_some()
    }

    /// Returns the name by which an inode is told that the superblock names.
    pub fn special_name(&self, inode: u32) -> Option<&'static str> {
        let (_, name) = SPECIAL.iter().zip(self.special).find(|(_, number)| *number == inode)?.0;
        Some(name)
    }
}

/// Returns whether bytes say that they are a superblock.
pub(super) fn has_magic(bytes: &[u8]) -> bool {
    le16(bytes, 0x38) == Some(MAGIC)
}

fn is_power(base: u64, number: u64) -> bool {
    let mut power = base;
    while power < number {
        power = power.saturating_mul(base);
    }
    power == number
}

fn has_right_checksum(bytes: &[u8]) -> Option<bool> {
    let covered = bytes.get(..0x3fc)?;
    Some(bytes.get(0x175) == Some(&CRC32C) && le32(bytes, 0x3fc)? == crc32c(!0, covered))
}
