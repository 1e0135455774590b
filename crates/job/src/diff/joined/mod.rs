//! Comparison of two manifests in memory that doesn't grow with them.
//!
//! Both are read side by side in the order of paths, each on its own thread. One in another order is sorted outside
//! memory. Files that are the same in both, which are nearly all, need no memory: the
//! [`Judge`](super::judge::Judge) gets only the others, and the known files of the same content as a file that is new,
//! which decide whether it was copied. Its verdicts are those that it would give on all records.
//!
//! Manifests that need more than that are read into memory as a whole: those with several records of a path, other
//! spellings of paths, pieces, stored objects, digests without a named algorithm, or parts that can't be parsed. So are
//! lists that differ in more than fits into memory.

mod join;
mod look;
#[cfg(test)]
mod tests;

pub(super) use join::SAMPLE;

use crate::audit::Manifests;
use crate::error::Error;
use hashmill_engine::Cancel;
use hashmill_lists::entries::{Entries, List, Order, Stop};
use join::{Differences, in_order, join};
use look::{KnownSide, look};
use std::thread;

/// Two manifests of which only the differences are in memory.
pub(super) struct Joined {
    /// The old side: files that differ, and files with the content of new ones.
    pub(super) old: Manifests,
    /// The new side: files that differ.
    pub(super) new: Manifests,
    /// Paths of the old side that the new side has, too, with the same content.
    pub(super) seen: Vec<Box<[u8]>>,
    /// The number of files that are the same in both and not among those.
    pub(super) matched: u64,
}

impl Joined {
    /// Reads two manifests side by side. Returns `None` if they have to be read as a whole.
    ///
    /// # Errors
    /// If there are more records than memory can hold, or there is no room for temporary files.
    pub(super) fn read(
        old: &List,
        new: &List,
        memory: usize,
        with_times: bool,
        cancel: &Cancel,
    ) -> Result<Option<Joined>, Error> {
        let found = differences(old, new, memory, cancel).and_then(|mut found| {
            let known = match found.new_paths.is_empty() {
                true => KnownSide { records: in_order(std::mem::take(&mut found.old)), seen: Vec::new() },
                false => look(old, new, &mut found, cancel)?,
            };
            Ok((found, known))
        });
        let (found, KnownSide { records, seen }) = match found {
            Ok(found) => found,
            Err(Stop::Failed(why)) => return Err(why.into()),
            Err(Stop::Cancelled) => {
                (Differences::default(), KnownSide { records: Vec::new(), seen: Vec::new() })
            }
            Err(Stop::Whole | Stop::Unordered) => return Ok(None),
        };
        if !old.is_unchanged() || !new.is_unchanged() {
            return Ok(None);
        }
        let known = Manifests::from_records(old.name(), records, with_times)?;
        let observed = Manifests::from_records(new.name(), in_order(found.new), with_times)?;
        Ok(Some(Joined {
            old: known.listing_others(old.has_others()),
            new: observed.listing_others(new.has_others()),
            seen,
            matched: found.matched,
        }))
    }
}

/// Reads both lists at the same time, and returns the records in which they differ. A list that turns out not to be in
/// order is sorted in a second attempt.
fn differences(old: &List, new: &List, memory: usize, cancel: &Cancel) -> Result<Differences, Stop> {
    loop {
        let sorted = [old, new].map(List::is_unordered);
        let found = thread::scope(|scope| {
            let order = Order::ByPath(memory / 4);
            // Both are read at the same time, and sorted if need be.
            let old = Entries::start(scope, old, order, cancel)?;
            let new = Entries::start(scope, new, order, cancel)?;
            join(&mut old.ready()?, &mut new.ready()?, memory / 2)
        });
        let is_news = [old, new].map(List::is_unordered) != sorted;
        match found {
            Err(Stop::Unordered) if is_news => {}
            found => return found,
        }
    }
}
