//! One long file, read and hashed by all idle threads.
//!
//! The file is read in chunks. A *consumer* takes the chunks one after another; an unordered hasher takes them in any
//! order, on any number of threads at once. A thread that joins takes the next step that is ready: it hashes a chunk,
//! or else reads one. So reading overlaps with hashing, several algorithms process the same bytes side by side, and a
//! tree hash uses all cores. One thread alone works, too.
//!
//! [`state`] tracks the progress and chooses the steps. This module has the lock around it, the file, and the buffers.

mod consumer;
mod interleave;
mod map;
mod rows;
mod saves;
mod setup;
mod state;
#[cfg(test)]
mod state_tests;

pub(crate) use setup::{RelayFile, RelaySettings};
pub(crate) use state::Role;

use crate::event::{Hashed, Read, piece_record};
use crate::hash::{DigestValues, Occupancy, PieceHasher, RowHasher, UnorderedHasher};
use crate::memory::BufferPool;
use crate::plan::saving::ReadSoFar;
use crate::read::bad_blocks;
use crate::{Cancel, Live, Stats};
use consumer::Consumer;
use hashmill_manifest::{Piece, Record};
use hashmill_source::{Error, Meta, Reader};
use interleave::Group;
use map::RelayMap;
use parking_lot::{Condvar, Mutex};
use rows::rows;
use saves::{SavedHashers, Saves};
use setup::{PieceMode, RelayHashers, Setup};
use state::{Chunk, ChunkBytes, RelayState, Step};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time that a thread waits for a step before it checks for other files.
const WAIT: Duration = Duration::from_millis(2);

/// One long file that all threads can work on.
pub(crate) struct Relay {
    source: Source,
    /// The map of the file, if it is mapped or on trial.
    map: Option<RelayMap>,
    /// The device number.
    device: u64,
    /// Recent reads from the device missed the page cache.
    cold: bool,
    /// The part of threads that help.
    help: Role,
    chunk: usize,
    buffers: Arc<BufferPool>,
    /// Buffers for groups of pieces.
    strips: BufferPool,
    live: Arc<Live>,
    cancel: Cancel,
    unordered: Vec<(usize, Box<dyn UnorderedHasher>)>,
    pieces: Vec<PieceHasher>,
    /// The bytes of a group of rows and of a row, if they are read in strips. A row is a piece or holds whole leaves.
    interleaved: Option<(u64, u64)>,
    saves: Option<Saves>,
    /// The next chunk or group of [`Relay::pieces`] to pass on.
    next_pieces: Mutex<u64>,
    state: Mutex<RelayState>,
    changed: Condvar,
}

enum Source {
    /// Any thread can read any chunk.
    Anywhere(Reader),
    /// Chunks are read one after another.
    InOrder(Mutex<Reader>),
}

/// Time that a thread spent in a relay.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct TimeSpent {
    pub(crate) reading: Duration,
    pub(crate) hashing: Duration,
    pub(crate) waiting: Duration,
}

pub(crate) struct Finished {
    pub(crate) bytes: u64,
    pub(crate) read: Read,
    pub(crate) digests: DigestValues,
    pub(crate) occupancy: Occupancy,
    pub(crate) failed: Option<Error>,
}

impl TimeSpent {
    /// Adds the times to a thread's counters.
    pub(crate) fn add_to(self, stats: &mut Stats) {
        stats.reading += self.reading;
        stats.hashing += self.hashing;
        stats.waiting_for_files += self.waiting;
    }
}

impl Source {
    fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Error> {
        match self {
            Source::Anywhere(reader) => reader.read_at(offset, buffer),
            Source::InOrder(reader) => reader.lock().read(buffer),
        }
    }

    fn read_file(&self) -> Read {
        match self {
            Source::Anywhere(reader) => Read::from_reader(reader),
            Source::InOrder(reader) => Read::from_reader(&reader.lock()),
        }
    }

    /// Checks that all bytes were read, and that the file did not change.
    fn finish(&self, state: &RelayState) -> Result<(), Error> {
        match self {
            Source::Anywhere(reader) => reader.finish(state.whole_bytes(reader.meta().size)),
            Source::InOrder(reader) => reader.lock().finish(state.bytes()),
        }
    }
}

