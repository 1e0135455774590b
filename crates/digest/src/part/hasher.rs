//! Hashes a range.

use super::nodes::Nodes;
use super::range::{RangePart, State};
use super::stored::BadPart;
use crate::algorithm::{Algorithm, hash};
use crate::bank::{self, Slot};
use crate::leaves::{LeafBank, Leaves};

/// Hashes one range of a message; its bytes may come in any number of calls.
pub struct PartHasher {
    algorithm: &'static Algorithm,
    offset: u64,
    bytes: u64,
    range: Work,
}

enum Work {
    Leaves { bank: LeafBank, slot: Slot },
    Tree(Nodes),
}

impl Algorithm {
    /// Returns a length such that a part of a message may begin at each of its multiples; `None` if there are no parts.
    pub fn part_unit(&self) -> Option<u64> {
        let leaves = self.leaves.map(|leaves| leaves.unit());
        leaves.or_else(|| self.tree.map(|tree| tree.unit()))
    }
}

impl PartHasher {
    /// Creates a hasher for a range at this offset.
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
            (None, Some(tree)) => Work::Tree(Nodes::at(tree, offset)),
            (None, None) => return Err(BadPart::Serial(algorithm.name)),
        };
        Ok(PartHasher { algorithm, offset, bytes: 0, range })
    }

    /// Hashes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        match &mut self.range {
            Work::Leaves { bank, slot } => {
                bank.update(&[bank::StreamPart { slot: *slot, bytes, last: false }])
            }
            Work::Tree(nodes) => nodes.update(bytes),
        }
    }

    /// Returns the part. The range must end where a part may begin, or at the end of the message.
    pub fn finish(self) -> RangePart {
        let PartHasher { algorithm, offset, bytes, range } = self;
        let state = match range {
            Work::Leaves { mut bank, slot } => State::Leaves(bank.close(slot)),
            Work::Tree(nodes) => nodes.finish(|message| hash(algorithm, message)),
        };
        RangePart { algorithm, offset, bytes, state }
    }
}

fn leaves_at(shape: Leaves, offset: u64) -> Work {
    let mut bank = LeafBank::new(shape);
    let slot = bank.open(offset);
    Work::Leaves { bank, slot }
}

/// Computes the part of a range in memory.
///
/// # Errors
/// As [`PartHasher::new`].
pub fn part(algorithm: &'static Algorithm, offset: u64, bytes: &[u8]) -> Result<RangePart, BadPart> {
    let mut hasher = PartHasher::new(algorithm, offset)?;
    hasher.update(bytes);
    Ok(hasher.finish())
}
