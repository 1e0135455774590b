//! Digests that are leaves and a fold: the message is cut into leaves, each leaf is hashed apart, and the digest is made
//! of the leaves' digests.
//!
//! An algorithm is one of three things:
//!
//! * **serial**: every byte needs the state that the bytes before it left (MD5, SHA-256);
//! * **a tree** ([`crate::Tree`]): ranges of the message are hashed apart, and two neighbours make one (BLAKE3, CRCs,
//!   QuickXor);
//! * **leaves and a fold** ([`Leaves`]): a leaf algorithm, how long a leaf is, what becomes of a last leaf that is
//!   shorter and of a message without bytes, and what is made of the digests ([`Fold`]).
//!
//! The leaves of one message go through the lanes of the leaf algorithm's bank as if they were small messages, so that
//! one long file fills all lanes; and since no leaf needs another, all threads as well.
//!
//! Two users share that: [`LeafBank`] hashes the leaves of any number of ranges, which may belong to one message or to
//! many, and [`Folding`] takes the digests of one message's leaves in order. A [`Bank`] for whole messages is made of
//! both, so that nobody who hashes streams has to know that an algorithm has leaves.
//!
//! A [`Part`] is what is left of a range that was hashed apart: its leaves, or the nodes of a tree. It can be stored and
//! sent; [`fold`] makes the digest of the parts of a message, in whatever order they came, or says what is missing.
//!
//! # Adding one
//!
//! A file here with a type that implements [`Shape`], and its row in `registry.rs`. Its fold may keep as much as the
//! logarithm of the message's length: a digest for each leaf would be too much for a disk.

mod aich;
mod bank;
mod bittorrent;
mod cid;
mod dropbox;
mod ed2k;
mod fold;
mod fs_verity;
mod glacier;
mod hidrive;
mod leaf_bank;
mod levels;
mod part;
mod s3;
mod sha256tree;
mod tth;

pub(crate) use aich::Aich;
pub(crate) use bank::{alone, alone_of, bank, bank_of};
pub(crate) use bittorrent::BitTorrent2;
pub(crate) use cid::Cid;
pub(crate) use dropbox::Dropbox;
pub(crate) use ed2k::{Ed2k, Ed2kBlue};
pub use fold::Fold;
pub(crate) use fs_verity::{FsVerity256, FsVerity512};
pub(crate) use glacier::Glacier;
pub(crate) use hidrive::HiDrive;
pub use leaf_bank::LeafBank;
pub use part::{BadPart, Missing, Part, PartHasher, fold, part};
pub(crate) use s3::{MOST_BYTES as PART_MOST, PART, S3Crc32, S3Crc32c, S3Etag, S3Sha1, S3Sha256};
pub(crate) use sha256tree::Sha256Tree;
pub(crate) use tth::Tth;

use crate::Digest;
use crate::bank::Bank;

/// How a message is cut into leaves, and what is made of their digests.
#[derive(Clone, Copy)]
pub struct Leaves {
    /// Bytes of a leaf. The last one may be shorter.
    pub bytes: u64,
    /// Where leaves begin anew: at every multiple of so many bytes, whatever a leaf's length.
    pub section: Option<u64>,
    /// The most leaves that the system which defines the digest takes.
    pub most: Option<u64>,
    /// Bytes of a leaf's digest.
    pub digest: usize,
    /// What stands before a leaf's bytes.
    pub(crate) before: &'static [u8],
    /// What a last leaf that is shorter gets.
    pub(crate) short: Short,
    /// What a message without bytes has.
    pub(crate) empty: Empty,
    /// Makes a bank of the leaf algorithm for many leaves side by side.
    pub(crate) many: fn() -> Box<dyn Bank>,
    /// Makes one for leaves one after another.
    pub(crate) alone: fn() -> Box<dyn Bank>,
    /// Makes what the digests are given to.
    pub(crate) fold: fn() -> Box<dyn Fold>,
}

/// What a last leaf that is shorter than the others gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Short {
    /// Nothing.
    AsItIs,
    /// Zeros up to the length of a leaf.
    Padded,
    /// The same; and of a leaf of zeros alone, padded or not, the digest is zeros.
    PaddedZerosAreZero,
}

/// What a message without bytes has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Empty {
    /// No leaf.
    None,
    /// One leaf without bytes.
    OneLeaf,
}

/// A digest that is leaves and a fold.
pub(crate) trait Shape: 'static {
    /// How.
    const LEAVES: Leaves;
}

impl Leaves {
    /// Leaves of so many bytes: without anything before them, the last one as it is, one for a message without bytes.
    pub(crate) const fn new(
        bytes: u64,
        digest: usize,
        [many, alone]: [fn() -> Box<dyn Bank>; 2],
        fold: fn() -> Box<dyn Fold>,
    ) -> Leaves {
        let (short, empty) = (Short::AsItIs, Empty::OneLeaf);
        Leaves { bytes, section: None, most: None, digest, before: &[], short, empty, many, alone, fold }
    }

    /// How many bytes follow an offset until the next leaf begins.
    pub fn left(&self, offset: u64) -> u64 {
        match self.section {
            None => self.bytes - offset % self.bytes,
            Some(section) => {
                let at = offset % section;
                (self.bytes - at % self.bytes).min(section - at)
            }
        }
    }

    /// Whether a leaf begins at this offset.
    pub fn begins(&self, offset: u64) -> bool {
        self.section.map_or(offset, |section| offset % section).is_multiple_of(self.bytes)
    }

    /// The length of which any multiple is where a leaf begins.
    pub fn unit(&self) -> u64 {
        self.section.unwrap_or(self.bytes)
    }

    /// How many leaves a message of so many bytes has.
    pub fn count(&self, bytes: u64) -> u64 {
        match self.section {
            _ if bytes == 0 => u64::from(self.empty == Empty::OneLeaf),
            None => bytes.div_ceil(self.bytes),
            Some(section) => {
                bytes / section * section.div_ceil(self.bytes) + (bytes % section).div_ceil(self.bytes)
            }
        }
    }
}

/// Takes the digests of one message's leaves, in order.
pub struct Folding {
    shape: Leaves,
    fold: Box<dyn Fold>,
    leaves: u64,
}

impl Folding {
    /// For a message cut like this.
    pub fn new(shape: Leaves) -> Self {
        Folding { shape, fold: (shape.fold)(), leaves: 0 }
    }

    /// Takes the digests of the next leaves.
    pub fn take(&mut self, digests: &[u8]) {
        for digest in digests.chunks_exact(self.shape.digest) {
            self.fold.leaf(digest);
            self.leaves += 1;
        }
    }

    /// How many leaves were taken.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// The digest of a message of so many bytes, all of whose leaves were taken.
    pub fn finish(mut self, bytes: u64) -> Digest {
        if self.leaves == 0 && self.shape.empty == Empty::OneLeaf {
            let empty = LeafBank::alone(self.shape).empty();
            self.take(&empty);
        }
        self.fold.finish(bytes)
    }
}
