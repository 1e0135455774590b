//! The digests that two lists have in common.

use super::batch::{ListEntry, bytes_of};
use hashmill_digest::Algorithm;

/// Places of the digests that two lists have in common, in the records of both.
pub struct Common(Vec<[std::ops::Range<usize>; 2]>);

impl Common {
    /// Finds the algorithms that both lists have.
    pub fn new(old: &[&'static Algorithm], new: &[&'static Algorithm]) -> Common {
        let places = |algorithms: &[&'static Algorithm]| {
            let mut end = 0;
            let place = |algorithm: &&'static Algorithm| {
                let start = end;
                end += bytes_of(algorithm);
                start..end
            };
            algorithms.iter().map(place).collect::<Vec<_>>()
        };
        let (ours, theirs) = (places(old), places(new));
        let pair = |(at, algorithm): (usize, &&'static Algorithm)| {
            let other = new.iter().position(|other| other == algorithm)?;
            Some([ours[at].clone(), theirs[other].clone()])
        };
        Common(old.iter().enumerate().filter_map(pair).collect())
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether nothing differs between two hashed records.
    pub fn is_same(&self, old: &ListEntry<'_>, new: &ListEntry<'_>) -> bool {
        let sizes = old.size.zip(new.size).is_none_or(|(old, new)| old == new);
        sizes && self.0.iter().all(|[ours, theirs]| old.digests[ours.clone()] == new.digests[theirs.clone()])
    }

    /// Appends the common digests of a record of the old list.
    pub fn of_old(&self, digests: &[u8], out: &mut Vec<u8>) {
        self.0.iter().for_each(|[ours, _]| out.extend_from_slice(&digests[ours.clone()]));
    }
}
