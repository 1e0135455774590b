//! Compact storage of digests: those of one set of algorithms are stored side by side, without names or lengths.

use super::learner::Learner;
use crate::Named;
use hashloom_digest::{Algorithm, guesses, of_bits};
use std::slice;

/// A digest as a list has it.
#[derive(Clone, Copy)]
pub(super) struct Stored<'a> {
    /// The algorithms that it may be of. None where nothing names it and none of its length is guessed.
    pub may_be: &'a [&'static Algorithm],
    /// Nothing in the list names the algorithm.
    pub unnamed: bool,
    /// No file has told yet which of them it is.
    pub open: bool,
    /// The digest.
    pub bytes: &'a [u8],
}

/// The algorithm of one digest of each record of a group.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Column {
    /// Of an unnamed one the likeliest, until it is learnt.
    algorithm: &'static Algorithm,
    unnamed: bool,
    open: bool,
    /// The place of an unnamed one among those of its length.
    place: usize,
}

/// The digests of all records that have the same algorithms in the same order.
pub(super) struct Group {
    pub columns: Vec<Column>,
    /// The list that the records are of, where nothing names some of the algorithms: each list is learnt by itself.
    list: Option<usize>,
    width: usize,
    bytes: Vec<u8>,
}

impl Column {
    /// The algorithms that digests of this column may be of.
    pub fn may_be(&self) -> &[&'static Algorithm] {
        if self.open { guesses(self.algorithm.bits) } else { slice::from_ref(&self.algorithm) }
    }

    /// The algorithm that the list names, or that was learnt.
    pub fn named(&self) -> Option<&'static Algorithm> {
        (!self.open).then_some(self.algorithm)
    }

    /// The algorithm by which content is looked up: of an open column the likeliest one, of several open ones of one
    /// length that of the first.
    pub fn usual(&self) -> Option<&'static Algorithm> {
        self.may_be().first().copied().filter(|_| !self.open || self.place == 0)
    }
}

/// The columns of a record: its algorithms, and for each unnamed digest its place among those of its length.
fn columns(digests: &[Named]) -> impl Iterator<Item = Column> + '_ {
    placed(digests).map(|(named, place)| Column {
        algorithm: named.algorithm,
        unnamed: named.guessed,
        open: named.guessed,
        place,
    })
}

/// The digests of a line, each with its place among the unnamed ones of its length.
pub(super) fn placed(digests: &[Named]) -> impl Iterator<Item = (&Named, usize)> {
    digests.iter().enumerate().map(|(at, named)| {
        let bits = named.digest.bits();
        let like = digests[..at].iter().filter(|other| other.guessed && other.digest.bits() == bits);
        (named, like.count())
    })
}

impl Group {
    /// A group for records like this one of a list.
    pub fn new(digests: &[Named], list: usize) -> Self {
        let width = digests.iter().map(|named| named.digest.as_bytes().len()).sum();
        let list = digests.iter().any(|named| named.guessed).then_some(list);
        Group { columns: columns(digests).collect(), list, width, bytes: Vec::new() }
    }

    /// Whether these digests of a list belong here.
    pub fn fits(&self, digests: &[Named], list: usize) -> bool {
        self.list.is_none_or(|own| own == list) && self.columns.iter().copied().eq(columns(digests))
    }

    /// Adds the digests of a record; says their row.
    pub fn push(&mut self, digests: &[Named]) -> u32 {
        let row = self.bytes.len() / self.width.max(1);
        for named in digests {
            self.bytes.extend_from_slice(named.digest.as_bytes());
        }
        row as u32
    }

    /// The digests of a row.
    pub fn row(&self, row: u32) -> impl Iterator<Item = Stored<'_>> {
        let start = row as usize * self.width;
        let mut rest = &self.bytes[start..start + self.width];
        self.columns.iter().map(move |column| {
            let (bytes, after) = rest.split_at((column.algorithm.bits / 8) as usize);
            rest = after;
            Stored { may_be: column.may_be(), unnamed: column.unnamed, open: column.open, bytes }
        })
    }

    /// Settles unnamed digests by what was learnt of their list.
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

    /// Settles unnamed digests of this length that are alone by an algorithm.
    pub fn name(&mut self, algorithm: &'static Algorithm) {
        let open = |column: &&mut Column| column.open && column.algorithm.bits == algorithm.bits;
        for column in self.columns.iter_mut().filter(open).filter(|column| column.place == 0) {
            (column.algorithm, column.open) = (algorithm, false);
        }
    }

    /// Settles all unnamed digests by their length and place alone: enough to compare them with those of another list
    /// that names none either.
    pub fn assume(&mut self) {
        for column in self.columns.iter_mut().filter(|column| column.open) {
            if let Some(algorithm) = of_bits(column.algorithm.bits).nth(column.place) {
                column.algorithm = algorithm;
            }
            column.open = false;
        }
    }
}
