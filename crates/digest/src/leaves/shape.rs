//! How a message is cut into leaves, and what is made of their digests.

use super::fold::{Fold, Join};
use crate::bank::Bank;
use std::fmt;

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
    /// Which digests can be kept beside the message's.
    pub(crate) keeping: Keeping,
    /// Makes a bank of the leaf algorithm for many leaves side by side.
    pub(crate) many: fn() -> Box<dyn Bank>,
    /// Makes one for leaves one after another.
    pub(crate) alone: fn() -> Box<dyn Bank>,
    /// Makes what the digests are given to.
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

/// Which digests can be kept.
#[derive(Clone, Copy)]
pub(crate) enum Keeping {
    /// The leaves', if they are long enough.
    Leaves,
    /// Nodes of a binary tree.
    Nodes(Nodes),
    /// None.
    Nothing,
}

/// How nodes are made of leaves.
#[derive(Clone, Copy)]
pub(crate) struct Nodes {
    /// Of two neighbours.
    pub(crate) join: Join,
    /// The digest of the leaves that fill a tree up; none if what has no neighbour goes up as it is.
    pub(crate) filling: Option<&'static [u8]>,
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
