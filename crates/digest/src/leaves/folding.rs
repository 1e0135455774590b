//! The fold of one message, with the number of its leaves.

use super::fold::Fold;
use super::kept::Keeper;
use super::leaf_bank::LeafBank;
use super::shape::{Empty, Leaves};
use crate::Digest;
use crate::field::{Field, LONGEST_MESSAGE};

/// Takes the digests of one message's leaves, in order.
pub struct Folding {
    shape: Leaves,
    fold: Box<dyn Fold>,
    leaves: u64,
    keeper: Option<Keeper>,
}

impl Folding {
    /// Creates the fold of a message of this shape.
    pub fn new(shape: Leaves) -> Self {
        Folding::with(shape, (shape.fold)())
    }

    /// Creates the fold of a message of this shape, with another fold.
    pub(crate) fn with(shape: Leaves, fold: Box<dyn Fold>) -> Self {
        Folding { shape, fold, leaves: 0, keeper: None }
    }

    /// Like [`Folding::new`], but keeps digests of leaves, see [`Leaves::kept_bytes`].
    pub fn keeping(shape: Leaves) -> Self {
        Folding { keeper: Keeper::new(&shape), ..Folding::new(shape) }
    }

    /// Takes the digests of the next leaves.
    pub fn take(&mut self, digests: &[u8]) {
        for digest in digests.chunks_exact(self.shape.digest) {
            self.fold.leaf(digest);
            self.leaves += 1;
        }
        if let Some(keeper) = &mut self.keeper {
            keeper.take(digests);
        }
    }

    /// Returns an independent copy.
    pub(super) fn fork(&self) -> Folding {
        Folding {
            shape: self.shape,
            fold: self.fold.fork(),
            leaves: self.leaves,
            keeper: self.keeper.clone(),
        }
    }

    /// Writes the state, and returns whether it can be had.
    pub(crate) fn save(&self, into: &mut Vec<u8>) -> bool {
        self.leaves.put(into);
        self.keeper.is_none() && self.fold.save(into)
    }

    /// Takes a written state up, before the first leaf. `None` if it is none.
    pub(crate) fn load(mut self, from: &mut &[u8]) -> Option<Folding> {
        self.leaves = Field::take(from)?;
        self.fold.load(from)?;
        (self.leaves <= LONGEST_MESSAGE).then_some(self)
    }

    /// Returns the shape of the message.
    pub fn shape(&self) -> &Leaves {
        &self.shape
    }

    /// Returns how many leaves were taken.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// Returns the digest of a message of this many bytes, after all its leaves.
    pub fn finish(self, bytes: u64) -> Digest {
        self.finish_kept(bytes).0
    }

    /// Like [`Folding::finish`], but also returns the kept digests, one after another.
    pub fn finish_kept(mut self, bytes: u64) -> (Digest, Option<Box<[u8]>>) {
        if self.leaves == 0 && self.shape.empty == Empty::OneLeaf {
            let empty = LeafBank::alone(self.shape).empty();
            self.take(&empty);
        }
        (self.fold.finish(bytes), self.keeper.map(Keeper::finish))
    }
}
