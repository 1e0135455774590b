//! A thread that reads and hashes: rounds of many files in flight, or a relay.

use super::current_batch::CurrentBatch;
use super::flight::Flight;
use super::run_relay::{RelayJob, run_relay};
use crate::event::EntryResult;
use crate::hash::{Feed, Hashers};
use crate::memory::LINE;
use crate::queue::{TakePolicy, Task};
use crate::read::{
    Class, OtherFiles, ProbeOptions, Probed, ReadMethod, Room, Sharing, is_cached, open, probe, spent,
    spooled,
};
use crate::relay::{Relay, Role, TimeSpent};
use crate::shared::PanicGuard;
use crate::shared::{PIECES_HELD, Shared};
use crate::task::{Batch, LargeFile, LoadedFiles, Message, SendResults};
use crate::{Live, Plan, Stats};
use hashmill_source::{AlignedBytes, Entry, Error, Io, Reader};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// Files of fewer chunks than this are not worth a relay.
const RELAY_CHUNKS: u64 = 4;

/// The bytes of a large uncached file that the kernel is asked to read in advance, while other files of the round are
/// opened. After that it reads ahead on its own.
const AHEAD: u64 = 8 << 20;

/// Results are sent once there are this many records or this much time has passed: waking the receiving thread costs as
/// much as opening a file.
const RECORDS: usize = 64;
const HELD_BACK: Duration = Duration::from_millis(5);

/// Hashes until nothing is left to do.
pub(crate) fn work(shared: &Arc<Shared>, sender: Option<SyncSender<Vec<Message>>>) {
    let Some(sender) = sender else { return };
    let _guard = PanicGuard(shared);
    let mut send = |messages: Vec<Message>| sender.send(messages).is_ok();
    let stats = Worker::new(shared, &mut send).run();
    shared.count(&stats);
    shared.close_results();
}

