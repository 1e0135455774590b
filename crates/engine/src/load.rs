//! What a thread that only reads leaves to the workers, and how it comes by it: batches of one device, their
//! small files read into a buffer.

use crate::Stats;
use crate::drive::Drive;
use crate::event::Outcome;
use crate::order::Message;
use crate::probe::{Looking, Probed, Small, probe};
use crate::queue::{Batch, Reading};
use crate::readers;
use crate::relay::Spent;
use crate::shared::Shared;
use hashloom_manifest::Record;
use hashloom_source::{AlignedBytes, Entry, Found};
use std::sync::Arc;
use std::time::Instant;

/// Small files that were read, and what became of entries that were not.
#[derive(Default)]
pub(crate) struct Load {
    /// Empty if there are no files.
    pub(crate) buffer: AlignedBytes,
    pub(crate) files: Vec<Small>,
    pub(crate) messages: Vec<Message>,
    /// From where on the buffer is free.
    at: usize,
}

/// Fills loads.
pub(crate) struct Loader<'a> {
    pub(crate) shared: &'a Arc<Shared>,
    pub(crate) drive: &'a Arc<Drive>,
    rank: usize,
    load: Load,
    pub(crate) stats: Stats,
}

impl Load {
    fn new(buffer: AlignedBytes) -> Self {
        Load { buffer, ..Load::default() }
    }

    fn room(&self) -> usize {
        self.buffer.len().saturating_sub(self.at)
    }
}

impl<'a> Loader<'a> {
    pub(crate) fn new(shared: &'a Arc<Shared>, drive: &'a Arc<Drive>, rank: usize) -> Self {
        Loader { shared, drive, rank, load: Load::default(), stats: Stats::default() }
    }

    /// Reads until there is nothing left, or there are readers enough, or the files turn out to be in
    /// memory.
    pub(crate) fn run(mut self) -> Stats {
        let (shared, drive, rank) = (self.shared, self.drive, self.rank);
        let retires = || drive.has_enough_without(rank, &shared.drives);
        while let Some(reading) = shared.queue.take_reading(drive.number, &retires) {
            match reading {
                Reading::Batch(batch) => self.batch(batch),
                Reading::Help(relay) => {
                    let mut spent = Spent::default();
                    relay.read_ahead(&|| shared.queue.calls_reader(drive.number), &mut spent);
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
            match found {
                Found::File(entry) => bytes += self.file(number, entry, number == batch.first),
                Found::Skipped { path, why } => self.done(number, Outcome::skipped(path, why)),
                Found::Failed(error) => self.done(number, Outcome::failed(error)),
            }
        }
        self.leave();
        self.shared.queue.probed(entries, bytes);
        self.stats.reading += start.elapsed().saturating_sub(self.stats.waiting_for_memory - waited);
        self.drive.read(entries);
        readers::wake(self.shared, self.drive, &[]);
    }

    pub(crate) fn done(&mut self, number: u64, outcome: Outcome) {
        self.load.messages.push(Message::Done(number, outcome));
    }

    /// Notes a file that was hashed, or not, and its pieces.
    pub(crate) fn hashed(&mut self, number: u64, pieces: Vec<Record>, outcome: Outcome) {
        if outcome.trouble.is_none() && !pieces.is_empty() {
            self.load.messages.push(Message::Pieces(number, pieces));
        }
        self.done(number, outcome);
    }

    /// Reads a file if it is small, else leaves it to the workers: its size.
    fn file(&mut self, number: u64, entry: Entry, look: bool) -> u64 {
        let Some(probed) = self.probe(number, entry, look) else { return 0 };
        match probed {
            Probed::Large(large) => {
                let size = large.size;
                self.shared.met(size);
                self.shared.postpone(large);
                size
            }
            other => self.took(other),
        }
    }

    /// Looks at a file, and reads it if it is small; none if the run is over.
    pub(crate) fn probe(&mut self, number: u64, entry: Entry, look: bool) -> Option<Probed> {
        let looking = Looking { small: self.shared.small(), look, holds: false };
        if (self.load.room() as u64) <= looking.small && !self.renew() {
            return None;
        }
        let at = self.load.at;
        let room = (&mut self.load.buffer[at..], at);
        let (probed, cached) = probe(number, entry, room, &self.shared.plan.reading, looking);
        if let Some(cached) = cached {
            self.drive.saw(cached);
        }
        Some(probed)
    }

    /// Keeps what is not large: its size.
    pub(crate) fn took(&mut self, probed: Probed) -> u64 {
        match probed {
            Probed::Small(small) => {
                let size = small.meta.size;
                self.shared.met(size);
                self.load.at = small.range.end.next_multiple_of(self.shared.row());
                self.load.files.push(small);
                size
            }
            Probed::Failed(number, error) => {
                self.done(number, Outcome::failed(error));
                0
            }
            Probed::Large(_) => 0,
        }
    }

    /// Leaves what there is to the workers, and goes on with an empty buffer; false if the run is over.
    fn renew(&mut self) -> bool {
        self.leave();
        let Some((buffer, waited)) = self.shared.holds.take() else { return false };
        self.stats.waiting_for_memory += waited;
        self.load = Load::new(buffer);
        true
    }

    /// Leaves what there is to the workers.
    pub(crate) fn leave(&mut self) {
        let load = std::mem::take(&mut self.load);
        if load.files.is_empty() && load.messages.is_empty() {
            self.shared.release(load.buffer);
        } else {
            self.shared.queue.push_load(load);
        }
    }
}
