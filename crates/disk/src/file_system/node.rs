//! The facts about a file, a directory or another entry of a file system.

use crate::{Content, Problem};

/// The facts about one entry of a file system, or about one of its alternate streams.
#[derive(Debug)]
pub struct Node {
    /// The number by which the file system finds it: that of an inode or of an MFT entry; where the format has no numbers, the
    /// position of its directory entry.
    pub number: u64,
    /// The name of the alternate stream, if it is one.
    pub stream: Option<Vec<u8>>,
    /// Its kind.
    pub kind: NodeKind,
    /// The size in bytes, as the file system states it.
    pub size: u64,
    /// The number of names that it has, as the file system states it; 1 where the format has no such number.
    pub links: u32,
    /// Its times.
    pub times: Times,
    /// The attributes of NTFS and FAT, by the bits of Windows; 0 where the format has none.
    pub attributes: u32,
    /// Whether it is in use, or was deleted.
    pub allocation: Allocation,
    /// Its bytes, for files, streams, and directories that have some; why they can't be read.
    pub content: Result<Content, Problem>,
}

impl Node {
    /// Makes an entry that is in use, of which no more is known.
    pub(crate) fn new(number: u64, kind: NodeKind, size: u64, content: Result<Content, Problem>) -> Node {
        Node {
            number,
            stream: None,
            kind,
            size,
            links: 1,
            times: Times::default(),
            attributes: 0,
            allocation: Allocation::Live,
            content,
        }
    }
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the kinds of entries")]
pub enum NodeKind {
    File,
    Directory,
    /// A symbolic link, whose content is its target, or another reparse point.
    Link,
    Fifo,
    Socket,
    Device,
    /// Metadata of the file system that it shows as a file, such as `$MFT`.
    Metadata,
}

/// Whether an entry is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocation {
    /// It is in use.
    Live,
    /// It was deleted.
    Deleted(Recovery),
}

/// The remains of a deleted file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// All its bytes are where they were, in places that are free.
    Intact,
    /// Some of its places are in use again by others.
    Overlapped,
    /// Not all of its places are known.
    Partial,
}

impl Recovery {
    /// Returns the word for it in records.
    pub fn word(self) -> &'static str {
        match self {
            Recovery::Intact => "intact",
            Recovery::Overlapped => "overlapped",
            Recovery::Partial => "partial",
        }
    }
}

/// The times of an entry; none where the format has no such time, or it is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Times {
    /// The last change of the content.
    pub modified: Option<Time>,
    /// The last access.
    pub accessed: Option<Time>,
    /// The last change of the metadata.
    pub changed: Option<Time>,
    /// The creation.
    pub created: Option<Time>,
}

/// A point in time since 1970, UTC. Formats with local times (FAT) have no zone: theirs are taken for UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    /// Whole seconds, negative before 1970.
    pub seconds: i64,
    /// Nanoseconds after the whole second, also before 1970.
    pub nanoseconds: u32,
}
