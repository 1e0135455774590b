//! AICH of eMule: SHA-1 of blocks of 184,320 bytes, joined to a tree for each chunk of 9,728,000 bytes, and a tree of
//! the chunks' roots.
//!
//! eMule, "Advanced Intelligent Corruption Handling". When a tree has an odd number of leaves, a left child has the
//! larger half on its left, and a right child on its right; the root counts as a left child. The side of a chunk's tree
//! is known only at the end, so both roots are kept for each chunk.

use super::ed2k::CHUNK;
use super::fold::{Fold, hash_parts};
use super::shape::Keeping;
use super::{Leaves, Shape};
use crate::Digest;
use crate::algorithms::sha1::Sha1;
use crate::bank::serial;
use crate::lanes::bank::lanes;
use crate::stream::Blocks;

/// The bytes of a block. A chunk's last block is shorter.
const BLOCK: u64 = 184_320;

pub(crate) struct Aich;

impl Shape for Aich {
    const LEAVES: Leaves = Leaves {
        section: Some(CHUNK),
        keeping: Keeping::Nothing,
        ..Leaves::new(BLOCK, 20, [lanes::<Sha1>, serial::<Blocks<Sha1>>], || Box::new(Tree::default()))
    };
}

/// The side of its parent that a node is on.
#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
}

/// A chunk's root as a left child, and as a right child.
#[derive(Clone, Copy)]
struct Chunk([Digest; 2]);

#[derive(Clone, Default)]
struct Tree {
    /// The blocks of the current chunk.
    blocks: Vec<Digest>,
    chunks: Vec<Chunk>,
}

impl Tree {
    fn end_chunk(&mut self) {
        let root = |side| root(&self.blocks, side, &|block: &Digest, _| *block);
        self.chunks.push(Chunk([root(Side::Left), root(Side::Right)]));
        self.blocks.clear();
    }
}

impl Fold for Tree {
    fn leaf(&mut self, digest: &[u8]) {
        self.blocks.push(Digest::new(digest));
        if self.blocks.len() as u64 == CHUNK.div_ceil(BLOCK) {
            self.end_chunk();
        }
    }

    fn finish(&mut self, _: u64) -> Digest {
        if !self.blocks.is_empty() {
            self.end_chunk();
        }
        root(&self.chunks, Side::Left, &|chunk: &Chunk, side| chunk.0[side as usize])
    }
}

/// Returns the root of some nodes, of which there is at least one.
fn root<N>(nodes: &[N], side: Side, digest: &dyn Fn(&N, Side) -> Digest) -> Digest {
    if let [only] = nodes {
        return digest(only, side);
    }
    let left = match side {
        Side::Left => nodes.len().div_ceil(2),
        Side::Right => nodes.len() / 2,
    };
    let (left, right) = nodes.split_at(left);
    let (left, right) = (root(left, Side::Left, digest), root(right, Side::Right, digest));
    hash_parts::<Blocks<Sha1>>(&[left.as_bytes(), right.as_bytes()])
}