impl Relay {
    pub(crate) fn new(settings: &RelaySettings<'_>, file: RelayFile) -> Self {
        let setup = Setup::new(settings, &file);
        let plan = settings.plan;
        let (hashers, saves, start) = match Saves::begin(plan, &setup, &file) {
            Some(SavedHashers { hashers, saves, start }) => (hashers, Some(saves), start),
            None => (setup.hashers(plan, &file.path), None, 0),
        };
        Live::add(&settings.live.bytes_kept, start * setup.layout.chunk as u64);
        let limits = setup.limits(&hashers);
        let RelayHashers { consumers, unordered, pieces } = hashers;
        let RelayFile { reader, device, cold, map, waits, .. } = file;
        let anywhere = setup.size.is_some();
        // If one thread hashes the only stream, another has time to populate the page table.
        let ahead = plan.threads.get() > 1 && unordered.is_empty();
        let interleaved = match (setup.mode, setup.row) {
            (PieceMode::Interleaved { group }, Some(row)) => Some((group, row)),
            _ => None,
        };
        Relay {
            source: if anywhere { Source::Anywhere(reader) } else { Source::InOrder(Mutex::new(reader)) },
            device,
            cold,
            help: if waits { Role::Hash } else { Role::Any },
            chunk: setup.layout.chunk,
            buffers: setup.buffers(settings),
            strips: BufferPool::default(),
            live: Arc::clone(settings.live),
            cancel: plan.cancel.clone(),
            unordered,
            pieces,
            map: map.filter(|_| anywhere).map(|map| RelayMap::new(map, setup.layout.chunk, ahead)),
            interleaved,
            saves,
            next_pieces: Mutex::new(0),
            state: Mutex::new(RelayState::new(limits, consumers).starting_at(start)),
            changed: Condvar::new(),
        }
    }

    /// Makes the record of a piece of the file.
    pub(crate) fn record(&self, path: &[u8], piece: Piece, digests: DigestValues) -> Record {
        let bad_blocks = self.bad_blocks(piece.offset..piece.offset + piece.length);
        piece_record(path, piece, Hashed { digests, bad_blocks })
    }

    /// Returns the parts of a range of the file that could not be read.
    pub(crate) fn bad_blocks(&self, range: Range<u64>) -> Box<[Piece]> {
        match &self.source {
            Source::Anywhere(reader) => bad_blocks(reader, range),
            // Zeros stand for unreadable parts only if the size is known.
            Source::InOrder(_) => Box::default(),
        }
    }

    /// Whether one more thread would find something to do.
    pub(crate) fn wants_helper(&self) -> bool {
        self.state.lock().wants_helper()
    }

    /// Whether one more thread that only reads on this device would find something to do.
    pub(crate) fn wants_reader(&self, device: u64) -> bool {
        device == self.device && self.state.lock().wants_reader()
    }

    /// Helps until the file is done or `leave` returns true.
    pub(crate) fn help(&self, leave: &dyn Fn() -> bool, spent: &mut TimeSpent) {
        self.state.lock().count_helper(1);
        while !leave() && self.step(self.help, spent) {}
        self.state.lock().count_helper(-1);
        self.changed.notify_all();
    }

    /// Reads until everything is read or `leave` returns true.
    pub(crate) fn read_ahead(&self, leave: &dyn Fn() -> bool, spent: &mut TimeSpent) {
        self.state.lock().count_reader(1);
        while !self.state.lock().is_read() && !leave() && self.step(Role::Read, spent) {}
        self.state.lock().count_reader(-1);
        self.changed.notify_all();
    }

    /// Works until the file is done or the run is cancelled. Only the owner calls it. `ready` gets the digests of
    /// pieces in order, as soon as they are known.
    pub(crate) fn run(
        &self,
        role: Role,
        ready: &mut dyn FnMut(Vec<(Piece, DigestValues)>),
        spent: &mut TimeSpent,
    ) {
        while !self.cancel.is_set() && self.step(role, spent) {
            let pieces = self.take_pieces();
            if !pieces.is_empty() {
                ready(pieces);
            }
        }
        ready(self.take_pieces());
    }

