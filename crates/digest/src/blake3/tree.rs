//! One message of BLAKE3 on several threads.

use super::hasher::{Hasher, merge, merge_root};
use crate::Digest;
use crate::bank::Stream;
use crate::tree::{Node, Tree};
use blake3::hazmat;

/// The segments of BLAKE3 are subtrees.
pub(crate) struct Blake3Tree;

impl Tree for Blake3Tree {
    fn segment_bytes(&self) -> u64 {
        // Sixteen chunks fill the widest registers; eight times that hides the merging of chaining values.
        128 * 1024
    }

    fn unit(&self) -> u64 {
        1024
    }

    fn leaf(&self, offset: u64, bytes: &[u8]) -> Node {
        Node { value: Hasher::subtree(offset, bytes), bytes: bytes.len() as u64 }
    }

    fn parent(&self, left: &Node, right: &Node) -> Node {
        let value = merge(&left.value, &right.value);
        Node { value, bytes: left.bytes + right.bytes }
    }

    fn join(&self, nodes: &[Node]) -> Digest {
        let (left, right) = halves(nodes);
        Digest::new(&merge_root(&subtree(left), &subtree(right)))
    }
}

/// The chaining value over these segments.
fn subtree(nodes: &[Node]) -> [u8; 32] {
    if let [node] = nodes {
        return node.value;
    }
    let (left, right) = halves(nodes);
    merge(&subtree(left), &subtree(right))
}

/// The left subtree has the largest power of two of chunks that leaves at least one byte for the right
/// (paper, section 2.1).
fn halves(nodes: &[Node]) -> (&[Node], &[Node]) {
    let left = hazmat::left_subtree_len(nodes.iter().map(|node| node.bytes).sum());
    let ends = nodes.iter().scan(0, |end, node| {
        *end += node.bytes;
        Some(*end)
    });
    nodes.split_at(ends.take_while(|end| *end <= left).count())
}

/// The hash of a digest.
pub(crate) fn again(digest: Digest) -> Digest {
    let mut second = Hasher::new();
    second.update(digest.as_bytes());
    second.finish()
}
