//! Inodes.
//!
//! Source: the kernel's documentation, `filesystems/ext4/inodes.rst`.

use super::checksum::crc32c;
use super::features::{incompatible, read_only};
use super::volume::Volume;
use crate::fields::{array, le16, le32};
use crate::{NodeKind, Problem, Time, Times};

const FLAG_INDEXED: u32 = 0x1000;
const FLAG_ENCRYPTED: u32 = 0x800;
const FLAG_HUGE: u32 = 0x4_0000;
const FLAG_EXTENTS: u32 = 0x8_0000;
const FLAG_ATTRIBUTE: u32 = 0x20_0000;
const FLAG_INLINE: u32 = 0x1000_0000;
const FLAG_CASE_FOLDED: u32 = 0x4000_0000;

/// The size of the fields that all inodes have; behind them is the number of bytes of the others.
const BASE: usize = 128;
const CHECKSUM_LOW: usize = 0x7c;
const CHECKSUM_HIGH: usize = 0x82;

/// An inode.
#[derive(Debug)]
pub(super) struct Inode {
    pub number: u32,
    bytes: Box<[u8]>,
    /// The size of the content in bytes.
    pub size: u64,
    pub links: u32,
    pub flags: u32,
    pub generation: u32,
    /// The number of 512 byte sectors that the content, its tree and a block of attributes take.
    pub sectors: u64,
    /// The block of extended attributes, or 0.
    pub attributes: u64,
    /// The start of the checksums of all that belongs to it.
    pub seed: u32,
    /// Whether its checksum is right, or it has none.
    pub is_intact: bool,
    mode: u16,
    extra: usize,
}

impl Volume {
    /// Reads an inode.
    ///
    /// # Errors
    /// If there is none of this number, or it can't be read.
    pub fn inode(&self, number: u64) -> Result<Inode, Problem> {
        let outside = || Problem::damaged(format!("there is no inode {number}"));
        let number = u32::try_from(number).map_err(|_| outside())?;
        let index = number.checked_sub(1).ok_or_else(outside)?;
        if number > self.superblock.inodes {
            return Err(outside());
        }
        let group = index / self.superblock.inodes_per_group;
        let descriptor = self.descriptor(group.into())?;
        let size = self.superblock.inode_size;
        let within = u64::from(index % self.superblock.inodes_per_group) * size as u64;
        let table = descriptor.inode_table.saturating_mul(self.superblock.block_size);
        let mut bytes = vec![0; size];
        self.medium.read_at(table.saturating_add(within), &mut bytes)?;
        self.parse_inode(number, bytes.into()).ok_or_else(|| Problem::damaged("an inode"))
    }

    /// Reads the fields of an inode.
    pub fn parse_inode(&self, number: u32, bytes: Box<[u8]>) -> Option<Inode> {
        let extra = le16(&bytes, BASE).map_or(0, usize::from);
        // More than there is room for is damage, which the checksum tells if there is one.
        let extra = if BASE + extra <= bytes.len() { extra } else { 0 };
        let mode = le16(&bytes, 0)?;
        let is_large = mode & 0xf000 == 0x8000
            || self.superblock.features.has_incompatible(incompatible::LARGE_DIRECTORIES);
        let size_high = if is_large { u64::from(le32(&bytes, 0x6c)?) << 32 } else { 0 };
        let generation = le32(&bytes, 0x64)?;
        let seed = crc32c(crc32c(self.superblock.seed, &number.to_le_bytes()), &generation.to_le_bytes());
        let flags = le32(&bytes, 0x20)?;
        let has_checksum = self.superblock.features.has_read_only(read_only::CHECKSUMS);
        Some(Inode {
            number,
            size: size_high | u64::from(le32(&bytes, 4)?),
            links: le16(&bytes, 0x1a)?.into(),
            flags,
            generation,
            sectors: self.sectors(flags, &bytes)?,
            attributes: u64::from(le16(&bytes, 0x76)?) << 32 | u64::from(le32(&bytes, 0x68)?),
            seed,
            is_intact: !has_checksum || has_right_checksum(seed, &bytes, extra)?,
            mode,
            extra,
            bytes,
        })
    }

