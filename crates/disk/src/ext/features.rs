//! The features that a superblock states, and which of them stand in the way of reading.
//!
//! Source: the kernel's documentation, `filesystems/ext4/super.rst`, "feature flags".

use crate::Problem;
use crate::fields::le32;

/// Features that change nothing for programs that don't know them.
pub(super) mod compatible {
    pub const HAS_JOURNAL: u32 = 0x4;
    pub const SPARSE_SUPER2: u32 = 0x200;
}

/// Features that a program must know to read.
pub(super) mod incompatible {
    pub const COMPRESSION: u32 = 0x1;
    pub const FILE_TYPE: u32 = 0x2;
    pub const RECOVER: u32 = 0x4;
    pub const JOURNAL_DEVICE: u32 = 0x8;
    pub const META_GROUPS: u32 = 0x10;
    pub const EXTENTS: u32 = 0x40;
    pub const WIDE: u32 = 0x80;
    pub const MULTIPLE_MOUNT: u32 = 0x100;
    pub const FLEXIBLE_GROUPS: u32 = 0x200;
    pub const ATTRIBUTE_INODES: u32 = 0x400;
    pub const DIRECTORY_DATA: u32 = 0x1000;
    pub const CHECKSUM_SEED: u32 = 0x2000;
    pub const LARGE_DIRECTORIES: u32 = 0x4000;
    pub const INLINE_DATA: u32 = 0x8000;
    pub const ENCRYPTION: u32 = 0x1_0000;
    pub const CASE_FOLDING: u32 = 0x2_0000;
}

/// Features that a program must know to write.
pub(super) mod read_only {
    pub const SPARSE_SUPER: u32 = 0x1;
    pub const LARGE_FILES: u32 = 0x2;
    pub const TREE_DIRECTORIES: u32 = 0x4;
    pub const HUGE_FILES: u32 = 0x8;
    pub const GROUP_CHECKSUMS: u32 = 0x10;
    pub const CLUSTERS: u32 = 0x200;
    pub const CHECKSUMS: u32 = 0x400;
    pub const ORPHANS_PRESENT: u32 = 0x1_0000;
}

use incompatible as i;

const READABLE: u32 = i::FILE_TYPE
    | i::RECOVER
    | i::META_GROUPS
    | i::EXTENTS
    | i::WIDE
    | i::MULTIPLE_MOUNT
    | i::FLEXIBLE_GROUPS
    | i::ATTRIBUTE_INODES
    | i::CHECKSUM_SEED
    | i::LARGE_DIRECTORIES
    | i::INLINE_DATA
    | i::ENCRYPTION
    | i::CASE_FOLDING;

/// The features of one file system.
#[derive(Debug, Clone, Copy)]
pub(super) struct Features {
    compatible: u32,
    incompatible: u32,
    read_only: u32,
}

impl Features {
    /// Reads the features of a superblock.
    pub fn parse(superblock: &[u8]) -> Option<Features> {
        Some(Features {
            compatible: le32(superblock, 0x5c)?,
            incompatible: le32(superblock, 0x60)?,
            read_only: le32(superblock, 0x64)?,
        })
    }

    pub fn has_compatible(self, feature: u32) -> bool {
        self.compatible & feature != 0
    }

    pub fn has_incompatible(self, feature: u32) -> bool {
        self.incompatible & feature != 0
    }

    pub fn has_read_only(self, feature: u32) -> bool {
        self.read_only & feature != 0
    }

    /// Returns whether the kernel's driver of ext3 could read and write it, or that of ext2 if there is no journal.
    pub fn is_old(self) -> bool {
        let incompatible = i::FILE_TYPE | i::RECOVER | i::META_GROUPS;
        let read_only = read_only::SPARSE_SUPER | read_only::LARGE_FILES | read_only::TREE_DIRECTORIES;
        self.incompatible & !incompatible == 0 && self.read_only & !read_only == 0
    }

    /// Checks that nothing stands in the way of reading.
    ///
    /// # Errors
    /// If a feature does, with its name.
    pub fn check_readable(self) -> Result<(), Problem> {
        let name = match self.incompatible & !READABLE {
            0 => return Ok(()),
            bits if bits & i::JOURNAL_DEVICE != 0 => "an external journal".into(),
            bits if bits & i::COMPRESSION != 0 => "the feature `compression` of ext2".into(),
            bits if bits & i::DIRECTORY_DATA != 0 => "the feature `dirdata` of ext4".into(),
            bits => format!("the unknown feature {:#x} of ext4", bits & bits.wrapping_neg()),
        };
        Err(Problem::Unsupported(name.into()))
    }
}
