//! Compact storage of digests: those of one set of algorithms are stored side by side, without names or lengths.

use crate::Named;
use hashloom_digest::Algorithm;

/// The digests of all records that have the same algorithms in the same order.
pub(super) struct Group {
    /// The algorithms, and whether each was guessed.
    pub algorithms: Vec<(&'static Algorithm, bool)>,
    width: usize,
    bytes: Vec<u8>,
}

impl Group {
    pub fn new(digests: &[Named]) -> Self {
        let algorithms = digests.iter().map(|named| (named.algorithm, named.guessed)).collect();
        let width = digests.iter().map(|named| named.digest.as_bytes().len()).sum();
        Group { algorithms, width, bytes: Vec::new() }
    }

    /// Whether these digests belong here.
    pub fn fits(&self, digests: &[Named]) -> bool {
        let theirs = digests.iter().map(|named| (named.algorithm, named.guessed));
        self.algorithms.iter().copied().eq(theirs)
    }

    /// Adds the digests of a record; says their row.
    pub fn push(&mut self, digests: &[Named]) -> u32 {
        let row = self.bytes.len() / self.width.max(1);
        for named in digests {
            self.bytes.extend_from_slice(named.digest.as_bytes());
        }
        row as u32
    }

    /// The digests of a row with their algorithms.
    pub fn row(&self, row: u32) -> impl Iterator<Item = (&'static Algorithm, &[u8])> {
        let start = row as usize * self.width;
        let mut rest = &self.bytes[start..start + self.width];
        self.algorithms.iter().map(move |(algorithm, _)| {
            let (digest, after) = rest.split_at((algorithm.bits / 8) as usize);
            rest = after;
            (*algorithm, digest)
        })
    }

    /// Replaces guesses by what was learnt. An algorithm that the group has already stays alone.
    pub fn learn(&mut self, bits: u32, learnt: &'static Algorithm) {
        let there = self.algorithms.iter().any(|(algorithm, _)| *algorithm == learnt);
        for (algorithm, guessed) in &mut self.algorithms {
            let right = *algorithm == learnt;
            if *guessed && algorithm.bits == bits && (right || !there) {
                (*algorithm, *guessed) = (learnt, false);
            }
        }
    }
}
