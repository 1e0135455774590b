//! Waiting batches, and the devices that only one thread reads.

use crate::task::Batch;
use std::collections::VecDeque;

#[derive(Default)]
pub(super) struct Batches {
    waiting: VecDeque<Batch>,
    /// Devices whose batches are reserved for their only reader.
    reserved: Vec<u64>,
}

impl Batches {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn push(&mut self, batch: Batch) {
        self.waiting.push_back(batch);
    }

    /// Whether there are batches that workers may take although their device has an only reader.
    pub(super) fn has_resident(&self) -> bool {
        self.waiting.iter().any(|batch| batch.resident)
    }

    /// Adds a batch before all others.
    pub(super) fn push_front(&mut self, batch: Batch) {
        self.waiting.push_front(batch);
    }

    pub(super) fn has_for_worker(&self) -> bool {
        self.next_for_worker().is_some()
    }

    pub(super) fn take_for_worker(&mut self) -> Option<Batch> {
        self.waiting.remove(self.next_for_worker()?)
    }

    fn next_for_worker(&self) -> Option<usize> {
        self.waiting.iter().position(|batch| batch.resident || !self.reserved.contains(&batch.device))
    }

    pub(super) fn has_of(&self, device: u64) -> bool {
        self.next_of(device).is_some()
    }

    pub(super) fn take_of(&mut self, device: u64) -> Option<Batch> {
        self.waiting.remove(self.next_of(device)?)
    }

    fn next_of(&self, device: u64) -> Option<usize> {
        self.waiting.iter().position(|batch| batch.device == device && !batch.resident)
    }

    /// Returns the number of entries in all batches of a device.
    pub(super) fn entries_of(&self, device: u64) -> usize {
        let of = |batch: &&Batch| batch.device == device && !batch.resident;
        self.waiting.iter().filter(of).map(|batch| batch.found.len()).sum()
    }

    /// Takes batches of a device until they have `enough` entries.
    pub(super) fn take_many_of(&mut self, device: u64, enough: usize) -> Vec<Batch> {
        let mut taken = Vec::new();
        let mut entries = 0;
        while entries < enough
            && let Some(batch) = self.take_of(device)
        {
            entries += batch.found.len();
            taken.push(batch);
        }
        taken
    }

    /// Reserves the device's batches for its only reader.
    pub(super) fn reserve(&mut self, device: u64) {
        if !self.reserved.contains(&device) {
            self.reserved.push(device);
        }
    }

    pub(super) fn is_reserved(&self, device: u64) -> bool {
        self.reserved.contains(&device)
    }

    /// Lets every thread take the device's batches.
    pub(super) fn release(&mut self, device: u64) {
        self.reserved.retain(|other| *other != device);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_source::{Entry, Origin, WalkItem};

    fn batch(first: u64, entries: usize, device: u64) -> Batch {
        let entry = || WalkItem::File(Entry::new(b"file".as_slice().into(), Origin::Path)).into();
        Batch { first, found: (0..entries).map(|_| entry()).collect(), device, resident: false }
    }

    #[test]
    fn workers_leave_reserved_devices_alone() {
        let mut batches = Batches::default();
        [(0, 1), (1, 2), (2, 1)].iter().for_each(|(first, device)| batches.push(batch(*first, 1, *device)));
        batches.reserve(1);
        assert_eq!(batches.take_for_worker().map(|batch| batch.first), Some(1));
        assert!(!batches.has_for_worker() && batches.has_of(1));
        batches.release(1);
        assert_eq!(batches.take_for_worker().map(|batch| batch.first), Some(0));
        batches.push_front(batch(0, 1, 1));
        assert_eq!(batches.take_of(1).map(|batch| batch.first), Some(0));
    }

    #[test]
    fn what_is_in_memory_is_for_workers() {
        let mut batches = Batches::default();
        batches.push(batch(0, 3, 1));
        batches.push(Batch { resident: true, ..batch(3, 3, 1) });
        batches.reserve(1);
        assert!(batches.has_resident() && batches.entries_of(1) == 3);
        assert_eq!(batches.take_for_worker().map(|batch| batch.first), Some(3));
        assert!(!batches.has_resident() && batches.take_for_worker().is_none());
        assert_eq!(batches.take_many_of(1, 10).len(), 1);
    }

    #[test]
    fn many_are_taken_until_there_are_enough_entries() {
        let mut batches = Batches::default();
        (0..4).for_each(|number| batches.push(batch(number, 10, number % 2)));
        assert_eq!(batches.entries_of(1), 20);
        assert_eq!(batches.take_many_of(1, 5).len(), 1);
        batches.push(batch(4, 10, 1));
        assert_eq!(batches.take_many_of(1, 15).len(), 2);
        assert_eq!(batches.take_many_of(1, 15).len(), 0);
    }
}
