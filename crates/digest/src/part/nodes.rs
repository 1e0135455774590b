//! The nodes of a range of a tree.

use super::range::State;
use crate::Digest;
use crate::tree::{Node, SegmentTree};

/// A range that is cut into segments with lengths that are powers of two and divide their offsets, like those of trees.
pub(crate) struct Nodes {
    tree: &'static dyn SegmentTree,
    /// The offset of the range.
    start: u64,
    /// The offset of the segment in `waiting`.
    at: u64,
    waiting: Vec<u8>,
    nodes: Joined,
}

impl Nodes {
    pub(super) fn at(tree: &'static dyn SegmentTree, offset: u64) -> Self {
        Nodes { tree, start: offset, at: offset, waiting: Vec::new(), nodes: Joined::at(offset) }
    }

    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            // A segment waits until more bytes come: a single one may be the whole message.
            if self.waiting.len() as u64 == self.length() {
                let segment = std::mem::take(&mut self.waiting);
                self.take(&segment);
            }
            let wanted = self.length() - self.waiting.len() as u64;
            let (head, tail) = bytes.split_at(wanted.min(bytes.len() as u64) as usize);
            self.waiting.extend_from_slice(head);
            bytes = tail;
        }
    }

    /// Returns the bytes of the current segment. The first of a message is the shortest, so that no node covers all of
    /// it.
    fn length(&self) -> u64 {
        let (least, most) = (self.tree.unit().next_power_of_two(), self.tree.segment_bytes());
        match self.at {
            0 if least > 1 => least,
            _ if least == 1 => most,
            at => (1 << at.trailing_zeros()).clamp(least, most),
        }
    }

    fn take(&mut self, segment: &[u8]) {
        let node = self.tree.leaf(self.at, segment);
        self.at += segment.len() as u64;
        self.nodes.push(node, self.tree);
    }

    /// Returns the result of the range; `whole` hashes a message that is too short for two nodes.
    pub(super) fn finish(mut self, whole: impl Fn(&[u8]) -> Digest) -> State {
        let unit = self.tree.unit();
        if self.start == 0 && unit > 1 && self.at == 0 {
            let node = if self.waiting.is_empty() {
                Node { value: [0; 32], bytes: 0 }
            } else {
                self.tree.leaf(0, &self.waiting)
            };
            return State::Whole(node, whole(&self.waiting));
        }
        let rest = std::mem::take(&mut self.waiting);
        let mut rest = &rest[..];
        while !rest.is_empty() {
            // A message may end anywhere, but no other segment may.
            let length =
                if unit > 1 && rest.len() as u64 > unit { 1 << rest.len().ilog2() } else { rest.len() };
            let (segment, after) = rest.split_at(length);
            self.take(segment);
            rest = after;
        }
        State::Nodes(self.nodes.nodes)
    }
}

/// Adjacent nodes; siblings are joined.
pub(super) struct Joined {
    start: u64,
    pub(super) nodes: Vec<Node>,
}

impl Joined {
    pub(super) fn at(offset: u64) -> Self {
        Joined { start: offset, nodes: Vec::new() }
    }

    /// Adds the next node. Only now is it certain that the nodes before it are not the root.
    pub(super) fn push(&mut self, node: Node, tree: &dyn SegmentTree) {
        while let [rest @ .., left, right] = &self.nodes[..] {
            let offset = self.start + rest.iter().map(Node::bytes).sum::<u64>();
            if left.bytes() != right.bytes() || !offset.is_multiple_of(2 * left.bytes().max(1)) {
                break;
            }
            let parent = tree.parent(left, right);
            self.nodes.truncate(rest.len());
            self.nodes.push(parent);
        }
        self.nodes.push(node);
    }
}
