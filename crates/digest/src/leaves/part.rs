//! Parts: what is left of ranges of a message that were hashed apart, in other processes or on other machines, and what
//! is made of them.

mod fold;
mod nodes;
mod stored;

pub use fold::{Missing, fold};
pub use stored::BadPart;

use super::{LeafBank, Leaves};
use crate::Digest;
use crate::algorithm::{Algorithm, hash};
use crate::bank::{self, Slot};
use crate::tree::Node;
use nodes::Nodes;

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

/// Hashes one range of a message, whose bytes come in any number of calls.
pub struct PartHasher {
    algorithm: &'static Algorithm,
    offset: u64,
    bytes: u64,
    range: Range,
}

enum Range {
    Leaves { bank: LeafBank, slot: Slot },
    Tree(Nodes),
}

impl Algorithm {
    /// The length of which any multiple is where a part of a message may begin; none if there are no parts.
    pub fn part_unit(&self) -> Option<u64> {
        let leaves = self.leaves.map(|leaves| leaves.unit());
        leaves.or_else(|| self.tree.map(|tree| tree.unit()))
    }
}

impl PartHasher {
    /// For a range that begins at this offset.
    ///
    /// # Errors
    /// If the algorithm has no parts, or none that begins there.
    pub fn new(algorithm: &'static Algorithm, offset: u64) -> Result<PartHasher, BadPart> {
        let unit = algorithm.part_unit().ok_or(BadPart::Serial(algorithm.name))?;
        let begins = algorithm.leaves.map_or(offset.is_multiple_of(unit), |leaves| leaves.begins(offset));
        if !begins {
            return Err(BadPart::Offset { offset, unit });
        }
        let range = match (algorithm.leaves, algorithm.tree) {
            (Some(shape), _) => leaves_at(shape, offset),
            (None, Some(tree)) => Range::Tree(Nodes::at(tree, offset)),
            (None, None) => return Err(BadPart::Serial(algorithm.name)),
        };
        Ok(PartHasher { algorithm, offset, bytes: 0, range })
    }

    /// Hashes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        match &mut self.range {
            Range::Leaves { bank, slot } => bank.update(&[bank::Part { slot: *slot, bytes, last: false }]),
            Range::Tree(nodes) => nodes.update(bytes),
        }
    }

    /// What is left of the range. It ends where a part may begin, or the message ends there.
    pub fn finish(self) -> Part {
        let PartHasher { algorithm, offset, bytes, range } = self;
        let state = match range {
            Range::Leaves { mut bank, slot } => State::Leaves(bank.close(slot)),
            Range::Tree(nodes) => nodes.finish(|message| hash(algorithm, message)),
        };
        Part { algorithm, offset, bytes, state }
    }
}

fn leaves_at(shape: Leaves, offset: u64) -> Range {
    let mut bank = LeafBank::new(shape);
    let slot = bank.open(offset);
    Range::Leaves { bank, slot }
}

/// The part of a range that is all in memory.
///
/// # Errors
/// As [`PartHasher::new`].
pub fn part(algorithm: &'static Algorithm, offset: u64, bytes: &[u8]) -> Result<Part, BadPart> {
    let mut hasher = PartHasher::new(algorithm, offset)?;
    hasher.update(bytes);
    Ok(hasher.finish())
}
