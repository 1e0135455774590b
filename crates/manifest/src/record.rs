//! The record: what is known of one file, or of one piece of it.

use crate::Likeness;
use crate::stored::Strength;
use hashloom_digest::{Algorithm, Digest};
use std::sync::Arc;

/// The record: what is known of one file, or of one piece of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The path as bytes.
    pub path: Box<[u8]>,
    /// Bytes of the file (of the piece, in a piece's record), where known.
    pub size: Option<u64>,
    /// What became of it.
    pub status: Status,
    /// Why it is not hashed: what kind of entry was skipped (`fifo`, `symlink`), or what failed (`EIO`,
    /// `timeout`). `None` for what is hashed, and where a manifest does not say.
    pub reason: Option<Box<str>>,
    /// Which version of an object it is, as its store names it. None of files, and where a store keeps no versions.
    pub version: Option<Box<str>>,
    /// Which part of the file, if not all of it.
    pub piece: Option<Piece>,
    /// When the content last changed, where known and wanted.
    pub mtime: Option<Time>,
    /// The digests, in the order of the plan or of the manifest's columns. Empty unless hashed.
    pub digests: Vec<Named>,
    /// The likeness digests, or why there is none, in the order of the plan. Empty unless hashed.
    pub likeness: Vec<Likeness>,
    /// The digests of leaves, of digests that are leaves and a fold, in the order of the digests. Kept on request only.
    pub leaves: Box<[KeptLeaves]>,
    /// Parts of the file (of the piece, in a piece's record) that could not be read: the digests are those of
    /// zeros instead. In order, apart from each other, offsets from the file's start. Nearly always empty.
    pub bad_blocks: Box<[Piece]>,
    /// What the file is known as, if sets of known digests were asked. Records share it.
    pub label: Option<Arc<Label>>,
}

impl Record {
    /// A record that says no more than a path and what became of it.
    pub fn bare(path: Box<[u8]>, status: Status) -> Record {
        Record {
            path,
            size: None,
            status,
            reason: None,
            version: None,
            piece: None,
            mtime: None,
            digests: Vec::new(),
            likeness: Vec::new(),
            leaves: Box::default(),
            bad_blocks: Box::default(),
            label: None,
        }
    }
}

/// What sets of known digests say of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// `good`, `bad`, `known`, a name that a user gave, or [`Label::UNKNOWN`].
    pub category: Box<str>,
    /// The set that says so; empty where none does.
    pub set: Box<str>,
}

/// A digest with its algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// Which algorithm.
    pub algorithm: &'static Algorithm,
    /// What it gave.
    pub digest: Digest,
    /// The manifest did not name the algorithm: it is the likeliest one of the digest's length.
    pub guessed: bool,
}

/// What is kept of the leaves of a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptLeaves {
    /// Of which digest.
    pub algorithm: &'static Algorithm,
    /// Digests one after another, as [`hashloom_digest::leaves::Leaves::fold_kept`] takes them.
    pub digests: Box<[u8]>,
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// All bytes were read and hashed, but for those of [`Record::bad_blocks`].
    Hashed,
    /// It could not be opened or not be read to its end.
    Unreadable,
    /// It was another file at the end of reading than at the start.
    Changed,
    /// It was not to be read.
    Skipped,
    /// Nobody read it here: a store of objects, or an inventory of one, says this of it. So strong is the strongest of
    /// its digests as a proof; there may be none.
    Stored(Strength),
}

/// A part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u64,
}

/// A point in time: seconds and nanoseconds since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time {
    /// Whole seconds, negative before 1970.
    pub seconds: i64,
    /// Nanoseconds, always forward.
    pub nanoseconds: u32,
}

impl Status {
    /// The word in manifests.
    pub fn word(self) -> &'static str {
        match self {
            Status::Hashed => "hashed",
            Status::Unreadable => "unreadable",
            Status::Changed => "changed-while-reading",
            Status::Skipped => "skipped",
            Status::Stored(_) => "stored",
        }
    }

    /// The status of this word; what is stored has no strength by its word alone.
    pub fn from_word(word: &[u8]) -> Option<Self> {
        let stored = Status::Stored(Strength::None);
        let all = [Status::Hashed, Status::Unreadable, Status::Changed, Status::Skipped, stored];
        all.into_iter().find(|status| status.word().as_bytes() == word)
    }

    /// How strong a proof its digests are, if they are only stored.
    pub fn strength(self) -> Option<Strength> {
        if let Status::Stored(strength) = self { Some(strength) } else { None }
    }
}

impl Label {
    /// The category of files that no set knows.
    pub const UNKNOWN: &str = "unknown";
}

impl Record {
    /// A record of a whole, hashed file.
    pub fn hashed(path: Box<[u8]>, size: Option<u64>, digests: Vec<Named>) -> Record {
        Record { size, digests, ..Record::bare(path, Status::Hashed) }
    }

    /// A record of an object as its store has it. `declared`: the store did not check the digests.
    pub fn stored(path: Box<[u8]>, size: Option<u64>, digests: Vec<Named>, declared: bool) -> Record {
        let best = digests.iter().map(|named| Strength::of(named.algorithm)).max();
        let least = if size.is_some() { Strength::Size } else { Strength::None };
        let strength = best.map_or(least, |best| if declared { Strength::Declared } else { best });
        Record { size, digests, ..Record::bare(path, Status::Stored(strength)) }
    }

    /// Whether it was hashed and all bytes were read, or a store says what it has: only then its digests are the file's.
    pub fn is_sound(&self) -> bool {
        matches!(self.status, Status::Hashed | Status::Stored(_)) && self.bad_blocks.is_empty()
    }

    /// The digest by this algorithm, if there is one.
    pub fn digest(&self, algorithm: &Algorithm) -> Option<&Digest> {
        self.digests.iter().find(|named| named.algorithm == algorithm).map(|named| &named.digest)
    }
}
