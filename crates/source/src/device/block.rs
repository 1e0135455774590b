//! Block devices.

use super::medium::Medium;

/// A block device, with those below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The kernel's name: `sda1`, `dm-0`.
    pub name: String,
    /// Major and minor number.
    pub number: (u32, u32),
    /// What it is, in words: `disk`, `partition`, `LVM volume vg-root`, `md raid1`.
    pub what: String,
    /// The name that the drive gives itself.
    pub model: Option<String>,
    /// Whether it says that it rotates.
    pub rotational: Option<bool>,
    /// The kernel's read-ahead in bytes.
    pub read_ahead: Option<u64>,
    /// What the data are kept on.
    pub medium: Medium,
    /// What it stacks on.
    pub below: Vec<Block>,
}

impl Block {
    /// Its read-ahead; a partition has that of its disk.
    pub(super) fn read_ahead(&self) -> Option<u64> {
        self.read_ahead.or_else(|| self.below.iter().find_map(Block::read_ahead))
    }
}
