//! The batch that a worker takes its files from.

use crate::event::RunItem;
use crate::task::Batch;

#[derive(Default)]
pub(super) struct CurrentBatch {
    /// Entries that were not taken yet.
    left: std::vec::IntoIter<RunItem>,
    /// The numbers of the batch's first entry and of the next one.
    first: u64,
    next: u64,
    /// The number of entries in the batch.
    entries: u64,
    /// The bytes of its files so far.
    bytes: u64,
    resident: bool,
    /// The queue waits for [`CurrentBatch::decide`].
    undecided: bool,
}

impl CurrentBatch {
    pub(super) fn new(batch: Batch) -> Self {
        CurrentBatch {
            first: batch.first,
            next: batch.first,
            entries: batch.found.len() as u64,
            left: batch.found.into_iter(),
            resident: batch.resident,
            bytes: 0,
            undecided: true,
        }
    }

    /// Whether all entries were taken.
    pub(super) fn is_empty(&self) -> bool {
        self.left.len() == 0
    }

    /// Whether the queue waits for [`CurrentBatch::decide`].
    pub(super) fn is_undecided(&self) -> bool {
        self.undecided
    }

    /// Whether its files are in memory, so that any thread may read them.
    pub(super) fn is_resident(&self) -> bool {
        self.resident
    }

    /// Returns the next entry with its number.
    pub(super) fn next(&mut self) -> Option<(u64, RunItem)> {
        let found = self.left.next()?;
        self.next += 1;
        Some((self.next - 1, found))
    }

    /// Whether the entry with this number was the first.
    pub(super) fn is_first(&self, number: u64) -> bool {
        number == self.first
    }

    /// Adds the size of a file in the batch.
    pub(super) fn add_bytes(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Takes the remaining entries as a batch.
    pub(super) fn split(&mut self, device: u64) -> Batch {
        self.entries -= self.left.len() as u64;
        Batch { first: self.next, found: std::mem::take(&mut self.left).collect(), device, resident: false }
    }

    /// Returns the number of entries and the bytes of their files, once all entries were taken. Returns `None` before
    /// that, and after the first time.
    pub(super) fn decide(&mut self) -> Option<(u64, u64)> {
        let decided = self.undecided && self.is_empty();
        self.undecided &= !decided;
        decided.then_some((self.entries, self.bytes))
    }
}
