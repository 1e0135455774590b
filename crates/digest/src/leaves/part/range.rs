//! What is left of a range.

use crate::Digest;
use crate::algorithm::Algorithm;
use crate::tree::Node;

/// What is left of a range of a message. It can be stored ([`Part::to_bytes`]) and sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Of which digest it is a part.
    pub algorithm: &'static Algorithm,
    /// Where the range begins in the message.
    pub offset: u64,
    /// Its bytes.
    pub bytes: u64,
    /// What was made of them.
    pub(crate) state: State,
}

/// What was made of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// The digests of its leaves, one after another.
    Leaves(Vec<u8>),
    /// The nodes of a tree, in order.
    Nodes(Vec<Node>),
    /// The one node of a range that may be a whole message, and the digest that it has then.
    Whole(Node, Digest),
}

impl Part {
    /// The digests of its leaves, one after another; none if it is no part of leaves.
    pub fn leaves(&self) -> Option<&[u8]> {
        if let State::Leaves(leaves) = &self.state { Some(leaves) } else { None }
    }

    /// Where the range ends in the message.
    pub fn end(&self) -> u64 {
        self.offset + self.bytes
    }
}
