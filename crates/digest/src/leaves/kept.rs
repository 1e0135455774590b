//! Digests of leaves that are kept with a message's digest. They show which part of another copy differs, and the
//! digest can be made from them without the message.
//!
//! Digests of long leaves are kept as they are. Of short leaves there are too many, so if they are joined in pairs, the
//! nodes over [`NODE`] bytes are kept, such as the piece layer of BitTorrent 2. [`Leaves::fold_kept`] folds the kept
//! digests to the message's digest.

use super::fold::{Join, Pairs};
use super::shape::{Keeping, Nodes};
use super::{Folding, Leaves};
use crate::Digest;

/// The bytes of a message under a kept node of short leaves.
const NODE: u64 = 1 << 20;

/// The minimum size of a leaf that has its digest kept.
const LEAF: u64 = 64 << 10;

impl Leaves {
    /// Returns the bytes of a message for each kept digest; `None` if none are kept.
    pub fn kept_bytes(&self) -> Option<u64> {
        match self.keeping {
            Keeping::Leaves => Some(self.bytes).filter(|bytes| *bytes >= LEAF),
            Keeping::Nodes(_) => Some(NODE),
            Keeping::Nothing => None,
        }
    }

    /// Returns how many digests are kept for a message of this size.
    pub fn kept_count(&self, bytes: u64) -> u64 {
        match self.kept_bytes() {
            None => 0,
            Some(_) if bytes == 0 => self.count(0),
            Some(kept) => bytes.div_ceil(kept),
        }
    }

    /// Computes the digest of a message of this size from its kept digests; `None` if their number is wrong.
    pub fn fold_kept(&self, kept: &[u8], bytes: u64) -> Option<Digest> {
        let count = self.kept_bytes().map(|_| self.kept_count(bytes))?;
        if count.checked_mul(self.digest as u64)? != kept.len() as u64 {
            return None;
        }
        let Keeping::Nodes(Nodes { join, filling }) = self.keeping else {
            let mut folding = Folding::new(*self);
            folding.take(kept);
            return Some(folding.finish(bytes));
        };
        if count < 2 {
            // Nothing was joined above it.
            return Some(if count == 1 { Digest::new(kept) } else { Folding::new(*self).finish(bytes) });
        }
        let mut pairs = Pairs::new(join, filling.map(|leaf| over(leaf, join, self.height())));
        kept.chunks_exact(self.digest).for_each(|node| pairs.push(node));
        pairs.root(0)
    }

    /// Returns the number of levels from the leaves to the kept nodes.
    fn height(&self) -> u32 {
        (NODE / self.bytes).ilog2()
    }
}

/// Returns the node this many levels above leaves that all have this digest.
fn over(leaf: &[u8], join: Join, height: u32) -> Digest {
    (0..height).fold(Digest::new(leaf), |node, _| join(node.as_bytes(), node.as_bytes()))
}

/// Keeps digests of one message's leaves.
#[derive(Clone)]
pub(super) struct Keeper {
    kept: Vec<u8>,
    node: Option<Open>,
}

/// A node that still takes leaves.
#[derive(Clone)]
struct Open {
    pairs: Pairs,
    /// How many of its leaves were taken, and how many it has.
    leaves: u64,
    of: u64,
    bytes: usize,
    height: u32,
}

impl Keeper {
    /// Creates a keeper for a message of this shape; `None` if nothing is kept.
    pub(super) fn new(shape: &Leaves) -> Option<Keeper> {
        shape.kept_bytes()?;
        let node = match shape.keeping {
            Keeping::Nodes(Nodes { join, filling }) => Some(Open {
                pairs: Pairs::new(join, filling.map(Digest::new)),
                leaves: 0,
                of: NODE / shape.bytes,
                bytes: shape.digest,
                height: shape.height(),
            }),
            Keeping::Leaves | Keeping::Nothing => None,
        };
        Some(Keeper { kept: Vec::new(), node })
    }

    pub(super) fn take(&mut self, digests: &[u8]) {
        let Some(node) = &mut self.node else { return self.kept.extend_from_slice(digests) };
        for digest in digests.chunks_exact(node.bytes) {
            node.pairs.push(digest);
            node.leaves += 1;
            if node.leaves == node.of {
                node.leaves = 0;
                self.kept.extend(node.pairs.root(0).as_ref().map_or(&[][..], Digest::as_bytes));
            }
        }
    }

    pub(super) fn finish(mut self) -> Box<[u8]> {
        if let Some(mut node) = self.node {
            // A single node is the root, and only as high as necessary.
            let height = if self.kept.is_empty() { 0 } else { node.height };
            self.kept.extend(node.pairs.root(height).as_ref().map_or(&[][..], Digest::as_bytes));
        }
        self.kept.into()
    }
}
