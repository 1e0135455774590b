//! One message's fold, and how many leaves it took.

use super::fold::Fold;
use super::kept::Keeper;
use super::leaf_bank::LeafBank;
use super::shape::{Empty, Leaves};
use crate::Digest;

/// Takes the digests of one message's leaves, in order.
pub struct Folding {
    shape: Leaves,
    fold: Box<dyn Fold>,
    leaves: u64,
    keeper: Option<Keeper>,
}

impl Folding {
    /// For a message cut like this.
    pub fn new(shape: Leaves) -> Self {
        Folding::with(shape, (shape.fold)())
    }

    /// For a message cut like this, with a fold of its own.
    pub(crate) fn with(shape: Leaves, fold: Box<dyn Fold>) -> Self {
        Folding { shape, fold, leaves: 0, keeper: None }
    }

    /// The same, and what is worth keeping of the leaves' digests is kept, see [`Leaves::kept_bytes`].
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

    /// A copy of its own.
    pub(super) fn fork(&self) -> Folding {
        Folding {
            shape: self.shape,
            fold: self.fold.fork(),
            leaves: self.leaves,
            keeper: self.keeper.clone(),
        }
    }

    /// How the message is cut.
    pub fn shape(&self) -> &Leaves {
        &self.shape
    }

    /// How many leaves were taken.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// The digest of a message of so many bytes, all of whose leaves were taken.
    pub fn finish(self, bytes: u64) -> Digest {
        self.finish_kept(bytes).0
    }

    /// The same, and what was kept: digests one after another.
    pub fn finish_kept(mut self, bytes: u64) -> (Digest, Option<Box<[u8]>>) {
        if self.leaves == 0 && self.shape.empty == Empty::OneLeaf {
            let empty = LeafBank::alone(self.shape).empty();
            self.take(&empty);
        }
        (self.fold.finish(bytes), self.keeper.map(Keeper::finish))
    }
}
