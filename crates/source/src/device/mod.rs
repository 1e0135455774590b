//! What is below a file: its file system, the stack of block devices, and the medium.
//!
//! All of it comes from `/proc/self/mountinfo` and `/sys`, below a root that tests replace. Nothing here fails: what can't
//! be found out, as in a container without `/sys`, is [`Medium::Unknown`].

mod block;
mod cache;
mod file_system;
mod find;
mod medium;
mod mounts;
mod policy;
mod root;
mod stack;

pub use block::Block;
pub use cache::Devices;
pub(crate) use find::number;
pub use medium::Medium;
pub use policy::{Policy, ReadOrder};

use crate::file_system as file_system_types;
use std::path::PathBuf;

/// What is below the files of one `st_dev`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The number of the file system (`st_dev`); 0 where it is not known.
    pub number: u64,
    /// The type of the file system as the kernel names it; empty where it is not known.
    pub file_system: String,
    /// Where it is mounted.
    pub mount_point: Option<PathBuf>,
    /// What is mounted there: a block device, `server:/export`, or a name without meaning.
    pub source: Option<String>,
    /// The block devices below it, each with those below that.
    pub blocks: Vec<Block>,
    /// What the data are kept on.
    pub medium: Medium,
}

impl Device {
    /// A device of which nothing is known but its number.
    pub fn unknown(number: u64) -> Device {
        Device {
            number,
            file_system: String::new(),
            mount_point: None,
            source: None,
            blocks: Vec::new(),
            medium: Medium::Unknown,
        }
    }

    /// Whether files there that are in memory may be mapped: it is a file system of this machine that keeps its files in the
    /// page cache.
    pub fn maps_files(&self) -> bool {
        file_system_types::maps_well_as(&self.file_system)
    }

    /// How to read files of this device that are not in memory.
    pub fn policy(&self) -> Policy {
        Policy::of(self.medium)
    }

    /// Why to read them so, in words for people.
    pub fn why(&self) -> &'static str {
        policy::why(self.medium)
    }

    /// The kernel's read-ahead in bytes: that of the first block device that tells.
    pub fn read_ahead(&self) -> Option<u64> {
        self.blocks.iter().find_map(Block::read_ahead)
    }
}