    /// Takes the pieces that all hashers have finished, in order.
    fn take_pieces(&self) -> Vec<(Piece, DigestValues)> {
        let mut ready = Vec::new();
        if self.pieces.is_empty() {
            ready = self.state.lock().take_pieces();
        } else {
            let mut next = self.next_pieces.lock();
            while self.pieces.iter().all(|hasher| hasher.has(*next)) {
                ready.extend(rows(self.pieces.iter().map(|hasher| hasher.take(*next))));
                *next += 1;
            }
        }
        // Checked last: bytes that the map could not load are zeros, and it knows of them before they are hashed.
        let missing = self.map.as_ref().is_some_and(|map| map.file().missing().is_some());
        if missing { Vec::new() } else { ready }
    }

    /// Takes one step; false when nothing is left to do.
    fn step(&self, role: Role, spent: &mut TimeSpent) -> bool {
        let start = Instant::now();
        let step = self.state.lock().next_step(role);
        let time = match step {
            Step::Consume(slot, consumer, chunk) => {
                self.consume(slot, consumer, chunk);
                &mut spent.hashing
            }
            Step::HashUnordered(hasher, chunk) => {
                self.hash_unordered(hasher, chunk);
                &mut spent.hashing
            }
            Step::Read(index) => {
                self.read(index);
                &mut spent.reading
            }
            Step::HashGroup(index) => {
                self.hash_group(index);
                &mut spent.hashing
            }
            Step::Wait => {
                self.changed.wait_for(&mut self.state.lock(), WAIT);
                &mut spent.waiting
            }
            Step::End => return false,
        };
        *time += start.elapsed();
        true
    }

    fn consume(&self, slot: usize, mut consumer: Consumer, chunk: Arc<Chunk>) {
        consumer.update(chunk.bytes(), chunk.last);
        let end = chunk.index + 1;
        if let Some(saves) =
            self.saves.as_ref().filter(|saves| chunk.bytes().len() == self.chunk && saves.is_due(end))
            && let Some((place, state)) = consumer.save(end * self.chunk as u64)
        {
            saves.take(place, state, &|| self.read_so_far());
        }
        self.check_map();
        self.state.lock().consumed(slot, consumer, chunk.index);
        self.used(chunk);
    }

    fn hash_unordered(&self, hasher: usize, chunk: Arc<Chunk>) {
        let offset = chunk.index * self.chunk as u64;
        match self.unordered.get(hasher) {
            Some((place, hasher)) => {
                hasher.update(chunk.index, offset, chunk.bytes());
                if let Some(saves) = &self.saves {
                    let taken = hasher.take_saved().into_iter();
                    taken.for_each(|state| saves.take(*place, state, &|| self.read_so_far()));
                }
            }
            None => self.pieces[hasher - self.unordered.len()].update(chunk.index, offset, chunk.bytes()),
        }
        self.check_map();
        self.used(chunk);
    }

    fn read_so_far(&self) -> (Meta, ReadSoFar) {
        let Read { meta, is_fresh, .. } = self.source.read_file();
        (meta, ReadSoFar { is_fresh, bad_blocks: self.bad_blocks(0..u64::MAX) })
    }

    /// Notes that one use of a chunk has ended.
    fn used(&self, chunk: Arc<Chunk>) {
        let index = chunk.index;
        // The state frees the chunk after its last use.
        drop(chunk);
        let mut free = Vec::new();
        self.state.lock().used(index, &mut |index, bytes| free.push((index, bytes)));
        self.changed.notify_all();
        self.give_back(free);
    }

    /// Gives the buffers of unneeded chunks back to the pool.
    fn give_back(&self, free: Vec<(u64, ChunkBytes)>) {
        for (index, bytes) in free {
            if let ChunkBytes::Copied(buffer, _) = bytes {
                self.buffers.give(buffer);
            }
            self.map.iter().for_each(|map| map.passed(index));
        }
    }

