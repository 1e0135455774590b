//! Entries of a walk: files, skipped entries and failures.

use crate::device::{Device, Devices};
use crate::meta::skip::Skip;
use crate::{EntryContent, Error, OperandDirectory};
use std::sync::Arc;

/// One result of a walk. Every entry of a tree becomes exactly one of these.
#[derive(Debug)]
pub enum WalkItem {
    /// A file to read.
    File(Entry),
    /// An entry that is not read, with the reason.
    Skipped {
        /// The path, as bytes.
        path: Box<[u8]>,
        /// The reason.
        why: Skip,
    },
    /// An entry that could not be examined (a missing operand, a directory that can't be listed).
    Failed(Error),
}

/// A file to read.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The path as it is shown: the operand, then the path below it. Bytes, not text.
    pub path: Box<[u8]>,
    /// The source of the bytes.
    pub origin: Origin,
    /// The size in bytes, if the walk had to look it up anyway.
    pub size: Option<u64>,
    /// The device (`st_dev`) of the directory that it was listed in, or of the operand itself; for a block device, its
    /// own number. 0 if unknown, as for standard input.
    pub device: u64,
    /// The inode number from the listing: good for ordering, but not for identifying files, since unions and FUSE list
    /// other numbers than `stat` returns. 0 if unknown.
    pub ino: u64,
    /// The named directory to open it from, if the walk found it below one and does not follow links.
    pub operand: Option<Arc<OperandDirectory>>,
    /// The bytes of the entry, if they are not those of the file at the path.
    pub content: Option<Arc<dyn EntryContent>>,
    /// Whether only files inside of it may be wanted, not the file itself: no include glob matches it
    /// ([`WalkOptions::may_contain`](crate::WalkOptions::may_contain)).
    pub is_passage: bool,
}

impl Entry {
    /// Creates an entry of which only the path is known.
    pub fn new(path: Box<[u8]>, origin: Origin) -> Entry {
        Entry { path, origin, size: None, device: 0, ino: 0, operand: None, content: None, is_passage: false }
    }

    /// Returns whether its bytes are remote ([`EntryContent::is_remote`]).
    pub fn is_remote(&self) -> bool {
        self.content.as_ref().is_some_and(|content| content.is_remote())
    }

    /// Returns whether the walk may wait until it is read ([`EntryContent::holds_walk`]).
    pub fn holds_walk(&self) -> bool {
        self.content.as_ref().is_some_and(|content| content.holds_walk())
    }

    /// Returns whether a read may wait until entries behind it are read ([`EntryContent::waits`]).
    pub fn waits(&self) -> bool {
        self.content.as_ref().is_some_and(|content| content.waits())
    }
}

impl Devices {
    /// Returns the device of an entry; unknown for standard input.
    pub fn of_entry(&self, entry: &Entry) -> Arc<Device> {
        self.device(entry.device, &entry.path)
    }
}

/// The source of an entry's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The regular file at the path, found below an operand. If it is no longer a regular file, opening fails.
    Path,
    /// The regular file or block device at the path, named by a list. Other types fail, since reading them might never
    /// end.
    Listed,
    /// Anything at the path that the user named: also block devices, and FIFOs and character devices as streams.
    Operand,
    /// Standard input.
    Stdin,
}
