//! Hashes one message of BLAKE3 on several threads.

use super::hasher::{Hasher, merge, merge_root};
use crate::Digest;
use crate::bank::StreamState;
use crate::tree::{Node, SegmentTree};
use blake3::hazmat;

/// The operations on subtrees that depend on the mode of BLAKE3.
pub(super) trait Merge: Sync {
    /// Returns the chaining value of a subtree at this offset of its message.
    fn subtree(&self, offset: u64, bytes: &[u8]) -> [u8; 32];
    /// Returns the chaining value of two subtrees.
    fn merge(&self, left: &[u8; 32], right: &[u8; 32]) -> [u8; 32];
    /// Returns the digest of two subtrees.
    fn root(&self, left: &[u8; 32], right: &[u8; 32]) -> Digest;
}

/// The tree of plain BLAKE3.
pub(crate) struct Blake3Tree;

impl Merge for Blake3Tree {
    fn subtree(&self, offset: u64, bytes: &[u8]) -> [u8; 32] {
        Hasher::subtree(offset, bytes)
    }

    fn merge(&self, left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
        merge(left, right)
    }

    fn root(&self, left: &[u8; 32], right: &[u8; 32]) -> Digest {
        Digest::new(&merge_root(left, right))
    }
}

/// The segments of BLAKE3 are subtrees.
impl<M: Merge> SegmentTree for M {
    fn segment_bytes(&self) -> u64 {
        // Sixteen chunks fill the widest registers; eight times that hides the cost of merging.
        128 * 1024
    }

    fn unit(&self) -> u64 {
        1024
    }

    fn leaf(&self, offset: u64, bytes: &[u8]) -> Node {
        Node { value: self.subtree(offset, bytes), bytes: bytes.len() as u64 }
    }

    fn parent(&self, left: &Node, right: &Node) -> Node {
        let value = self.merge(&left.value, &right.value);
        Node { value, bytes: left.bytes + right.bytes }
    }

    fn join(&self, nodes: &[Node]) -> Digest {
        let (left, right) = halves(nodes);
        self.root(&over(self, left), &over(self, right))
    }
}

/// Returns the chaining value of these segments.
fn over(mode: &impl Merge, nodes: &[Node]) -> [u8; 32] {
    if let [node] = nodes {
        return node.value;
    }
    let (left, right) = halves(nodes);
    mode.merge(&over(mode, left), &over(mode, right))
}

/// Splits the nodes: the left subtree has the largest power of two of chunks that leaves at least one byte for the
/// right (paper, section 2.1).
fn halves(nodes: &[Node]) -> (&[Node], &[Node]) {
    let left = hazmat::left_subtree_len(nodes.iter().map(|node| node.bytes).sum());
    let ends = nodes.iter().scan(0, |end, node| {
        *end += node.bytes;
        Some(*end)
    });
    nodes.split_at(ends.take_while(|end| *end <= left).count())
}

pub(crate) fn again(digest: Digest) -> Digest {
    let mut second = Hasher::new();
    second.update(digest.as_bytes());
    second.finish()
}
