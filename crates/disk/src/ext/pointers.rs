//! Content whose places are told by pointers to blocks, and to blocks of pointers.
//!
//! Source: the kernel's documentation, `filesystems/ext4/ifork.rst`, "direct/indirect block addressing".

use super::inode::Inode;
use super::mapping::Mapping;
use super::volume::Volume;
use crate::Problem;

/// The pointers in an inode that point to blocks of the file; each of the three others is a level deeper.
const DIRECT: usize = 12;

/// Reads where the content of an inode with pointers lies, up to its size.
///
/// # Errors
/// If a pointer leads beyond the end, a block of pointers to itself, or one can't be read.
pub(super) fn map(volume: &Volume, inode: &Inode) -> Result<Mapping, Problem> {
    let blocks = inode.size.div_ceil(volume.superblock.block_size);
    let mut tree = Tree { volume, mapping: Mapping::default(), left: blocks };
    for (index, pointer) in pointers(&inode.block()).enumerate() {
        tree.pointer(pointer, (index + 1).saturating_sub(DIRECT) as u32)?;
    }
    tree.mapping.end(inode.size)?;
    Ok(tree.mapping)
}

/// Pointers that are being read, from the first block of the file to the last.
struct Tree<'a> {
    volume: &'a Volume,
    mapping: Mapping,
    /// The number of blocks that are not mapped yet.
    left: u64,
}

impl Tree<'_> {
    /// Maps the blocks below a pointer, which is that many levels above them.
    fn pointer(&mut self, pointer: u64, level: u32) -> Result<(), Problem> {
        if self.left == 0 {
            return Ok(());
        }
        let per_block = self.volume.superblock.block_size / 4;
        let below = per_block.saturating_pow(level).min(self.left);
        match level.checked_sub(1) {
            _ if pointer == 0 => self.push(None, below),
            None => self.push(Some(pointer), 1),
            Some(level) => {
                let block = self.mapping.block(self.volume, pointer)?;
                pointers(&block).try_for_each(|pointer| self.pointer(pointer, level))
            }
        }
    }

    fn push(&mut self, block: Option<u64>, count: u64) -> Result<(), Problem> {
        self.left -= count;
        self.mapping.push(self.volume, block, count)
    }
}

fn pointers(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let (fours, _) = bytes.as_chunks();
    fours.iter().map(|four| u32::from_le_bytes(*four).into())
}
