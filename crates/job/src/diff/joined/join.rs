//! The join of two lists in the order of paths.

use hashmill_digest::Algorithm;
use hashmill_lists::entries::spool::weight;
use hashmill_lists::entries::{Common, Entries, ListEntry, Stop};
use hashmill_manifest::Record;
use std::cmp::Ordering;

/// The number of paths of a manifest that are looked up on the other side, to find its root there.
pub(crate) const SAMPLE: usize = 256;

/// Bytes that a record takes in memory besides its path, in the lists of differences and in the judge.
const RECORD: usize = 320;

/// A record, and its number in its list.
pub(super) type Numbered = (u64, Record);

/// The records in which two lists differ, in the order of paths.
#[derive(Default)]
pub(super) struct Differences {
    pub(super) old: Vec<Numbered>,
    pub(super) new: Vec<Numbered>,
    /// Hashed records of the new list whose path the old one does not have: their numbers among all hashed records of
    /// the list, and their places in `new`.
    pub(super) new_paths: Vec<(u64, usize)>,
    /// The number of hashed records of the new list.
    pub(super) hashed: u64,
    /// The number of files that are the same in both lists and are not in `old` and `new`.
    pub(super) matched: u64,
    /// The algorithms of each list.
    pub(super) algorithms: [Vec<&'static Algorithm>; 2],
}

/// Sampled records of the new list.
pub(super) struct Sample {
    /// Their numbers among all hashed records of the list.
    pub(super) numbers: Vec<u64>,
    /// How many of their paths the old list has.
    pub(super) own: usize,
}

/// The next records of two lists: of both if they have the same path.
struct Next<'a> {
    old: Option<ListEntry<'a>>,
    new: Option<ListEntry<'a>>,
}

impl<'a> Next<'a> {
    /// Looks at the lists; returns `None` at the end of both.
    fn of(old: &'a Entries, new: &'a Entries) -> Option<Next<'a>> {
        let (ours, theirs) = (old.peek(), new.peek());
        let order = match (&ours, &theirs) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(ours), Some(theirs)) => ours.path.cmp(theirs.path),
        };
        let (old, new) = (ours.filter(|_| order.is_le()), theirs.filter(|_| order.is_ge()));
        Some(Next { old, new })
    }

    /// Returns the records if both files were hashed.
    fn hashed(&self) -> Option<(ListEntry<'a>, ListEntry<'a>)> {
        self.old.zip(self.new).filter(|(old, new)| old.unhashed.is_none() && new.unhashed.is_none())
    }
}

/// Reads two lists side by side.
///
/// # Errors
/// If one of them has to be read as a whole, or the differences take more than `memory` bytes.
pub(super) fn join(old: &mut Entries, new: &mut Entries, memory: usize) -> Result<Differences, Stop> {
    let (mut found, mut common, mut bytes, mut has_pair) = (Differences::default(), None, 0, false);
    while let Some(next) = Next::of(old, new) {
        let (in_old, in_new) = (next.old.is_some(), next.new.is_some());
        let is_same = next.hashed().is_some_and(|(ours, theirs)| {
            let common = common.get_or_insert_with(|| Common::new(old.algorithms(), new.algorithms()));
            !common.is_empty() && common.is_same(&ours, &theirs)
        });
        // The first pair stays, so that both sides have a record with their algorithms.
        if is_same && has_pair {
            found.matched += 1;
        } else {
            has_pair |= next.hashed().is_some();
            bytes += found.add(&next, old, new);
        }
        if bytes > memory {
            return Err(Stop::Whole);
        }
        if in_old {
            old.advance()?;
        }
        if in_new {
            new.advance()?;
        }
    }
    found.hashed = new.hashed;
    found.algorithms = [old.algorithms().to_vec(), new.algorithms().to_vec()];
    Ok(found)
}

impl Differences {
    /// Adds records that differ. Returns the bytes that they take.
    fn add(&mut self, next: &Next<'_>, old: &Entries, new: &Entries) -> usize {
        let is_hashed = |entry: Option<ListEntry<'_>>| entry.is_some_and(|entry| entry.unhashed.is_none());
        if is_hashed(next.new) && !is_hashed(next.old) {
            self.new_paths.extend(next.new.map(|entry| (entry.hashed, self.new.len())));
        }
        self.old.extend(next.old.map(|entry| (entry.number, old.record(entry))));
        self.new.extend(next.new.map(|entry| (entry.number, new.record(entry))));
        let bytes = |entry: ListEntry<'_>| RECORD + 2 * entry.path.len() + entry.unhashed.map_or(0, weight);
        next.old.into_iter().chain(next.new).map(bytes).sum()
    }

    /// Samples the new list as [`find_common_root`](hashmill_manifest::audit::find_common_root) needs it. Returns `None`
    /// if the old list has all sampled paths, so that its root is the same.
    pub(super) fn sample(&self) -> Option<Sample> {
        let step = self.hashed.div_ceil(SAMPLE as u64).max(1);
        let numbers: Vec<u64> = (0..self.hashed).step_by(step as usize).collect();
        let new = self.new_paths.iter().filter(|(number, _)| number % step == 0).count();
        (new > 0).then(|| Sample { own: numbers.len() - new, numbers })
    }
}

/// Returns records in the order of their list.
pub(super) fn in_order(mut records: Vec<Numbered>) -> Vec<Record> {
    records.sort_by_key(|(number, _)| *number);
    records.into_iter().map(|(_, record)| record).collect()
}