    fn sectors(&self, flags: u32, bytes: &[u8]) -> Option<u64> {
        let low = u64::from(le32(bytes, 0x1c)?);
        if !self.superblock.features.has_read_only(read_only::HUGE_FILES) {
            return Some(low);
        }
        let count = u64::from(le16(bytes, 0x74)?) << 32 | low;
        let unit = if flags & FLAG_HUGE != 0 { self.superblock.block_size / 512 } else { 1 };
        Some(count.saturating_mul(unit))
    }
}

/// Compares the checksum with that of all bytes but its own.
fn has_right_checksum(seed: u32, bytes: &[u8], extra: usize) -> Option<bool> {
    let is_long = extra >= CHECKSUM_HIGH + 2 - BASE;
    let mut covered = bytes.to_vec();
    covered.get_mut(CHECKSUM_LOW..CHECKSUM_LOW + 2)?.fill(0);
    let low = u32::from(le16(bytes, CHECKSUM_LOW)?);
    if !is_long {
        return Some(crc32c(seed, &covered) & 0xffff == low);
    }
    covered.get_mut(CHECKSUM_HIGH..CHECKSUM_HIGH + 2)?.fill(0);
    let high = u32::from(le16(bytes, CHECKSUM_HIGH)?);
    Some(crc32c(seed, &covered) == high << 16 | low)
}

impl Inode {
    /// Returns its kind; none if the mode has no type.
    pub fn kind(&self) -> Option<NodeKind> {
        match self.mode >> 12 {
            0x1 => Some(NodeKind::Fifo),
            0x2 | 0x6 => Some(NodeKind::Device),
            0x4 => Some(NodeKind::Directory),
            0x8 => Some(NodeKind::File),
            0xa => Some(NodeKind::Link),
            0xc => Some(NodeKind::Socket),
            _ => None,
        }
    }

    /// Returns the 60 bytes that tell where the content is, or begin it.
    pub fn block(&self) -> [u8; 60] {
        array(&self.bytes, 0x28).unwrap_or([0; 60])
    }

    /// Returns the bytes behind the fields, in which extended attributes lie.
    pub fn tail(&self) -> &[u8] {
        self.bytes.get(BASE + self.extra..).unwrap_or_default()
    }

    /// Returns the time of its deletion, or the next one in the list of orphans.
    pub fn deleted(&self) -> u32 {
        le32(&self.bytes, 0x14).unwrap_or(0)
    }

    /// Returns whether it was ever used.
    pub fn was_used(&self) -> bool {
        self.kind().is_some() || le32(&self.bytes, 0xc) != Some(0) || self.deleted() != 0
    }

    pub fn is_indexed(&self) -> bool {
        self.flags & FLAG_INDEXED != 0
    }

    pub fn is_encrypted(&self) -> bool {
        self.flags & FLAG_ENCRYPTED != 0
    }

    pub fn is_case_folded(&self) -> bool {
        self.flags & FLAG_CASE_FOLDED != 0
    }

    pub fn has_extents(&self) -> bool {
        self.flags & FLAG_EXTENTS != 0
    }

    pub fn is_inline(&self) -> bool {
        self.flags & FLAG_INLINE != 0
    }

    /// Returns whether its content is the value of an extended attribute of other inodes.
    pub fn is_attribute(&self) -> bool {
        self.flags & FLAG_ATTRIBUTE != 0
    }

    /// Returns its times. That of the creation is none if there is no room for it, or it was never set.
    pub fn times(&self) -> Times {
        let created = self.time(0x90, 0x94).filter(|time| *time != Time { seconds: 0, nanoseconds: 0 });
        Times {
            modified: self.time(0x10, 0x88),
            accessed: self.time(8, 0x8c),
            changed: self.time(0xc, 0x84),
            created,
        }
    }

    /// Returns the time at an offset, with the further bits at another, if there is room for them.
    fn time(&self, at: usize, more: usize) -> Option<Time> {
        let is_there = |at: usize| at + 4 <= BASE + self.extra;
        let seconds = le32(&self.bytes, at).filter(|_| at < BASE || is_there(at))? as i32;
        let more = le32(&self.bytes, more).filter(|_| is_there(more)).unwrap_or(0);
        Some(Time {
            seconds: i64::from(seconds) + (i64::from(more & 3) << 32),
            nanoseconds: (more >> 2).min(999_999_999),
        })
    }
}
