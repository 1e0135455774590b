//! The depth to which images are read.

use crate::facts::EntryFacts;
use crate::stated::Stated;

/// The depth to which forensic images among the files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inside {
    /// Whether forensic images are read as their media, and logical images as the files in them.
    pub media: bool,
    /// Whether the files in the file systems on media are read, too.
    pub files: bool,
    /// Whether deleted files are among them.
    pub deleted: bool,
    /// Whether the places between files are entries, too.
    pub unallocated: bool,
    /// How many times the bytes that are stored of a file it may claim to have, beyond 64 MiB; 0 is no limit.
    pub max_ratio: u64,
}

impl Inside {
    /// The usual limit of the bytes that a file may claim.
    pub const RATIO: u64 = 1000;
}

impl Default for Inside {
    fn default() -> Inside {
        Inside { media: false, files: false, deleted: false, unallocated: false, max_ratio: Inside::RATIO }
    }
}

/// The depth to which images are read, and the places where their statements are noted.
#[cfg_attr(not(feature = "images"), allow(dead_code, reason = "a build without images reads none"))]
pub(crate) struct Wanted {
    /// The depth.
    pub inside: Inside,
    /// The digests that images state.
    pub stated: Stated,
    /// The facts about entries inside of images.
    pub facts: EntryFacts,
    /// The bytes of decompressed media to keep.
    pub memory: usize,
}
