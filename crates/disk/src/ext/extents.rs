//! Content whose places are told by a tree of extents.
//!
//! Source: the kernel's documentation, `filesystems/ext4/ifork.rst`, "extent tree".

use super::checksum::crc32c;
use super::features::read_only;
use super::inode::Inode;
use super::mapping::Mapping;
use super::volume::Volume;
use crate::Problem;
use crate::fields::{le16, le32};

const MAGIC: u16 = 0xf30a;
/// The size of a header and of an entry in bytes.
const ENTRY: usize = 12;
/// The most levels below the inode, as in the kernel.
const DEEPEST: u16 = 5;
/// An extent of more blocks was allocated, but never written: it has this many less.
const WRITTEN_BLOCKS: u16 = 32_768;

/// Reads where the content of an inode with extents lies.
///
/// # Errors
/// If its tree makes no sense, can't be read, or has a wrong checksum.
pub(super) fn map(volume: &Volume, inode: &Inode) -> Result<Mapping, Problem> {
    let mut tree = Tree { volume, seed: inode.seed, mapping: Mapping::default() };
    tree.node(&inode.block(), None)?;
    tree.mapping.end(inode.size)?;
    Ok(tree.mapping)
}

/// A tree that is being read, from the first block of the file to the last.
struct Tree<'a> {
    volume: &'a Volume,
    seed: u32,
    mapping: Mapping,
}

impl Tree<'_> {
    /// Reads a node and all below it. Its depth must be as expected, if it is.
    fn node(&mut self, node: &[u8], expected: Option<u16>) -> Result<(), Problem> {
        let (entries, depth) = entries(node).ok_or_else(|| Problem::damaged("the header of extents"))?;
        if expected.unwrap_or(depth.min(DEEPEST)) != depth {
            return Err(Problem::damaged("the depth of the tree of extents"));
        }
        for entry in entries.chunks_exact(ENTRY) {
            match depth.checked_sub(1) {
                None => self.extent(entry)?,
                Some(below) => self.child(entry, below)?,
            }
        }
        Ok(())
    }

    fn child(&mut self, entry: &[u8], depth: u16) -> Result<(), Problem> {
        let block = place(entry, 8, 4).ok_or_else(|| Problem::damaged("an extent"))?;
        let node = self.mapping.block(self.volume, block)?;
        if self.volume.superblock.features.has_read_only(read_only::CHECKSUMS)
            && has_right_checksum(self.seed, &node) == Some(false)
        {
            return Err(Problem::Checksum("an extent block"));
        }
        self.node(&node, Some(depth))
    }

    fn extent(&mut self, entry: &[u8]) -> Result<(), Problem> {
        let damaged = || Problem::damaged("an extent");
        let first = u64::from(le32(entry, 0).ok_or_else(damaged)?);
        let length = le16(entry, 4).filter(|length| *length > 0).ok_or_else(damaged)?;
        let place = place(entry, 6, 8).ok_or_else(damaged)?;
        let next = self.mapping.runs.length() / self.volume.superblock.block_size;
        let gap = first.checked_sub(next).ok_or_else(|| Problem::damaged("extents that overlap"))?;
        self.mapping.push(self.volume, None, gap)?;
        let (place, length) =
            if length > WRITTEN_BLOCKS { (None, length - WRITTEN_BLOCKS) } else { (Some(place), length) };
        self.mapping.push(self.volume, place, length.into())
    }
}

/// Returns the entries of a node, and the number of levels below it.
fn entries(node: &[u8]) -> Option<(&[u8], u16)> {
    let (count, most) = (usize::from(le16(node, 2)?), usize::from(le16(node, 4)?));
    let is_right = le16(node, 0)? == MAGIC && count <= most && ENTRY * (1 + most) <= node.len();
    let entries = node.get(ENTRY..ENTRY * (1 + count)).filter(|_| is_right)?;
    Some((entries, le16(node, 6)?))
}

/// Returns the number of a block, whose higher 16 bits lie at an offset, and the lower 32 at another.
fn place(entry: &[u8], high: usize, low: usize) -> Option<u64> {
    Some(u64::from(le16(entry, high)?) << 32 | u64::from(le32(entry, low)?))
}

/// Compares the checksum behind the room for entries; none if the header makes no sense.
fn has_right_checksum(seed: u32, node: &[u8]) -> Option<bool> {
    let end = ENTRY * (1 + usize::from(le16(node, 4)?));
    Some(crc32c(seed, node.get(..end)?) == le32(node, end)?)
}