/// A thread that reads and hashes.
pub(crate) struct Worker<'a> {
    shared: &'a Arc<Shared>,
    send: &'a mut SendResults<'a>,
    hashers: Hashers,
    arena: AlignedBytes,
    flights: Vec<Flight>,
    /// A reader's buffer and its files, for the next round.
    loaded: Option<LoadedFiles>,
    loaded_flights: Vec<Flight>,
    batch: CurrentBatch,
    /// Unsent results, and the time of the last sending.
    messages: Vec<Message>,
    sent: Instant,
    /// The way of files on trial in this round.
    turn: ReadMethod,
    stats: Stats,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(shared: &'a Arc<Shared>, send: &'a mut SendResults<'a>) -> Self {
        Worker {
            shared,
            send,
            hashers: Hashers::new(&shared.plan),
            arena: AlignedBytes::default(),
            flights: Vec::new(),
            loaded: None,
            loaded_flights: Vec::new(),
            batch: CurrentBatch::default(),
            messages: Vec::new(),
            sent: Instant::now(),
            turn: ReadMethod::Copied,
            stats: Stats::default(),
        }
    }

    pub(crate) fn run(mut self) -> Stats {
        while !self.shared.plan.cancel.is_set() && self.admit() {
            if !self.round() {
                break;
            }
        }
        self.send_all();
        self.sum()
    }

    /// Returns this worker's counters.
    fn sum(self) -> Stats {
        let mut stats = self.stats;
        stats.add_lanes(self.hashers.occupancy());
        stats
    }

    /// Works through one small batch, which needs no other thread.
    pub(crate) fn run_batch(mut self, batch: Batch) -> Stats {
        self.start(batch);
        while !self.batch.is_empty() && self.round() {}
        self.send_all();
        self.sum()
    }

    /// Takes tasks until there is enough for a round; false when nothing is left to do.
    fn admit(&mut self) -> bool {
        let lanes = self.hashers.lanes();
        let enough = if lanes == 1 { self.shared.plan.threads.get() } else { 2 * lanes };
        loop {
            let stocked = self.batch.is_undecided() || self.loaded.is_some();
            let busy = stocked || !self.flights.is_empty();
            let policy = match stocked {
                _ if self.flights.len() >= lanes => return true,
                true => TakePolicy::Large,
                false if busy => TakePolicy::More,
                false => TakePolicy::Any,
            };
            let start = Instant::now();
            let shared = self.shared;
            // Results must be out before the worker waits.
            let task = shared.queue.take(policy, enough, &mut || {
                self.send_all();
            });
            if !busy {
                self.stats.waiting_for_files += start.elapsed();
            }
            match task {
                Some(Task::Batch(batch)) => self.start(batch),
                Some(Task::Loaded(loaded)) => self.take(loaded),
                Some(Task::Large(file)) => {
                    if !self.large(file) {
                        // It must close its open files first.
                        return true;
                    }
                }
                Some(Task::Help(relay)) => self.help(&relay),
                None => return busy,
            }
        }
    }

    fn start(&mut self, batch: Batch) {
        self.need_arena();
        self.batch = CurrentBatch::new(batch);
    }

    fn need_arena(&mut self) {
        if self.arena.is_empty() {
            self.arena = AlignedBytes::zeroed(self.shared.layout.arena);
        }
    }

    /// Takes a reader's files.
    fn take(&mut self, mut loaded: LoadedFiles) {
        self.messages.append(&mut loaded.messages);
        let (plan, hashers) = (&self.shared.plan, &mut self.hashers);
        self.loaded_flights.extend(loaded.files.drain(..).map(|file| Flight::whole(file, plan, hashers)));
        self.loaded = Some(loaded);
    }

    /// Reads the next part of every file in flight, and small files; hashes everything; and finishes the files that
    /// ended. False if the receiver of results is gone.
    fn round(&mut self) -> bool {
        let (start, spent_before) = (Instant::now(), spent());
        let loaded: usize = self.loaded_flights.iter().map(Flight::bytes).sum();
        let read = loaded + self.read();
        let middle = Instant::now();
        self.hash();
        let trial = self.trial(read);
        self.finish_flights();
        let end = Instant::now();
        if let Some(class) = trial {
            let mapping = spent().saturating_sub(spent_before);
            class.note(self.turn, read, (end - start).saturating_sub(mapping));
        }
        self.turn = self.turn.other();
        self.stats.reading += middle - start;
        self.stats.hashing += end - middle;
        Live::add(&self.shared.live.bytes_done, read as u64);
        self.flush()
    }

    /// Returns the class on trial that nearly all bytes of this round belong to.
    fn trial(&self, read: usize) -> Option<Arc<Class>> {
        let class = self.flights.iter().find_map(|flight| self.on_trial(flight))?;
        let is_in = |flight: &&Flight| self.on_trial(flight).is_some_and(|other| Arc::ptr_eq(other, class));
        let bytes: usize = self.flights.iter().filter(is_in).map(Flight::bytes).sum();
        (bytes * 5 >= read * 4).then(|| Arc::clone(class))
    }

    /// Returns the class of a file during its trial.
    fn on_trial<'b>(&'b self, flight: &'b Flight) -> Option<&'b Arc<Class>> {
        match flight.map() {
            Some(map) => map.on_trial(),
            // A small file that is copied in this turn.
            None if flight.is_whole() => self.shared.mapping.on_trial(flight.bytes() as u64),
            None => None,
        }
    }

    /// Sends results if there are many or they have waited; false if the receiver is gone.
    fn flush(&mut self) -> bool {
        let records: usize = self.messages.iter().map(Message::records).sum();
        let wait = records < RECORDS && self.sent.elapsed() < HELD_BACK;
        wait || self.send_all()
    }

    /// Sends results before something that may take long; false if the receiver is gone.
    fn send_all(&mut self) -> bool {
        let done = self.messages.iter().filter(|message| message.is_done()).count();
        Live::add(&self.shared.live.files_done, done as u64);
        self.sent = Instant::now();
        self.messages.is_empty() || (self.send)(std::mem::take(&mut self.messages))
    }

    /// Fills the arena. Returns the bytes read.
    fn read(&mut self) -> usize {
        let (mut at, mut read) = (0, 0);
        if !self.flights.is_empty() {
            // Half of the arena is for small files, if there are any.
            let share = self.shared.layout.arena / if self.batch.is_empty() { 1 } else { 2 };
            let room = (share / self.flights.len()).min(self.shared.layout.chunk);
            (at, read) = self.read_flights(room);
        }
        // Mapped files take no room, but count: the round must fit into the cache, and end.
        while at < self.arena.len() && read < self.arena.len() {
            let Some((number, found)) = self.batch.next() else { break };
            match found.resolve() {
                Ok(entry) => {
                    let (got, room) = self.probe(number, entry, at);
                    read += got;
                    at += room.next_multiple_of(self.shared.row());
                }
                Err(outcome) => self.done(number, *outcome),
            }
        }
        if let Some((entries, bytes)) = self.batch.decide() {
            self.shared.queue.batch_decided(entries, bytes);
        }
        read
    }

    fn done(&mut self, number: u64, outcome: EntryResult) {
        self.messages.push(Message::Done(number, outcome));
    }

    /// Reads the next part of every file in flight, each into this much room. Returns the offset of the free part of
    /// the arena, and the bytes read.
    fn read_flights(&mut self, room: usize) -> (usize, usize) {
        let page = self.shared.plan.reading.alignment();
        // Rows that start at multiples of a page would compete for the same cache sets. Direct reads need whole pages,
        // if there is room for them.
        let (unit, gap) = if page > LINE && room >= 2 * page { (page, 0) } else { (LINE, LINE) };
        let room = room / unit * unit - gap;
        let (mut at, mut index, mut read) = (0, 0, 0);
        while index < self.flights.len() {
            match self.flights[index].read(&mut self.arena, at, room, self.turn) {
                Ok(taken) => {
                    at += if taken > 0 { taken.next_multiple_of(unit) + gap } else { 0 };
                    read += self.flights[index].bytes();
                    index += 1;
                }
                Err(error) => {
                    let flight = self.flights.swap_remove(index);
                    flight.fail(error, &mut self.hashers, &mut self.messages);
                }
            }
        }
        (at, read)
    }

    /// Opens a file. A small one is read into the arena or mapped at once; any other is queued. Returns its bytes in
    /// this round, and those in the arena.
    fn probe(&mut self, number: u64, entry: Entry, at: usize) -> (usize, usize) {
        let check_cache = self.batch.is_first(number);
        let device = entry.device;
        let path = check_cache.then(|| entry.path.clone());
        let options = ProbeOptions {
            small: self.shared.small(),
            check_cache,
            others: self.other_files(),
            mapping: Some((&self.shared.mapping, self.turn)),
        };
        let room = Room { bytes: &mut self.arena[at..], start: at };
        let (probed, cached) = probe(number, entry, room, &self.shared.plan.reading, options);
        if let (Some(cached), Some(path)) = (cached, path) {
            self.note_cached(device, &path, cached);
            self.leave_to_reader(device);
        }
        match probed {
            Probed::Small(file) => {
                self.count_bytes(file.read.meta.size);
                let read = file.range.len();
                self.flights.push(Flight::whole(file, &self.shared.plan, &mut self.hashers));
                (read, read)
            }
            Probed::Mapped(file) => {
                let size = file.map.len();
                self.count_bytes(size as u64);
                self.flights.push(Flight::mapped(file, &self.shared.plan, &mut self.hashers));
                (size, 0)
            }
            Probed::Large(file) => {
                self.count_bytes(file.size);
                self.shared.postpone(file);
                (0, 0)
            }
            Probed::Failed(number, error) => {
                self.done(number, EntryResult::failed(error));
                (0, 0)
            }
        }
    }

    /// Counts the bytes of a file in the batch.
    fn count_bytes(&mut self, size: u64) {
        self.shared.count_bytes_met(size);
        self.batch.add_bytes(size);
    }

    /// Gives back the rest of the batch if the device has an only reader by now.
    fn leave_to_reader(&mut self, device: u64) {
        let has_reader = || !self.batch.is_resident() && self.shared.queue.is_reserved(device);
        if !self.batch.is_empty() && has_reader() {
            self.shared.queue.give_back(self.batch.split(device));
        }
    }

    /// Notes whether a file was in memory. If not, wakes the readers of its device.
    fn note_cached(&self, device: u64, path: &[u8], cached: bool) {
        let device = self.shared.devices.get(device);
        device.note_cached(cached);
        if !cached {
            self.shared.wake_readers(&device, path);
        }
    }

    fn other_files(&self) -> OtherFiles {
        if self.flights.is_empty() { OtherFiles::NoneOpen } else { OtherFiles::Open }
    }

    /// Takes a large file in flight or through a relay. Returns false, and queues the file again, if too many files are
    /// open, or if other files hold all the memory for remote reads.
    fn large(&mut self, file: LargeFile) -> bool {
        let LargeFile { number, entry, size, reader } = file;
        let others = self.other_files();
        let reading = &self.shared.plan.reading;
        let opened = reader.map_or_else(|| open(&entry, reading, others), |reader| Ok(Some(reader)));
        match opened {
            Ok(Some(reader)) if reader.prepare(others == OtherFiles::NoneOpen) => {
                self.large_opened(number, entry, size, reader)
            }
            Ok(_) => {
                self.shared.queue.push_large(LargeFile { number, entry, size, reader: None });
                self.shared.queue.decided();
                return false;
            }
            Err(error) => self.large_failed(number, error),
        }
        true
    }

    fn large_failed(&mut self, number: u64, error: Error) {
        self.shared.queue.decided();
        self.done(number, EntryResult::failed(error));
        self.flush();
    }

    fn large_opened(&mut self, number: u64, entry: Entry, size: u64, mut reader: Reader) {
        let mut seekable = reader.seekable();
        if !seekable && self.hashers.needs_sizes() {
            reader = match spooled(&entry, reader, &self.shared.plan) {
                Ok(reader) => reader,
                Err(error) => return self.large_failed(number, error),
            };
            seekable = reader.seekable();
        }
        if let Some(problem) = self.shared.plan.refuses(reader.meta().size).filter(|_| self.shared.plan.whole)
        {
            return self.large_failed(number, Error { path: entry.path.clone(), problem });
        }
        let cached = if seekable { self.is_cached(&entry, &reader) } else { None };
        // If the file could not be opened before because of too many open files, its bytes were not counted yet.
        let late = if size == 0 { reader.meta().size } else { 0 };
        self.shared.count_bytes_met(late);
        let one_reader = self.shared.devices.has_one_reader(&self.shared.devices.get(entry.device));
        // Cached files need no reader.
        let waits = one_reader && cached != Some(true);
        let alone = seekable && self.shared.plan.saves_alone(&entry, reader.meta(), size + late);
        let alone = alone || entry.waits();
        if alone || self.is_long(size + late, cached) || !seekable || waits {
            return self.relay(number, &entry, reader);
        }
        self.shared.queue.decided();
        self.need_arena();
        if cached == Some(false) && self.shared.plan.reading.io != Io::Direct {
            reader.will_need(0, size.min(AHEAD));
        }
        let is_cached = cached == Some(true);
        let map = is_cached.then(|| self.shared.mapping.map(&reader, Sharing::Beside)).flatten();
        let flight = Flight::new(number, entry.path, reader, map, &self.shared.plan, &mut self.hashers);
        self.flights.push(flight);
    }

    /// Whether a file is in memory, if the system knows.
    fn is_cached(&self, entry: &Entry, reader: &Reader) -> Option<bool> {
        let cached = is_cached(reader, &self.shared.plan.reading);
        if let Some(cached) = cached {
            self.note_cached(entry.device, &entry.path, cached);
        }
        cached
    }

    /// Whether a file of this size is hashed faster by all threads together than beside others: it would still run
    /// after everything else is done, or its own pieces or leaves fill the lanes.
    fn is_long(&self, size: u64, cached: Option<bool>) -> bool {
        let Plan { piece, threads, likeness, .. } = &self.shared.plan;
        if piece.is_some_and(|piece| size / piece > PIECES_HELD) {
            return true;
        }
        if size < RELAY_CHUNKS * self.shared.layout.chunk as u64 {
            return false;
        }
        let rest = self.shared.queue.bytes_left(size).saturating_add(size);
        let straggles = (rest as f64) < size as f64 * threads.get() as f64 * self.hashers.slowdown();
        // While one thread hashes, another reads ahead, which gains only if reads have to wait.
        let gains = self.hashers.lanes() == 1 && (cached != Some(true) || !likeness.is_empty());
        gains || piece.is_some() || straggles || self.hashers.fills_lanes(size)
    }

    fn relay(&mut self, number: u64, entry: &Entry, reader: Reader) {
        self.send_all();
        let shared = self.shared;
        let size = reader.meta().size;
        let piece = shared.plan.piece.map(|piece| piece.get());
        let held = piece.is_none_or(|piece| reader.seekable() && size / piece <= PIECES_HELD);
        let mut pieces = Vec::new();
        let send = &mut self.send;
        let mut ready = |records: Vec<_>| {
            pieces.extend(records);
            if !held && !pieces.is_empty() {
                send(vec![Message::Pieces(number, std::mem::take(&mut pieces))]);
            }
        };
        let mut opened = || shared.queue.decided();
        let job = RelayJob { entry, reader, role: Role::Any };
        let outcome = run_relay(shared, job, &mut opened, &mut ready, &mut self.stats);
        let Some(outcome) = outcome else { return };
        if outcome.trouble.is_none() && !pieces.is_empty() {
            self.messages.push(Message::Pieces(number, pieces));
        }
        self.done(number, outcome);
        self.flush();
    }

    fn help(&mut self, relay: &Arc<Relay>) {
        self.send_all();
        let mut spent = TimeSpent::default();
        let cancel = &self.shared.plan.cancel;
        relay.help(&|| cancel.is_set() || self.shared.queue.needs_worker(), &mut spent);
        spent.add_to(&mut self.stats);
    }

    fn hash(&mut self) {
        let flights = self.flights.iter_mut().chain(&mut self.loaded_flights);
        flights.for_each(|flight| flight.cut(&mut self.hashers));
        let mut batch: Vec<Feed<'_>> = Vec::with_capacity(self.flights.len() + self.loaded_flights.len());
        self.flights.iter().for_each(|flight| flight.feed(&self.arena, &mut batch));
        if let Some(loaded) = &self.loaded {
            self.loaded_flights.iter().for_each(|flight| flight.feed(&loaded.buffer, &mut batch));
        }
        self.hashers.update(&batch);
        let flights = self.flights.iter_mut().chain(&mut self.loaded_flights);
        flights.for_each(|flight| flight.close_pieces(&mut self.hashers));
    }

    fn finish_flights(&mut self) {
        let mut index = 0;
        while index < self.flights.len() {
            if self.flights[index].is_last() {
                let flight = self.flights.swap_remove(index);
                flight.finish(&self.shared.plan, &mut self.hashers, &mut self.messages);
            } else if let Err(error) = self.flights[index].check() {
                let flight = self.flights.swap_remove(index);
                flight.fail(error, &mut self.hashers, &mut self.messages);
            } else {
                index += 1;
            }
        }
        for flight in self.loaded_flights.drain(..) {
            flight.finish(&self.shared.plan, &mut self.hashers, &mut self.messages);
        }
        if let Some(loaded) = self.loaded.take() {
            self.shared.release(loaded.buffer);
        }
    }
}
