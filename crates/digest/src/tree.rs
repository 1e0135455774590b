//! Hashes of messages that can be cut into segments, which are hashed in any order, on any threads.
//!
//! The caller provides the threads. All segments of a message have the same length: [`SegmentTree::segment_bytes`]
//! times a power of two; the last may be shorter, but not empty.

use crate::Digest;

/// Hashes the segments of one message separately and joins them.
pub trait SegmentTree: Sync {
    /// Returns the minimum length of a segment: a power of two.
    fn segment_bytes(&self) -> u64;

    /// Returns a length such that a range of the message may begin at each of its multiples: a power of two, at most a
    /// segment's length. If it is 1, nodes of any lengths can be joined.
    fn unit(&self) -> u64 {
        1
    }

    /// Hashes the segment at this offset of the message.
    fn leaf(&self, offset: u64, bytes: &[u8]) -> Node;

    /// Joins two adjacent nodes of equal length that are not the end of the message. So a message of any length needs
    /// only a few nodes at a time.
    fn parent(&self, left: &Node, right: &Node) -> Node;

    /// Returns the digest of the message with these nodes, in order. Their lengths are those of segments, or of results
    /// of [`SegmentTree::parent`], in descending order.
    ///
    /// # Panics
    /// If there are fewer than two: a message of one segment is hashed by a [`crate::Bank`].
    fn join(&self, nodes: &[Node]) -> Digest;
}

/// The result of hashing a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    pub(crate) value: [u8; 32],
    pub(crate) bytes: u64,
}

impl Node {
    /// The bytes of a stored node.
    pub(crate) const STORED: usize = 40;

    /// Encodes the node.
    pub(crate) fn to_bytes(self) -> [u8; Self::STORED] {
        let mut bytes = [0; Self::STORED];
        bytes[..32].copy_from_slice(&self.value);
        bytes[32..].copy_from_slice(&self.bytes.to_le_bytes());
        bytes
    }

    /// Decodes a node: any bytes are one.
    pub(crate) fn from_bytes(bytes: &[u8; Self::STORED]) -> Node {
        let (mut value, mut length) = ([0; 32], [0; 8]);
        value.copy_from_slice(&bytes[..32]);
        length.copy_from_slice(&bytes[32..]);
        Node { value, bytes: u64::from_le_bytes(length) }
    }

    /// Returns the length of its part of the message.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
