//! Block devices.

use super::medium::Medium;

/// A block device, with the devices below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The kernel's name: `sda1`, `dm-0`.
    pub name: String,
    /// Major and minor number.
    pub number: (u32, u32),
    /// A description: `disk`, `partition`, `LVM volume vg-root`, `md raid1`.
    pub what: String,
    /// The model name that the drive reports.
    pub model: Option<String>,
    /// Whether the device reports that it rotates.
    pub rotational: Option<bool>,
    /// The kernel's read-ahead in bytes.
    pub read_ahead: Option<u64>,
    /// The medium that the data are kept on.
    pub medium: Medium,
    /// The devices that it is stacked on.
    pub below: Vec<Block>,
}

impl Block {
    /// Returns its read-ahead; a partition has that of its disk.
    pub(super) fn read_ahead(&self) -> Option<u64> {
        self.read_ahead.or_else(|| self.below.iter().find_map(Block::read_ahead))
    }
}
