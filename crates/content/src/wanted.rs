//! The depth to which images and archives are read.

use crate::chosen::InsideFilter;
use crate::entry::facts::EntryFacts;
use crate::entry::stated::Stated;
use crate::entry::unread::NotLookedInto;
use crate::stores::Stores;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The depth to which forensic images and archives among the files are read.
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
    /// Whether the members of archives are read, and what was compressed.
    pub archives: bool,
    /// Whether images and archives that are looked into are left out themselves.
    pub only: bool,
    /// How many times the bytes that are stored of a file it may claim to have, beyond 64 MiB; 0 is no limit.
    pub max_ratio: u64,
    /// How deep archives in archives are read.
    pub max_nesting: u32,
    /// The most members of an archive, with those of archives in it.
    pub max_members: u64,
    /// The most bytes of all these members.
    pub max_expanded: u64,
}

impl Inside {
    /// The usual limit of the bytes that a file may claim.
    pub const RATIO: u64 = 1000;
    /// The usual depth of archives in archives.
    pub const NESTING: u32 = 5;
    /// The usual limit of the members of an archive.
    pub const MEMBERS: u64 = 10_000_000;
    /// The usual limit of their bytes: 1 TiB.
    pub const EXPANDED: u64 = 1 << 40;

    /// Returns whether anything but the bytes of files is read.
    pub fn is_any(&self) -> bool {
        self.media || self.archives
    }
}

impl Default for Inside {
    fn default() -> Inside {
        Inside {
            media: false,
            files: false,
            deleted: false,
            unallocated: false,
            archives: false,
            only: false,
            max_ratio: Inside::RATIO,
            max_nesting: Inside::NESTING,
            max_members: Inside::MEMBERS,
            max_expanded: Inside::EXPANDED,
        }
    }
}

/// The depth to which images are read, and the places where their statements are noted.
pub struct Wanted {
    /// The depth.
    pub inside: Inside,
    /// The files that images may be layers over.
    pub backing: BackingFiles,
    /// The digests that images state.
    pub stated: Stated,
    /// The facts about entries inside of images.
    pub facts: EntryFacts,
    /// The files that were not looked into.
    pub unread: NotLookedInto,
    /// The filters for what is inside of files.
    pub filter: InsideFilter,
    /// The bytes of decompressed media to keep.
    pub memory: usize,
    /// The number of threads that hash.
    pub threads: usize,
    /// Whether each entry is read as soon as it is met.
    pub is_read_at_once: bool,
}

/// The files that images may be layers over.
#[derive(Debug, Clone, Default)]
pub struct BackingFiles {
    /// Their paths.
    pub(crate) paths: Arc<[PathBuf]>,
    /// Whether a layer over one of them was met.
    pub(crate) is_met: Arc<AtomicBool>,
    /// The access to stores, for them and for the images over them.
    pub(crate) stores: Stores,
}

impl BackingFiles {
    /// Returns these with the access to stores for them and for the images over them.
    pub fn with_stores(self, stores: &Stores) -> BackingFiles {
        BackingFiles { stores: stores.clone(), ..self }
    }
}

/// Returns the part of this memory for what is inside of files: decompressed media, the windows of decoders, and members
/// that wait.
pub fn cached(memory: usize) -> usize {
    memory / 2
}