    /// Checks the map after hashing: ends the relay if bytes were missing.
    fn check_map(&self) {
        if let Err(error) = self.map_result() {
            self.state.lock().fail(error);
        }
    }

    /// Returns an error if bytes of the map were missing.
    fn map_result(&self) -> Result<(), Error> {
        match (&self.source, &self.map) {
            (Source::Anywhere(reader), Some(map)) => reader.check_map(map.file()),
            _ => Ok(()),
        }
    }

    fn read(&self, index: u64) {
        let result = self.fetch(index);
        Live::add(&self.live.bytes_done, result.as_ref().map_or(0, |bytes| bytes.len()) as u64);
        let mut free = Vec::new();
        let mut state = self.state.lock();
        match result {
            Ok(bytes) => state.arrived(index, bytes),
            Err(error) => state.failed_to_read(error),
        }
        state.release(&mut |index, bytes| free.push((index, bytes)));
        drop(state);
        self.give_back(free);
        self.changed.notify_all();
    }

    /// Returns the bytes of a chunk, from the map or read into a buffer.
    fn fetch(&self, index: u64) -> Result<ChunkBytes, Error> {
        if let Some(bytes) = self.map.as_ref().and_then(|map| map.chunk(index)) {
            return Ok(bytes);
        }
        let mut buffer = self.buffers.take(self.chunk);
        let length = self.source.read(index * self.chunk as u64, &mut buffer)?;
        Ok(ChunkBytes::Copied(buffer, length))
    }

    /// Returns the hashers for groups: of pieces if there are any, or else of leaves.
    fn row_hashers(&self) -> Vec<&dyn RowHasher> {
        match self.pieces.is_empty() {
            true => self.unordered.iter().filter_map(|(_, hasher)| hasher.as_rows()).collect(),
            false => self.pieces.iter().map(|hasher| hasher as &dyn RowHasher).collect(),
        }
    }

    /// Reads and hashes the rows of a group.
    fn hash_group(&self, index: u64) {
        let (Source::Anywhere(reader), Some((bytes, piece))) = (&self.source, self.interleaved) else {
            return;
        };
        let size = reader.meta().size;
        let group = |index: u64| Group {
            index,
            offset: index * bytes,
            bytes: (size - index * bytes).min(bytes),
            piece,
        };
        // The first group has the most pieces, so its buffer is large enough for all.
        let room = group(0).room();
        let group = group(index);
        if self.cold {
            reader.will_need(group.offset, group.bytes);
        }
        let mut buffer = self.strips.take(room);
        let result = interleave::hash_group(&self.row_hashers(), reader, group, &mut buffer);
        self.strips.give(buffer);
        let mut state = self.state.lock();
        let before = state.bytes();
        state.hashed_group(result, group.bytes);
        Live::add(&self.live.bytes_done, state.bytes() - before);
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until all helpers have left, then returns the result. Only the owner calls it, once.
    pub(crate) fn finish(&self) -> Finished {
        let mut state = self.state.lock();
        while state.has_helpers() {
            self.changed.wait(&mut state);
        }
        let bytes = state.bytes();
        let failed = state.take_error().or_else(|| self.map_result().err());
        let failed = failed.or_else(|| self.source.finish(&state).err());
        let digests = if failed.is_none() { self.digests(&mut state) } else { DigestValues::default() };
        let pieces = self.pieces.iter().map(PieceHasher::occupancy);
        let leaves = self.unordered.iter().map(|(_, hasher)| hasher.occupancy());
        let occupancy = pieces.chain(leaves).sum();
        Finished { bytes, read: self.source.read_file(), digests, occupancy, failed }
    }

    /// Returns the digests of the whole file, in the order of the record.
    fn digests(&self, state: &mut RelayState) -> DigestValues {
        let mut values = state.finish();
        values.extend(self.unordered.iter().map(|(place, hasher)| (*place, hasher.finish())));
        values.sort_by_key(|(place, _)| *place);
        values.into_iter().map(|(_, value)| value).collect()
    }
}
