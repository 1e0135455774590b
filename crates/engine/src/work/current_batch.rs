//! The batch that a worker takes its files from.

use crate::task::Batch;
use hashloom_source::Found;

/// The batch that a worker takes its files from.
#[derive(Default)]
pub(super) struct CurrentBatch {
    /// Entries that were not looked at.
    left: std::vec::IntoIter<Found>,
    /// The numbers of the batch's first entry and of its next one.
    first: u64,
    next: u64,
    /// How many entries it had.
    entries: u64,
    /// Bytes of its files so far.
    bytes: u64,
    /// Its files are in memory.
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

    /// Whether all entries were looked at.
    pub(super) fn is_empty(&self) -> bool {
        self.left.len() == 0
    }

    /// Whether the queue waits for [`CurrentBatch::decide`].
    pub(super) fn is_undecided(&self) -> bool {
        self.undecided
    }

    /// Whether its files are in memory, whoever else reads the device.
    pub(super) fn is_resident(&self) -> bool {
        self.resident
    }

    /// The next entry, with its number.
    pub(super) fn next(&mut self) -> Option<(u64, Found)> {
        let found = self.left.next()?;
        self.next += 1;
        Some((self.next - 1, found))
    }

    /// Whether the entry with this number was the first.
    pub(super) fn is_first(&self, number: u64) -> bool {
        number == self.first
    }

    /// Counts the size of a file in it.
    pub(super) fn add_bytes(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// Takes the entries that are left, as a batch.
    pub(super) fn split(&mut self, device: u64) -> Batch {
        self.entries -= self.left.len() as u64;
        Batch { first: self.next, found: std::mem::take(&mut self.left).collect(), device, resident: false }
    }

    /// Once all entries were looked at: how many they are, and the bytes of their files. `None` the next time.
    pub(super) fn decide(&mut self) -> Option<(u64, u64)> {
        let decided = self.undecided && self.is_empty();
        self.undecided &= !decided;
        decided.then_some((self.entries, self.bytes))
    }
}
