//! The device below a file: its file system, the stack of block devices, and the medium.
//!
//! Nothing here fails: if the system does not tell, as in a container without `/sys`, the medium is [`Medium::Unknown`].

mod block;
mod cache;
mod medium;
mod policy;

pub use block::Block;
pub use cache::Devices;
pub use medium::Medium;
pub use policy::{Policy, ReadOrder};

use crate::sys;
use std::path::{Path, PathBuf};

/// Returns whether two files in a folder never have one [`Identity`](crate::Identity), except as names of one file. False if unknown: file
/// systems in user space and some on servers make numbers up.
pub fn tells_identities(folder: &Path) -> bool {
    sys::tells_identities(folder)
}

/// The file system and the devices below the files of one `st_dev`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The number of the file system (`st_dev`); 0 if unknown.
    pub number: u64,
    /// The kernel's name of the type of file system; empty if unknown.
    pub file_system: String,
    /// The mount point.
    pub mount_point: Option<PathBuf>,
    /// The mounted source: a block device, `server:/export`, or a name without meaning.
    pub source: Option<String>,
    /// The block devices below it, each with those below that.
    pub blocks: Vec<Block>,
    /// The medium that the data are kept on.
    pub medium: Medium,
}

impl Device {
    /// Returns a device of which only the number is known.
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

    /// Returns whether cached files of it may be mapped: it is a local file system that keeps its files in the page
    /// cache.
    pub fn maps_files(&self) -> bool {
        sys::maps_well_as(&self.file_system)
    }

    /// Returns how to read files of this device that are not cached.
    pub fn policy(&self) -> Policy {
        Policy::from_medium(self.medium)
    }

    /// Returns the reason for the policy, for people.
    pub fn why(&self) -> &'static str {
        policy::why(self.medium)
    }

    /// Returns the kernel's read-ahead in bytes, from the first block device that reports it.
    pub fn read_ahead(&self) -> Option<u64> {
        self.blocks.iter().find_map(Block::read_ahead)
    }
}
