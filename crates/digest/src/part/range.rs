//! The result of a range.

use crate::Digest;
use crate::algorithm::Algorithm;
use crate::tree::Node;

/// The result of a range of a message. It can be stored ([`RangePart::to_bytes`]) and sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangePart {
    /// The digest's algorithm.
    pub algorithm: &'static Algorithm,
    /// The offset of the range in the message.
    pub offset: u64,
    /// The length of the range.
    pub bytes: u64,
    /// The result.
    pub(crate) state: State,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// The digests of its leaves, one after another.
    Leaves(Vec<u8>),
    /// The nodes of a tree, in order.
    Nodes(Vec<Node>),
    /// The single node of a range that may be a whole message, and its digest in that case.
    Whole(Node, Digest),
}

impl RangePart {
    /// Returns the digests of its leaves, one after another; `None` for a tree.
    pub fn leaves(&self) -> Option<&[u8]> {
        if let State::Leaves(leaves) = &self.state { Some(leaves) } else { None }
    }

    /// Returns the end of the range in the message.
    pub fn end(&self) -> u64 {
        self.offset + self.bytes
    }
}
