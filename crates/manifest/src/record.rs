//! The record: the facts about one file or one piece of a file.

use crate::stored::Strength;
use crate::{FileAttributes, Likeness};
use hashmill_digest::{Algorithm, Digest};
use hashmill_facts::ContentFacts;
use std::sync::Arc;

/// The facts about one file or one piece of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The path as bytes.
    pub path: Box<[u8]>,
    /// The size in bytes of the file or piece, if known.
    pub size: Option<u64>,
    /// The outcome for this file.
    pub status: Status,
    /// The reason why it is not hashed: the kind of entry that was skipped (`fifo`, `symlink`), or the error (`EIO`,
    /// `timeout`). `None` if it is hashed or the manifest gives no reason.
    pub reason: Option<Box<str>>,
    /// The store's version ID of an object; `None` for files and for stores without versions.
    pub version: Option<Box<str>>,
    /// The part of the file that this record covers; `None` for the whole file.
    pub piece: Option<Piece>,
    /// The time of the last modification, if known and requested.
    pub mtime: Option<Time>,
    /// The metadata that show whether the file changed since it was read, if requested.
    pub metadata: Option<Box<Metadata>>,
    /// The digests, in the order of the plan or of the manifest's columns. Empty unless hashed.
    pub digests: Vec<Named>,
    /// The likeness digests, or the reason for their absence, in the order of the plan. Empty unless hashed.
    pub likeness: Vec<Likeness>,
    /// The facts about the content, if they were asked for and any is known. Empty unless hashed.
    pub facts: Option<Box<ContentFacts>>,
    /// The leaf digests of tree hashes, in the order of the digests. Kept on request only.
    pub leaves: Box<[KeptLeaves]>,
    /// Ranges that could not be read and were hashed as zeros, sorted and not adjacent, with offsets from the start of
    /// the file. Nearly always empty.
    pub bad_blocks: Box<[Piece]>,
    /// The label from sets of known digests, if any were consulted. Records share it.
    pub label: Option<Arc<Label>>,
}

impl Record {
    /// Creates a record with only a path and a status.
    pub fn bare(path: Box<[u8]>, status: Status) -> Record {
        Record {
            path,
            size: None,
            status,
            reason: None,
            version: None,
            piece: None,
            mtime: None,
            metadata: None,
            digests: Vec::new(),
            likeness: Vec::new(),
            facts: None,
            leaves: Box::default(),
            bad_blocks: Box::default(),
            label: None,
        }
    }
}

/// The metadata of a file that, with its size and [`Record::mtime`], show whether it changed since it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The time of the last change of the inode, by its file system.
    pub ctime: Option<Time>,
    /// The inode number; on Windows, the file ID.
    pub inode: Option<u64>,
    /// The number of the device; on Windows, of the volume.
    pub device: Option<u64>,
    /// The time at which the run that computed the digests began to read the file.
    pub read: Option<Time>,
    /// Whether the digests were taken from an earlier manifest, so that the run that wrote the record did not read the
    /// file.
    pub reused: bool,
    /// The time of the last access, of an entry inside an image.
    pub accessed: Option<Time>,
    /// The time of the creation, of an entry inside an image.
    pub created: Option<Time>,
    /// The surroundings of an entry inside of another file: the kind of file system or archive, such as `ntfs`.
    pub container: Option<Box<str>>,
    /// The remains of an entry that was deleted.
    pub allocation: Option<Allocation>,
    /// The attributes that Windows, NTFS or FAT has of it.
    pub attributes: FileAttributes,
}

/// The remains of the content of a deleted file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Allocation {
    /// All of it: nothing else uses its places.
    Intact,
    /// Something else uses some of its places.
    Overlapped,
    /// Not all of its places are known.
    Partial,
}

impl Allocation {
    const ALL: [Allocation; 3] = [Allocation::Intact, Allocation::Overlapped, Allocation::Partial];

    /// Returns the word used in manifests.
    pub fn word(self) -> &'static str {
        match self {
            Allocation::Intact => "intact",
            Allocation::Overlapped => "overlapped",
            Allocation::Partial => "partial",
        }
    }

    /// Parses the word used in manifests.
    pub fn from_word(word: &[u8]) -> Option<Allocation> {
        Allocation::ALL.into_iter().find(|allocation| allocation.word().as_bytes() == word)
    }
}

/// The classification of a file by sets of known digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// `good`, `bad`, `known`, a user's own name, or [`Label::UNKNOWN`].
    pub category: Box<str>,
    /// The set that knows the file; empty if none does.
    pub set: Box<str>,
}

