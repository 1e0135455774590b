//! What lies under a file: its file system, the stack of block devices below it, and what they are made of.
//!
//! All of it comes from `/proc/self/mountinfo` and `/sys`, below a root that tests replace. Nothing here fails: what
//! can't be found out, as in a container without `/sys`, is [`Medium::Unknown`].

mod block;
mod cache;
mod file_system;
mod find;
mod mounts;
mod policy;
mod root;

pub use block::Block;
pub use cache::Devices;
pub(crate) use find::number;
pub use policy::{Policy, ReadOrder};

use std::fmt;
use std::path::PathBuf;

/// What lies under the files of one `st_dev`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// The number of the file system (`st_dev`); 0 where it is not known.
    pub number: u64,
    /// The type of the file system as the kernel names it; empty where it is not known.
    pub file_system: String,
    /// Where it is mounted.
    pub mount_point: Option<PathBuf>,
    /// What is mounted there: a block device, `server:/export`, or a name that stands for nothing.
    pub source: Option<String>,
    /// The block devices that it lies on, each with those below it.
    pub blocks: Vec<Block>,
    /// What the data are kept on in the end.
    pub medium: Medium,
}

/// What data are kept on. Of several things that a device stacks on the greatest counts: one spinning disk makes
/// a whole stack seek.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Medium {
    /// The machine's own memory.
    Memory,
    /// Flash: requests at any place cost the same, and many at a time are served faster.
    Solid,
    /// The disk of a virtual machine. It says that it rotates, or nothing, whatever is below it.
    Virtual,
    /// A union of directories that can't be seen from here.
    Union,
    /// Nobody tells.
    Unknown,
    /// Another machine: every request waits for an answer.
    Network,
    /// A spinning disk: every seek costs.
    Rotational,
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

    /// How files of this device are to be read, unless they are in memory already.
    pub fn policy(&self) -> Policy {
        Policy::of(self.medium)
    }

    /// Why they are to be read so, in words for people.
    pub fn why(&self) -> &'static str {
        policy::why(self.medium)
    }

    /// The kernel's read-ahead in bytes: that of the first block device that tells.
    pub fn read_ahead(&self) -> Option<u64> {
        self.blocks.iter().find_map(Block::read_ahead)
    }
}

impl Medium {
    /// The greatest of several; unknown if there are none.
    fn of_all(mediums: impl Iterator<Item = Medium>) -> Medium {
        mediums.max().unwrap_or(Medium::Unknown)
    }

    /// One word, the same in every output.
    pub fn name(self) -> &'static str {
        match self {
            Medium::Memory => "memory",
            Medium::Solid => "solid",
            Medium::Virtual => "virtual",
            Medium::Union => "union",
            Medium::Unknown => "unknown",
            Medium::Network => "network",
            Medium::Rotational => "rotational",
        }
    }
}

impl fmt::Display for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
