//! The only reader of a spinning disk. It takes many entries at once and reads them in disk order, one file after
//! another.
//!
//! A disk head that stays on one file reads at full rate. With the files of several threads it would spend its time
//! seeking.

use super::loader::Loader;
use crate::Stats;
use crate::event::RunItem;
use crate::read::{OtherFiles, Probed, is_cached, open};
use crate::relay::Role;
use crate::task::{Batch, LargeFile};
use crate::work::{RelayJob, run_relay};
use hashmill_source::{Entry, Reader};
use std::time::Duration;

/// The number of entries that are sorted together. More would gain little: this many already lie close to each other.
const ENTRIES: usize = 4096;

/// The maximum time to wait for this many entries.
const WAIT: Duration = Duration::from_millis(50);

/// The number of files of a batch that are probed to see whether it is in memory.
const LOOKED_AT: usize = 4;

/// The only reader of a device.
pub(super) struct DiskOrderReader<'a> {
    loader: Loader<'a>,
}

/// A file and its position on the disk.
struct Placed {
    position: u64,
    number: u64,
    entry: Entry,
}

impl<'a> DiskOrderReader<'a> {
    pub(super) fn new(loader: Loader<'a>) -> Self {
        DiskOrderReader { loader }
    }

    /// Reads until nothing is left, or the files turn out to be in memory. Also returns whether it has read any.
    pub(super) fn run(mut self) -> (Stats, bool) {
        let mut has_read = false;
        let (shared, device) = (self.loader.shared, self.loader.device);
        while !device.has_enough_without(0, &shared.devices)
            && let Some(batches) = shared.queue.take_many(device.number, ENTRIES, WAIT)
        {
            let (resident, others): (Vec<_>, Vec<_>) =
                batches.into_iter().partition(|batch| self.is_resident(batch));
            resident.into_iter().for_each(|batch| shared.queue.give_to_workers(batch));
            has_read |= !others.is_empty();
            self.read(others);
        }
        (self.loader.stats, has_read)
    }

    /// Whether a sample of a batch's files is in memory. Then the disk is idle, and reading them one after another
    /// would only keep the workers waiting.
    fn is_resident(&self, batch: &Batch) -> bool {
        let reading = &self.loader.shared.plan.reading;
        let files = batch.found.iter().filter_map(RunItem::file);
        let mut looked_at = files.step_by(batch.found.len().div_ceil(LOOKED_AT).max(1));
        let resident = looked_at.all(|entry| {
            let reader = open(entry, reading, OtherFiles::NoneOpen).ok().flatten();
            reader.is_some_and(|reader| is_cached(&reader, reading) == Some(true))
        });
        if resident {
            self.loader.device.note_cached(true);
        }
        resident
    }

    fn read(&mut self, batches: Vec<Batch>) {
        let counts: Vec<u64> = batches.iter().map(|batch| batch.found.len() as u64).collect();
        let mut bytes = 0;
        for (index, placed) in self.place(batches).into_iter().enumerate() {
            bytes += self.file(placed, index % 64 == 0);
        }
        self.loader.hand_over();
        let queue = &self.loader.shared.queue;
        for (index, entries) in counts.into_iter().enumerate() {
            queue.batch_decided(entries, if index == 0 { bytes } else { 0 });
        }
    }

    /// Returns the files of the batches in disk order.
    fn place(&mut self, batches: Vec<Batch>) -> Vec<Placed> {
        let mut files = Vec::new();
        for batch in batches {
            for (number, found) in (batch.first..).zip(batch.found) {
                match found.resolve() {
                    Ok(entry) => files.push(Placed { position: 0, number, entry }),
                    Err(outcome) => self.loader.done(number, *outcome),
                }
            }
        }
        // Inodes lie in the order of their numbers, and must be read to find the position of a file.
        files.sort_by_key(|file| file.entry.ino);
        let reading = &self.loader.shared.plan.reading;
        for file in &mut files {
            // A file that can't be opened fails later, when it is read.
            let reader = open(&file.entry, reading, OtherFiles::NoneOpen).ok().flatten();
            let position = reader.and_then(|reader| reader.disk_position());
            file.position = position.unwrap_or(file.entry.ino);
        }
        files.sort_by_key(|file| file.position);
        files
    }

    fn file(&mut self, placed: Placed, check_cache: bool) -> u64 {
        match self.loader.probe(placed.number, placed.entry, check_cache) {
            Some(Probed::Large(large)) => self.large(large),
            Some(other) => self.loader.keep(other),
            None => 0,
        }
    }

    /// Whether this thread should read a large file: it is on the disk and has a true size.
    fn is_to_be_read(&self, reader: &Reader) -> bool {
        reader.seekable() && is_cached(reader, &self.loader.shared.plan.reading) != Some(true)
    }

    /// Reads a large file from start to end, while the workers hash it.
    fn large(&mut self, file: LargeFile) -> u64 {
        let size = file.size;
        let shared = self.loader.shared;
        shared.count_bytes_met(size);
        let deferred = shared.is_deferred(&file);
        let (number, entry, reader) = match file.reader {
            Some(reader) if self.is_to_be_read(&reader) && !deferred => (file.number, file.entry, reader),
            _ => {
                shared.postpone(file);
                return size;
            }
        };
        // The workers get the files read so far, so that they don't wait for the end of this one.
        self.loader.hand_over();
        let job = RelayJob { entry: &entry, reader, role: Role::Read };
        let mut pieces = Vec::new();
        let mut ready = |records: Vec<_>| pieces.extend(records);
        if let Some(outcome) = run_relay(shared, job, &mut || (), &mut ready, &mut self.loader.stats) {
            self.loader.hashed(number, pieces, outcome);
            self.loader.hand_over();
        }
        size
    }
}
