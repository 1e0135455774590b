//! The only reader of a spinning disk: takes many entries at once and reads them in the order in which they
//! lie there, one file after another.
//!
//! A head that stays on one file reads at full rate; one that goes back and forth between the files of
//! several threads spends its time under way.

use crate::Stats;
use crate::conduct::conduct;
use crate::event::Outcome;
use crate::load::Loader;
use crate::opening::open;
use crate::probe::Probed;
use crate::queue::{Batch, Large};
use crate::relay::Role;
use hashloom_source::{Entry, Found};
use std::time::Duration;

/// Entries that are put into the order of the disk together. More save little: the files of one sweep lie
/// close to each other already.
const SWEEP: usize = 4096;

/// How long the walk may take to find as many.
const PATIENCE: Duration = Duration::from_millis(50);

/// The only reader of a device.
pub(crate) struct Sweeper<'a> {
    loader: Loader<'a>,
}

/// A file and where it lies.
struct Placed {
    position: u64,
    number: u64,
    entry: Entry,
}

impl<'a> Sweeper<'a> {
    pub(crate) fn new(loader: Loader<'a>) -> Self {
        Sweeper { loader }
    }

    /// Reads until there is nothing left, or the files turn out to be in memory.
    pub(crate) fn run(mut self) -> Stats {
        let (shared, drive) = (self.loader.shared, self.loader.drive);
        while !drive.has_enough_without(0, &shared.drives)
            && let Some(batches) = shared.queue.take_sweep(drive.number, SWEEP, PATIENCE)
        {
            self.sweep(batches);
        }
        self.loader.stats
    }

    fn sweep(&mut self, batches: Vec<Batch>) {
        let counts: Vec<u64> = batches.iter().map(|batch| batch.found.len() as u64).collect();
        let mut bytes = 0;
        for (index, placed) in self.place(batches).into_iter().enumerate() {
            bytes += self.file(placed, index % 64 == 0);
        }
        self.loader.leave();
        let queue = &self.loader.shared.queue;
        for (index, entries) in counts.into_iter().enumerate() {
            queue.probed(entries, if index == 0 { bytes } else { 0 });
        }
    }

    /// The files of the batches in the order in which they lie on the disk.
    fn place(&mut self, batches: Vec<Batch>) -> Vec<Placed> {
        let mut files = Vec::new();
        for batch in batches {
            for (number, found) in (batch.first..).zip(batch.found) {
                match found {
                    Found::File(entry) => files.push(Placed { position: 0, number, entry }),
                    Found::Skipped { path, why } => self.loader.done(number, Outcome::skipped(path, why)),
                    Found::Failed(error) => self.loader.done(number, Outcome::failed(error)),
                }
            }
        }
        // Inodes lie in the order of their numbers, and to know where a file lies its inode must be read.
        files.sort_by_key(|file| file.entry.ino);
        let reading = &self.loader.shared.plan.reading;
        for file in &mut files {
            // What can't be opened fails when its turn comes.
            let reader = open(&file.entry, reading, false).ok().flatten();
            let position = reader.and_then(|reader| reader.disk_position());
            file.position = position.unwrap_or(file.entry.ino);
        }
        files.sort_by_key(|file| file.position);
        files
    }

    fn file(&mut self, placed: Placed, look: bool) -> u64 {
        match self.loader.probe(placed.number, placed.entry, look) {
            Some(Probed::Large(large)) => self.large(large),
            Some(other) => self.loader.took(other),
            None => 0,
        }
    }

    /// Reads a large file from its start to its end, while the workers hash it.
    fn large(&mut self, large: Large) -> u64 {
        let size = large.size;
        let shared = self.loader.shared;
        shared.met(size);
        let patient = shared.is_patient(&large);
        let (number, entry, reader) = match large.reader {
            Some(reader) if reader.seekable() && !patient => (large.number, large.entry, reader),
            _ => {
                shared.postpone(large);
                return size;
            }
        };
        // The workers get what there is, so that they don't wait for the end of this file.
        self.loader.leave();
        let mut pieces = Vec::new();
        let mut ready = |records: Vec<_>| pieces.extend(records);
        let stats = &mut self.loader.stats;
        let outcome = conduct(shared, &entry, reader, Role::Read, &mut || (), &mut ready, stats);
        if let Some(outcome) = outcome {
            self.loader.hashed(number, pieces, outcome);
            self.loader.leave();
        }
        size
    }
}
