//! The states of long files, with which another run goes on where this one was cut off.

use crate::Plan;
use hashmill_digest::Saved;
use hashmill_manifest::Piece;
use hashmill_source::{Entry, Meta};
use std::fmt::Debug;

/// Bytes from one saved state to the next. Saving takes microseconds, and reading so many bytes tens of milliseconds.
pub(crate) const EVERY: u64 = 64 << 20;

/// The size from which states are saved: less is soon read again.
pub const LEAST_SAVED: u64 = 2 * EVERY;

/// The size from which a file is hashed by itself, not beside others, so that its states can be saved.
const LONG: u64 = 1 << 30;

/// Keeps the states of long files.
pub trait Saver: Debug + Send + Sync {
    /// Returns whether it keeps states of this file.
    fn takes(&self, entry: &Entry) -> bool;

    /// Returns the states that an earlier run kept of this file, in the order of the plan, all after the same number of
    /// bytes. The file, which has this metadata now, must be the same, and the algorithms those of the plan.
    fn begun(&self, entry: &Entry, meta: &Meta) -> Option<Vec<Saved>>;

    /// Keeps the states of a file, in the order of the plan, instead of earlier ones. At its opening it had this metadata: any
    /// later change shows in them.
    fn keep(&self, entry: &Entry, meta: &Meta, states: &[Saved], read: &ReadSoFar);
}

/// The way in which this run has read a file so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadSoFar {
    /// Whether all bytes came from the medium, if the plan's [`Reading`](hashmill_source::Reading) asks for that.
    pub is_fresh: bool,
    /// Parts that could not be read and were hashed as zeros.
    pub bad_blocks: Box<[Piece]>,
}

impl Plan {
    /// Whether states of a file of this size are to be saved, as far as its algorithms allow.
    pub(crate) fn saves(&self, entry: &Entry, size: u64) -> bool {
        let whole = self.whole
            && self.piece.is_none()
            && self.likeness.is_empty()
            && self.facts.is_empty()
            && !self.leaves;
        let open = self.algorithms.iter().all(|algorithm| algorithm.key_mode.is_none());
        let is_taken = || self.saving.as_ref().is_some_and(|saver| saver.takes(entry));
        whole && open && size >= LEAST_SAVED && is_taken()
    }

    /// Whether a file of this size must not be hashed beside others, as its states could then not be saved or used.
    pub(crate) fn saves_alone(&self, entry: &Entry, meta: &Meta, size: u64) -> bool {
        let is_begun = || self.saving.as_ref().is_some_and(|saver| saver.begun(entry, meta).is_some());
        self.saves(entry, size) && (size >= LONG || is_begun())
    }
}
