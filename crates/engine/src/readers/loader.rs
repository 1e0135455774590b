//! A thread that only reads: it takes batches of one device, reads their small files into buffers, and passes these to
//! the workers.

use crate::Stats;
use crate::event::EntryResult;
use crate::queue::ReadTask;
use crate::read::DeviceState;
use crate::read::{OtherFiles, ProbeOptions, Probed, Room, probe};
use crate::relay::TimeSpent;
use crate::shared::Shared;
use crate::task::{Batch, LoadedFiles, Message};
use hashmill_manifest::Record;
use hashmill_source::Entry;
use std::sync::Arc;
use std::time::Instant;

/// Reads small files into buffers.
pub(super) struct Loader<'a> {
    pub(super) shared: &'a Arc<Shared>,
    pub(super) device: &'a Arc<DeviceState>,
    rank: usize,
    loaded: LoadedFiles,
    /// The first free byte in the buffer.
    free: usize,
    pub(super) stats: Stats,
}

impl<'a> Loader<'a> {
    pub(super) fn new(shared: &'a Arc<Shared>, device: &'a Arc<DeviceState>, rank: usize) -> Self {
        Loader { shared, device, rank, loaded: LoadedFiles::default(), free: 0, stats: Stats::default() }
    }

    /// Reads until nothing is left, other readers suffice, or the files turn out to be in memory.
    pub(super) fn run(mut self) -> Stats {
        let (shared, device, rank) = (self.shared, self.device, self.rank);
        let retires = || device.has_enough_without(rank, &shared.devices);
        while let Some(task) = shared.queue.take_reading(device.number, &retires) {
            match task {
                ReadTask::Batch(batch) => self.batch(batch),
                ReadTask::Help(relay) => {
                    let mut spent = TimeSpent::default();
                    relay.read_ahead(&|| shared.queue.needs_reader(device.number), &mut spent);
                    self.stats.reading += spent.reading;
                }
            }
        }
        self.stats
    }

    fn batch(&mut self, batch: Batch) {
        let start = Instant::now();
        let waited = self.stats.waiting_for_memory;
        let entries = batch.found.len() as u64;
        let mut bytes = 0;
        for (number, found) in (batch.first..).zip(batch.found) {
            match found.resolve() {
                Ok(entry) => bytes += self.file(number, entry, number == batch.first),
                Err(outcome) => self.done(number, *outcome),
            }
        }
        self.hand_over();
        self.shared.queue.batch_decided(entries, bytes);
        self.stats.reading += start.elapsed().saturating_sub(self.stats.waiting_for_memory - waited);
        self.device.count_requests(entries);
        self.shared.wake_readers(self.device, &[]);
    }

    /// Adds the result of an entry.
    pub(super) fn done(&mut self, number: u64, outcome: EntryResult) {
        self.loaded.messages.push(Message::Done(number, outcome));
    }

    /// Adds the result of a file that was hashed, and its pieces.
    pub(super) fn hashed(&mut self, number: u64, pieces: Vec<Record>, outcome: EntryResult) {
        if outcome.trouble.is_none() && !pieces.is_empty() {
            self.loaded.messages.push(Message::Pieces(number, pieces));
        }
        self.done(number, outcome);
    }

    /// Reads a file if it is small, and otherwise leaves it to the workers. Returns its size.
    fn file(&mut self, number: u64, entry: Entry, check_cache: bool) -> u64 {
        let Some(probed) = self.probe(number, entry, check_cache) else { return 0 };
        match probed {
            Probed::Large(file) => {
                let size = file.size;
                self.shared.count_bytes_met(size);
                self.shared.postpone(file);
                size
            }
            other => self.keep(other),
        }
    }

    /// Opens a file, and reads it if it is small; `None` if the run is over.
    pub(super) fn probe(&mut self, number: u64, entry: Entry, check_cache: bool) -> Option<Probed> {
        let options = ProbeOptions {
            small: self.shared.small(),
            check_cache,
            others: OtherFiles::NoneOpen,
            mapping: None,
        };
        let room = self.loaded.buffer.len().saturating_sub(self.free);
        if (room as u64) <= options.small && !self.renew() {
            return None;
        }
        let room = Room { bytes: &mut self.loaded.buffer[self.free..], start: self.free };
        let (probed, cached) = probe(number, entry, room, &self.shared.plan.reading, options);
        if let Some(cached) = cached {
            self.device.note_cached(cached);
        }
        Some(probed)
    }

    /// Keeps a small file or a failure. Returns the file's size.
    pub(super) fn keep(&mut self, probed: Probed) -> u64 {
        match probed {
            Probed::Small(file) => {
                let size = file.read.meta.size;
                self.shared.count_bytes_met(size);
                self.free = file.range.end.next_multiple_of(self.shared.row());
                self.loaded.files.push(file);
                size
            }
            Probed::Failed(number, error) => {
                self.done(number, EntryResult::failed(error));
                0
            }
            // Readers don't map, and pass large files on.
            Probed::Large(_) | Probed::Mapped(_) => 0,
        }
    }

    /// Passes the buffer to the workers and goes on with an empty one; false if the run is over.
    fn renew(&mut self) -> bool {
        self.hand_over();
        let Some((buffer, waited)) = self.shared.read_buffers.take() else { return false };
        self.stats.waiting_for_memory += waited;
        self.loaded.buffer = buffer;
        true
    }

    /// Passes the buffer to the workers.
    pub(super) fn hand_over(&mut self) {
        let loaded = std::mem::take(&mut self.loaded);
        self.free = 0;
        if loaded.is_empty() {
            self.shared.release(loaded.buffer);
        } else {
            self.shared.queue.push_loaded(loaded);
        }
    }
}
