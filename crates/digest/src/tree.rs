//! Hashes whose message may be cut into segments that are hashed in any order, on any threads.
//!
//! The threads are the caller's. Segments of one message have one length: [`Tree::segment_bytes`] times
//! a power of two; the last may be shorter, but not empty.

use crate::Digest;

/// Hashes the segments of one message apart and joins them.
pub trait Tree: Sync {
    /// The least length of a segment: a power of two.
    fn segment_bytes(&self) -> u64;

    /// The length of which any multiple is where a range of the message may begin that is hashed apart: a power of two, a
    /// segment's at most. If it is 1, nodes of any lengths can be joined.
    fn unit(&self) -> u64 {
        self.segment_bytes()
    }

    /// Hashes the segment that starts at this offset in the message.
    fn leaf(&self, offset: u64, bytes: &[u8]) -> Node;

    /// Joins two adjacent nodes of one length behind which more of the message follows, so that a
    /// message of any length needs only a few nodes at a time.
    fn parent(&self, left: &Node, right: &Node) -> Node;

    /// The digest of the message that these nodes make, in its order. Their lengths are those of
    /// segments, or what [`Tree::parent`] made of them, never rising.
    ///
    /// # Panics
    /// If there are less than two: a message of one segment is hashed by a [`crate::Bank`].
    fn join(&self, nodes: &[Node]) -> Digest;
}

/// What is left of a segment that was hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    pub(crate) value: [u8; 32],
    pub(crate) bytes: u64,
}

impl Node {
    /// How many bytes of the message it stands for.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