/// A digest with its algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The digest itself.
    pub digest: Digest,
    /// Whether the manifest did not name the algorithm; then it is the likeliest one for the digest's length.
    pub guessed: bool,
}

/// The stored leaves of a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptLeaves {
    /// The algorithm of the digest.
    pub algorithm: &'static Algorithm,
    /// The concatenated leaf digests, as [`hashmill_digest::leaves::Leaves::fold_kept`] takes them.
    pub digests: Box<[u8]>,
}

/// The outcome for an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// All bytes were read and hashed, except those in [`Record::bad_blocks`].
    Hashed,
    /// It could not be opened or read to the end.
    Unreadable,
    /// It was modified or replaced while it was read.
    Changed,
    /// It was excluded from reading.
    Skipped,
    /// It was not read here: an object store or its inventory reports it. The strength is that of its strongest digest.
    Stored(Strength),
}

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The offset of the first byte.
    pub offset: u64,
    /// The length in bytes.
    pub length: u64,
}

/// A point in time: seconds and nanoseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    /// Whole seconds, negative before 1970.
    pub seconds: i64,
    /// Nanoseconds after the whole second, also before 1970.
    pub nanoseconds: u32,
}

impl Status {
    /// Returns the word used in manifests.
    pub fn word(self) -> &'static str {
        match self {
            Status::Hashed => "hashed",
            Status::Unreadable => "unreadable",
            Status::Changed => "changed-while-reading",
            Status::Skipped => "skipped",
            Status::Stored(_) => "stored",
        }
    }

    /// Parses the word used in manifests; a stored object gets no strength from the word alone.
    pub fn from_word(word: &[u8]) -> Option<Self> {
        let stored = Status::Stored(Strength::None);
        let all = [Status::Hashed, Status::Unreadable, Status::Changed, Status::Skipped, stored];
        all.into_iter().find(|status| status.word().as_bytes() == word)
    }

    /// Returns the strength of the digests as evidence, if the record is [`Status::Stored`].
    pub fn strength(self) -> Option<Strength> {
        if let Status::Stored(strength) = self { Some(strength) } else { None }
    }
}

impl Label {
    /// The category of files that are in no set.
    pub const UNKNOWN: &str = "unknown";
}

impl Record {
    /// Creates a record of a whole hashed file.
    pub fn hashed(path: Box<[u8]>, size: Option<u64>, digests: Vec<Named>) -> Record {
        Record { size, digests, ..Record::bare(path, Status::Hashed) }
    }

    /// Creates a record of an object in a store, which checked the digests.
    pub fn stored(path: Box<[u8]>, size: Option<u64>, digests: Vec<Named>) -> Record {
        let best = digests.iter().map(|named| Strength::from_algorithm(named.algorithm)).max();
        let least = if size.is_some() { Strength::Size } else { Strength::None };
        Record { size, digests, ..Record::bare(path, Status::Stored(best.unwrap_or(least))) }
    }

    /// Creates a record of an object in a store, which did not check the digests.
    pub fn declared(path: Box<[u8]>, size: Option<u64>, digests: Vec<Named>) -> Record {
        let mut record = Record::stored(path, size, digests);
        if !record.digests.is_empty() {
            record.status = Status::Stored(Strength::Declared);
        }
        record
    }

    /// Returns whether the digests cover the complete content: all bytes were hashed, or a store vouches for them.
    pub fn is_sound(&self) -> bool {
        matches!(self.status, Status::Hashed | Status::Stored(_)) && self.bad_blocks.is_empty()
    }

    /// Returns whether it is of an entry inside of another file.
    pub fn is_inside(&self) -> bool {
        self.metadata.as_ref().is_some_and(|metadata| metadata.container.is_some())
    }

    /// Returns whether it has attributes of Windows, NTFS or FAT.
    pub fn has_attributes(&self) -> bool {
        self.metadata.as_ref().is_some_and(|metadata| !metadata.attributes.is_empty())
    }

    /// Returns whether the digests are those of an earlier run, which read the file.
    pub fn is_reused(&self) -> bool {
        self.metadata.as_ref().is_some_and(|metadata| metadata.reused)
    }

    /// Returns the digest by this algorithm, if there is one.
    pub fn digest(&self, algorithm: &Algorithm) -> Option<&Digest> {
        self.digests.iter().find(|named| named.algorithm == algorithm).map(|named| &named.digest)
    }
}
