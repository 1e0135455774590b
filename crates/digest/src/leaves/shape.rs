//! The way to cut a message into leaves and fold their digests.
//!
//! To add a digest made of blocks: its file in this folder with a `Shape`, a row in `registry.rs`, and a section in
//! docs/blocks.md. One that depends on a file's name sets `of_entry` in its row.

use super::fold::{Fold, Join};
use crate::bank::Bank;
use std::fmt;

/// The way to cut a message into leaves and fold their digests.
#[derive(Clone, Copy)]
pub struct Leaves {
    /// The bytes of a leaf. The last one may be shorter.
    pub bytes: u64,
    /// If set, leaves start again at every multiple of this many bytes, so the leaf before may be shorter.
    pub section: Option<u64>,
    /// The maximum number of leaves that the system behind the digest allows.
    pub most: Option<u64>,
    /// The bytes of a leaf's digest.
    pub digest: usize,
    /// The prefix of each leaf.
    pub(crate) before: &'static [u8],
    /// The treatment of a shorter last leaf.
    pub(crate) short: Short,
    /// The treatment of an empty message.
    pub(crate) empty: Empty,
    /// The digests that can be kept with the message's.
    pub(crate) keeping: Keeping,
    /// Makes a bank of the leaf algorithm for many leaves side by side.
    pub(crate) many: fn() -> Box<dyn Bank>,
    /// Makes a bank of the leaf algorithm for one leaf after another.
    pub(crate) alone: fn() -> Box<dyn Bank>,
    /// Makes a fold of the digests.
    pub(crate) fold: fn() -> Box<dyn Fold>,
}

impl fmt::Debug for Leaves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaves")
            .field("bytes", &self.bytes)
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

/// The treatment of a last leaf that is shorter than the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Short {
    /// It is hashed unchanged.
    AsItIs,
    /// It is padded with zeros.
    Padded,
    /// It is padded with zeros, and leaves of only zeros, padded or not, have a digest of zeros.
    PaddedZerosAreZero,
}

/// The treatment of an empty message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Empty {
    /// It has no leaf.
    None,
    /// It has one empty leaf.
    OneLeaf,
}

/// The digests that can be kept.
#[derive(Clone, Copy)]
pub(crate) enum Keeping {
    /// Those of the leaves, if they are long enough.
    Leaves,
    /// Nodes of a binary tree.
    Nodes(Nodes),
    /// None.
    Nothing,
}

/// The way to make nodes of leaves.
#[derive(Clone, Copy)]
pub(crate) struct Nodes {
    /// Joins two neighbours.
    pub(crate) join: Join,
    /// The digest of leaves that pad the tree; `None` if a node without a neighbour moves up unchanged.
    pub(crate) filling: Option<&'static [u8]>,
}

/// A digest folded from leaves.
pub(crate) trait Shape: 'static {
    /// The shape of its messages.
    const LEAVES: Leaves;
}

impl Leaves {
    /// Defines leaves of this many bytes: without a prefix, with an unchanged last leaf, and one leaf for an empty
    /// message.
    pub(crate) const fn new(
        bytes: u64,
        digest: usize,
        [many, alone]: [fn() -> Box<dyn Bank>; 2],
        fold: fn() -> Box<dyn Fold>,
    ) -> Leaves {
        Leaves {
            bytes,
            section: None,
            most: None,
            digest,
            before: &[],
            short: Short::AsItIs,
            empty: Empty::OneLeaf,
            keeping: Keeping::Leaves,
            many,
            alone,
            fold,
        }
    }

    /// Returns the distance from an offset to the start of the next leaf.
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

    /// Returns a length such that a leaf begins at each of its multiples.
    pub fn unit(&self) -> u64 {
        self.section.unwrap_or(self.bytes)
    }

    /// Returns how many leaves a message of this size has.
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
