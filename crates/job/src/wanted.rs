//! The depth to which images are read.

use crate::facts::EntryFacts;
use crate::stated::Stated;

/// The depth to which forensic images among the files are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Inside {
    /// Whether forensic images are read as their media, and logical images as the files in them.
    pub media: bool,
    /// Whether the files in the file systems on media are read, too.
    pub files: bool,
    /// Whether deleted files are among them.
    pub deleted: bool,
    /// Whether the places between files are entries, too.
    pub unallocated: bool,
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
