//! The reading thread's end: batches that are filled, and handed over when they are full.

use super::batch::{Batch, EntryState};
use super::facts::Facts;
use super::stop::Stop;
use crate::entries::spool::weight;
use hashmill_manifest::Record;
use std::sync::mpsc::{Receiver, SyncSender};

/// The number of records that threads hand over at once, and the bytes after which fewer are.
const BATCH: usize = 4096;
const BATCH_BYTES: usize = 1 << 20;

/// The place where a reading thread puts its batches.
pub(super) struct Outlet {
    pub(super) batches: SyncSender<Result<Batch, Stop>>,
    pub(super) used: Receiver<Batch>,
}

/// A batch that is being filled. An error of `None` means that nobody takes it.
pub(super) struct Filling<'a> {
    out: &'a Outlet,
    pub(super) batch: Batch,
    /// The path of the last record of the batch before.
    last: Vec<u8>,
    number: u64,
    hashed: u64,
}

impl<'a> Filling<'a> {
    pub(super) fn new(out: &'a Outlet) -> Filling<'a> {
        Filling { out, batch: Batch::default(), last: Vec::new(), number: 0, hashed: 0 }
    }

    /// Adds the next record.
    pub(super) fn add(&mut self, record: Record) -> Result<(), Option<Stop>> {
        self.batch.add(&record, self.number, self.hashed)?;
        self.number += 1;
        self.hashed += u64::from(record.is_sound());
        if !record.is_sound() {
            self.batch.unhashed_bytes += weight(&record);
            self.batch.unhashed.push(record);
        }
        self.send_full()
    }

    /// Adds a record that was sorted.
    pub(super) fn add_sorted(
        &mut self,
        path: &[u8],
        rest: &[u8],
        unhashed: &mut [Option<Record>],
    ) -> Result<(), Option<Stop>> {
        let (facts, rest) = Facts::from_bytes(rest);
        let batch = &mut self.batch;
        let kind = if facts.is_hashed {
            batch.digests.extend_from_slice(rest);
            EntryState::Hashed(batch.digests.len() - rest.len())
        } else {
            let place = rest.try_into().map_or(usize::MAX, |bytes| u64::from_le_bytes(bytes) as usize);
            batch.unhashed.extend(unhashed.get_mut(place).and_then(Option::take));
            EntryState::Unhashed(batch.unhashed.len() - 1)
        };
        batch.paths.extend_from_slice(path);
        batch.places.push(facts.place(batch.paths.len(), kind));
        self.send_full()
    }

    fn send_full(&mut self) -> Result<(), Option<Stop>> {
        let Batch { paths, places, unhashed_bytes, .. } = &self.batch;
        let is_full = places.len() == BATCH || paths.len() + unhashed_bytes > BATCH_BYTES;
        if is_full { self.send() } else { Ok(()) }
    }

    /// Hands the batch over, and goes on with an empty one.
    pub(super) fn send(&mut self) -> Result<(), Option<Stop>> {
        self.last = self.last().to_vec();
        let algorithms = self.batch.algorithms.clone();
        let next = self.out.used.try_recv().unwrap_or_default().cleared();
        let full = std::mem::replace(&mut self.batch, Batch { algorithms, ..next });
        self.out.batches.send(Ok(full)).map_err(|_| None)
    }

    /// Returns the path of the last record; empty if there is none.
    pub(super) fn last(&self) -> &[u8] {
        let Some(last) = self.batch.places.len().checked_sub(1) else { return &self.last };
        self.batch.path(last)
    }
}
