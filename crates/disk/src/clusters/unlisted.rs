//! Entries that a directory does not list and other programs may show: behind its end, or marked as parts of long names.
//!
//! Old slots may lie there, too. They are told from files in use by their clusters: those of a file in use are marked so,
//! and no listed entry has them.

use super::geometry::Clusters;
use super::used::Used;
use crate::{ByteRuns, Named, Problem};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most entries that are kept.
const MAX_ENTRIES: usize = 1 << 16;

/// The entries that were met and not listed.
#[derive(Debug)]
pub(crate) struct Unlisted {
    clusters: Clusters,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The clusters that are in use by no listed entry that was met; none before the first was.
    others: Option<Used>,
    /// The entries by their numbers.
    entries: BTreeMap<u64, UnlistedEntry>,
}

/// An entry that is not listed.
#[derive(Debug)]
struct UnlistedEntry {
    /// Its first cluster.
    first: u32,
    named: Named,
}

impl State {
    /// Returns whether an entry is in use, and has a cluster that no listed one has.
    fn is_in_use(&self, clusters: Clusters, entry: &UnlistedEntry) -> bool {
        let is_other = |index| self.others.as_ref().is_none_or(|others| others.is_used(index));
        !entry.named.is_deleted && clusters.index(entry.first).is_some_and(is_other)
    }
}

impl Unlisted {
    pub fn new(clusters: Clusters) -> Unlisted {
        Unlisted { clusters, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the places of an entry that is in use and was met.
    pub fn meet(&self, runs: &ByteRuns) {
        let clusters = self.clusters;
        let mut state = self.state();
        if state.others.is_none() {
            state.others = Used::new(clusters.count);
        }
        let Some(others) = &mut state.others else { return };
        for run in runs.as_slice() {
            let first = run.place.and_then(|place| clusters.index(clusters.at(place)?));
            let count = u32::try_from(clusters.needed(run.length)).unwrap_or(u32::MAX);
            first
                .into_iter()
                .flat_map(|first| first..first.saturating_add(count))
                .for_each(|at| others.free(at));
        }
    }

    /// Adds an entry that is not listed, with its first cluster. It is deleted unless that is in use.
    ///
    /// # Errors
    /// If there are too many.
    pub fn add(&self, first: u32, named: Named) -> Result<(), Problem> {
        let mut state = self.state();
        if state.entries.len() >= MAX_ENTRIES && !state.entries.contains_key(&named.number) {
            return Err(Problem::TooMany("entries that directories do not list"));
        }
        state.entries.insert(named.number, UnlistedEntry { first, named });
        Ok(())
    }

    /// Returns whether one is in use by itself.
    pub fn has_in_use(&self) -> bool {
        let state = self.state();
        state.entries.values().any(|entry| state.is_in_use(self.clusters, entry))
    }

    /// Takes the next entry. One with the cluster of a listed entry counts as deleted: it is the rest of an earlier use.
    pub fn take(&self) -> Option<Named> {
        let mut state = self.state();
        let (_, entry) = state.entries.pop_first()?;
        let is_deleted = !state.is_in_use(self.clusters, &entry);
        Some(Named { is_deleted, ..entry.named })
    }
}
