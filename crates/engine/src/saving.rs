//! The states of long remote files, with which another run goes on where this one was cut off.

use crate::Plan;
use hashloom_digest::Saved;
use hashloom_source::Entry;
use std::fmt::Debug;

/// Bytes from one saved state to the next. Saving takes microseconds, and reading so many bytes tens of milliseconds.
pub(crate) const EVERY: u64 = 64 << 20;

/// The size from which states are saved: less is soon read again.
const LEAST: u64 = 2 * EVERY;

/// The size from which a file is hashed by itself, not beside others, so that its states can be saved.
const LONG: u64 = 1 << 30;

/// Keeps the states of long files.
pub trait Saver: Debug + Send + Sync {
    /// Returns the states that an earlier run kept of this file, in the order of the plan, all after the same number of
    /// bytes. The file must be the same, and the algorithms those of the plan.
    fn begun(&self, entry: &Entry) -> Option<Vec<Saved>>;

    /// Keeps the states of a file, in the order of the plan, instead of earlier ones.
    fn keep(&self, entry: &Entry, states: &[Saved]);
}

impl Plan {
    /// Whether states of a file of this size are to be saved, as far as its algorithms allow.
    pub(crate) fn saves(&self, entry: &Entry, size: u64) -> bool {
        let whole = self.whole && self.piece.is_none() && self.likeness.is_empty() && !self.leaves;
        let open = self.algorithms.iter().all(|algorithm| algorithm.key.is_none());
        self.saving.is_some() && whole && open && entry.is_remote() && size >= LEAST
    }

    /// Whether a file of this size must not be hashed beside others, as its states could then not be saved or used.
    pub(crate) fn saves_alone(&self, entry: &Entry, size: u64) -> bool {
        self.saves(entry, size) && (size >= LONG || self.begun(entry).is_some())
    }

    /// Returns the states that were kept of a file.
    pub(crate) fn begun(&self, entry: &Entry) -> Option<Vec<Saved>> {
        self.saving.as_ref()?.begun(entry)
    }
}
