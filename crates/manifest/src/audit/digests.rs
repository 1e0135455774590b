//! Compact storage of digests: those of one set of algorithms are stored side by side, without names or lengths.

use super::learner::Learner;
use crate::Named;
use hashmill_digest::{Algorithm, guesses, of_bits};
use std::slice;

/// A digest of a list.
#[derive(Clone, Copy)]
pub(super) struct Stored<'a> {
    /// The possible algorithms. Empty if the digest is unnamed and digests of its length are not guessed.
    pub may_be: &'a [&'static Algorithm],
    /// Whether the list does not name the algorithm.
    pub unnamed: bool,
    /// Whether the algorithm is still undecided.
    pub open: bool,
    pub bytes: &'a [u8],
}

/// The algorithm of one digest in each record of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    /// The algorithm; for an unnamed digest the likeliest one, until it is learnt.
    algorithm: &'static Algorithm,
    unnamed: bool,
    open: bool,
    /// The position of an unnamed digest among those of its length.
    place: usize,
}

/// The digests of all records with the same algorithms in the same order.
pub(super) struct Group {
    pub columns: Vec<Column>,
    /// The list of the records, if it does not name all algorithms: each list is learnt separately.
    pub list: Option<usize>,
    width: usize,
    bytes: Vec<u8>,
}

impl Column {
    /// Returns the possible algorithms of this column.
    pub fn may_be(&self) -> &[&'static Algorithm] {
        if self.open { guesses(self.algorithm.bits) } else { slice::from_ref(&self.algorithm) }
    }

    /// Returns the algorithm that the list names or that was learnt.
    pub fn named(&self) -> Option<&'static Algorithm> {
        (!self.open).then_some(self.algorithm)
    }

    /// Returns the algorithm by which content is looked up: of an open column the likeliest one. Of several open
    /// columns of one length, only the first is used.
    pub fn usual(&self) -> Option<&'static Algorithm> {
        self.may_be().first().copied().filter(|_| !self.open || self.place == 0)
    }
}

/// Returns the columns of a record: its algorithms, and for each unnamed digest its position among those of its length.
fn columns(digests: &[Named]) -> impl Iterator<Item = Column> + '_ {
    placed(digests).map(|(named, place)| Column {
        algorithm: named.algorithm,
        unnamed: named.guessed,
        open: named.guessed,
        place,
    })
}

/// Returns the digests of a line, each with its position among the unnamed ones of its length.
pub(super) fn placed(digests: &[Named]) -> impl Iterator<Item = (&Named, usize)> {
    digests.iter().enumerate().map(|(at, named)| {
        let bits = named.digest.bits();
        let like = digests[..at].iter().filter(|other| other.guessed && other.digest.bits() == bits);
        (named, like.count())
    })
}

impl Group {
    /// Creates a group for records of a list with the same algorithms as this one.
    pub fn new(digests: &[Named], list: usize) -> Self {
        let width = digests.iter().map(|named| named.digest.as_bytes().len()).sum();
        let list = digests.iter().any(|named| named.guessed).then_some(list);
        Group { columns: columns(digests).collect(), list, width, bytes: Vec::new() }
    }

    /// Returns whether these digests of a list belong to this group.
    pub fn fits(&self, digests: &[Named], list: usize) -> bool {
        self.list.is_none_or(|own| own == list) && self.columns.iter().copied().eq(columns(digests))
    }

    /// Adds the digests of a record; returns their row.
    pub fn push(&mut self, digests: &[Named]) -> u32 {
        let row = self.bytes.len() / self.width.max(1);
        for named in digests {
            self.bytes.extend_from_slice(named.digest.as_bytes());
        }
        row as u32
    }

    /// Returns the digests of a row.
    pub fn row(&self, row: u32) -> impl Iterator<Item = Stored<'_>> {
        let start = row as usize * self.width;
        let mut rest = &self.bytes[start..start + self.width];
        self.columns.iter().map(move |column| {
            let (bytes, after) = rest.split_at((column.algorithm.bits / 8) as usize);
            rest = after;
            Stored { may_be: column.may_be(), unnamed: column.unnamed, open: column.open, bytes }
        })
    }

    /// Settles unnamed digests with what was learnt about their list.
    pub fn settle(&mut self, list: usize, learner: &Learner) {
        if self.list != Some(list) {
            return;
        }
        for column in self.columns.iter_mut().filter(|column| column.open) {
            if let Some(learnt) = learner.learnt(column.algorithm.bits, column.place) {
                (column.algorithm, column.open) = (learnt, false);
            }
        }
    }

    /// Settles the unnamed digests of this algorithm's length that are the first of their length in a line.
    pub fn name(&mut self, algorithm: &'static Algorithm) {
        let open = |column: &&mut Column| column.open && column.algorithm.bits == algorithm.bits;
        for column in self.columns.iter_mut().filter(open).filter(|column| column.place == 0) {
            (column.algorithm, column.open) = (algorithm, false);
        }
    }

    /// Settles all unnamed digests by length and position alone, to compare them with another list without algorithms.
    pub fn assume(&mut self) {
        for column in self.columns.iter_mut().filter(|column| column.open) {
            if let Some(algorithm) = of_bits(column.algorithm.bits).nth(column.place) {
                column.algorithm = algorithm;
            }
            column.open = false;
        }
    }
}
