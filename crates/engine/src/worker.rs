//! A thread that reads and hashes: rounds of many files in flight, or a relay.

use crate::banks::{Banks, Feed};
use crate::buffers::LINE;
use crate::conduct::conduct;
use crate::event::Outcome;
use crate::flight::Flight;
use crate::load::Load;
use crate::opening::open;
use crate::order::Message;
use crate::probe::{Looking, Probed, is_cached, probe};
use crate::queue::{Appetite, Batch, Large, Task};
use crate::readers;
use crate::relay::{Relay, Role, Spent};
use crate::shared::{PIECES_HELD, Shared};
use crate::{Live, Plan, Stats};
use hashloom_source::{AlignedBytes, Entry, Found, Io, Reader};
use std::sync::Arc;
use std::time::Instant;

/// A file of fewer chunks than this is not worth a relay.
const RELAY_CHUNKS: u64 = 4;

/// How much of a large file that is not in memory the kernel is asked to read while others of the same round
/// are opened. It goes on by itself from there.
const AHEAD: u64 = 8 << 20;

/// Takes the messages of a round; false ends the worker.
pub(crate) type Send<'a> = dyn FnMut(Vec<Message>) -> bool + 'a;

/// A thread that reads and hashes.
pub(crate) struct Worker<'a> {
    shared: &'a Arc<Shared>,
    send: &'a mut Send<'a>,
    banks: Banks,
    arena: AlignedBytes,
    flights: Vec<Flight>,
    /// What a reader has read, and its files, for the next round.
    load: Option<Load>,
    loaded: Vec<Flight>,
    /// The rest of a batch.
    batch: std::vec::IntoIter<Found>,
    /// The numbers of the batch's first entry and of its next one.
    first: u64,
    next: u64,
    /// How many entries the batch had, and the bytes of its files so far.
    entries: u64,
    bytes: u64,
    /// The queue waits for what becomes of the batch.
    undecided: bool,
    messages: Vec<Message>,
    stats: Stats,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(shared: &'a Arc<Shared>, send: &'a mut Send<'a>) -> Self {
        Worker {
            shared,
            send,
            banks: Banks::new(&shared.plan),
            arena: AlignedBytes::default(),
            flights: Vec::new(),
            load: None,
            loaded: Vec::new(),
            batch: Vec::new().into_iter(),
            first: 0,
            next: 0,
            entries: 0,
            bytes: 0,
            undecided: false,
            messages: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// Works until nothing is left.
    pub(crate) fn run(mut self) -> Stats {
        while !self.shared.plan.cancel.is_set() && self.admit() {
            if !self.round() {
                break;
            }
        }
        self.sum()
    }

    /// What this worker counted.
    fn sum(self) -> Stats {
        let (used, offered) = self.banks.occupancy();
        let mut stats = self.stats;
        stats.lanes_used += used;
        stats.lanes_offered += offered;
        stats
    }

    /// Works through one batch and nothing else: no thread need be started for a small one.
    pub(crate) fn run_batch(mut self, batch: Batch) -> Stats {
        self.start(batch);
        while self.batch.len() > 0 && self.round() {}
        self.sum()
    }

    /// Fills the lanes with large files; false when there is nothing to do any more.
    fn admit(&mut self) -> bool {
        let lanes = self.banks.lanes();
        let enough = if lanes == 1 { self.shared.plan.threads.get() } else { 2 * lanes };
        loop {
            let stocked = self.undecided || self.load.is_some();
            let busy = stocked || !self.flights.is_empty();
            let appetite = match stocked {
                _ if self.flights.len() >= lanes => return true,
                true => Appetite::Large,
                false if busy => Appetite::More,
                false => Appetite::Any,
            };
            let start = Instant::now();
            let task = self.shared.queue.take(appetite, enough);
            if !busy {
                self.stats.waiting_for_files += start.elapsed();
            }
            match task {
                Some(Task::Batch(batch)) => self.start(batch),
                Some(Task::Load(load)) => self.take(load),
                Some(Task::Large(large)) => {
                    if !self.large(large) {
                        // What it holds open has to be done with first.
                        return true;
                    }
                }
                Some(Task::Help(relay)) => self.help(&relay),
                None => return busy,
            }
        }
    }

    fn start(&mut self, batch: Batch) {
        if self.arena.is_empty() {
            self.arena = AlignedBytes::zeroed(self.shared.layout.arena);
        }
        (self.first, self.next) = (batch.first, batch.first);
        self.entries = batch.found.len() as u64;
        self.batch = batch.found.into_iter();
        self.undecided = true;
    }

    /// Takes what a reader has read.
    fn take(&mut self, mut load: Load) {
        self.messages.append(&mut load.messages);
        let wanted = self.shared.wanted();
        let banks = &mut self.banks;
        self.loaded.extend(load.files.drain(..).map(|file| Flight::whole(file, wanted, banks)));
        self.load = Some(load);
    }

    /// Reads the next part of every file in flight and small files beside them, hashes it all, and
    /// settles what ended; false when nobody takes the results any more.
    fn round(&mut self) -> bool {
        let start = Instant::now();
        let loaded: usize = self.loaded.iter().map(Flight::bytes).sum();
        let read = loaded + self.read();
        let middle = Instant::now();
        self.hash();
        self.settle();
        let end = Instant::now();
        self.stats.reading += middle - start;
        self.stats.hashing += end - middle;
        Live::add(&self.shared.live.bytes_done, read as u64);
        self.flush()
    }

    fn flush(&mut self) -> bool {
        let done = self.messages.iter().filter(|message| matches!(message, Message::Done(..))).count();
        Live::add(&self.shared.live.files_done, done as u64);
        self.messages.is_empty() || (self.send)(std::mem::take(&mut self.messages))
    }

    /// Fills the arena: the bytes read.
    fn read(&mut self) -> usize {
        let (mut at, mut read) = (0, 0);
        if !self.flights.is_empty() {
            // Half of the arena is for small files, if there are any.
            let share = self.shared.layout.arena / if self.batch.len() > 0 { 2 } else { 1 };
            let room = (share / self.flights.len()).min(self.shared.layout.chunk);
            (at, read) = self.read_flights(room);
        }
        while at < self.arena.len() {
            let Some(found) = self.batch.next() else { break };
            let number = self.next;
            self.next += 1;
            match found {
                Found::File(entry) => {
                    let got = self.probe(number, entry, at);
                    read += got;
                    at += got.next_multiple_of(self.shared.row());
                }
                Found::Skipped { path, why } => self.done(number, Outcome::skipped(path, why)),
                Found::Failed(error) => self.done(number, Outcome::failed(error)),
            }
        }
        if self.undecided && self.batch.len() == 0 {
            self.undecided = false;
            self.shared.queue.probed(self.entries, std::mem::take(&mut self.bytes));
        }
        read
    }

    fn done(&mut self, number: u64, outcome: Outcome) {
        self.messages.push(Message::Done(number, outcome));
    }

    /// Reads the next part of every file in flight, each into so much room: where the arena is free behind
    /// them, and the bytes.
    fn read_flights(&mut self, room: usize) -> (usize, usize) {
        let page = self.shared.plan.reading.alignment();
        // Rows a line apart from multiples of the page don't fight over the same cache sets. Direct reads go
        // into whole pages, if there is room for them.
        let (unit, gap) = if page > LINE && room >= 2 * page { (page, 0) } else { (LINE, LINE) };
        let room = room / unit * unit - gap;
        let (mut at, mut index, mut read) = (0, 0, 0);
        while index < self.flights.len() {
            match self.flights[index].read(&mut self.arena, at, room) {
                Ok(got) => {
                    at += got.next_multiple_of(unit) + gap;
                    read += got;
                    index += 1;
                }
                Err(error) => {
                    let flight = self.flights.swap_remove(index);
                    flight.fail(error, &mut self.banks, &mut self.messages);
                }
            }
        }
        (at, read)
    }

    /// Opens a file. A small one is read at once, into the arena; any other waits in the queue.
    fn probe(&mut self, number: u64, entry: Entry, at: usize) -> usize {
        let look = number == self.first;
        let device = entry.device;
        let path = look.then(|| entry.path.clone());
        let looking = Looking { small: self.shared.small(), look, holds: !self.flights.is_empty() };
        let room = &mut self.arena[at..];
        let (probed, cached) = probe(number, entry, (room, at), &self.shared.plan.reading, looking);
        if let (Some(cached), Some(path)) = (cached, path) {
            self.saw(device, &path, cached);
            self.leave_to_reader(device);
        }
        match probed {
            Probed::Small(file) => {
                self.shared.met(file.meta.size);
                self.bytes += file.meta.size;
                let read = file.range.len();
                self.flights.push(Flight::whole(file, self.shared.wanted(), &mut self.banks));
                read
            }
            Probed::Large(large) => {
                self.shared.met(large.size);
                self.bytes += large.size;
                self.shared.postpone(large);
                0
            }
            Probed::Failed(number, error) => {
                self.done(number, Outcome::failed(error));
                0
            }
        }
    }

    /// Gives the rest of the batch back if the device has a reader of its own by now.
    fn leave_to_reader(&mut self, device: u64) {
        if self.batch.len() > 0 && self.shared.queue.is_reserved(device) {
            self.entries -= self.batch.len() as u64;
            let found = std::mem::take(&mut self.batch).collect();
            self.shared.queue.give_back(Batch { first: self.next, found, device });
        }
    }

    /// Notes whether a file was in memory. If not, others are to read ahead on its device.
    fn saw(&self, device: u64, path: &[u8], cached: bool) {
        let drive = self.shared.drives.get(device);
        drive.saw(cached);
        if !cached {
            readers::wake(self.shared, &drive, path);
        }
    }

    /// Takes a large file in flight, or through a relay. False, and the file waits again, if too many are open.
    fn large(&mut self, large: Large) -> bool {
        let Large { number, entry, size, reader } = large;
        let holds = !self.flights.is_empty();
        let opened =
            reader.map_or_else(|| open(&entry, &self.shared.plan.reading, holds), |reader| Ok(Some(reader)));
        let reader = match opened {
            Ok(Some(reader)) => reader,
            Ok(None) => {
                self.shared.queue.push_large(Large { number, entry, size, reader: None });
                self.shared.queue.decided();
                return false;
            }
            Err(error) => {
                self.shared.queue.decided();
                self.done(number, Outcome::failed(error));
                self.flush();
                return true;
            }
        };
        let seekable = reader.seekable();
        let cold = seekable && self.is_cold(&entry, &reader);
        // One that too many open files kept from being looked at was not counted yet.
        let late = if size == 0 { reader.meta().size } else { 0 };
        self.shared.met(late);
        let alone = self.shared.drives.is_alone(&self.shared.drives.get(entry.device));
        if self.is_long(size + late) || !seekable || alone {
            self.relay(number, &entry, reader);
        } else {
            self.shared.queue.decided();
            if self.arena.is_empty() {
                self.arena = AlignedBytes::zeroed(self.shared.layout.arena);
            }
            if cold && self.shared.plan.reading.io != Io::Direct {
                reader.will_need(0, size.min(AHEAD));
            }
            let wanted = self.shared.wanted();
            self.flights.push(Flight::new(number, entry.path, reader, wanted, &mut self.banks));
        }
        true
    }

    fn is_cold(&self, entry: &Entry, reader: &Reader) -> bool {
        let cached = is_cached(reader, &self.shared.plan.reading);
        if let Some(cached) = cached {
            self.saw(entry.device, &entry.path, cached);
        }
        cached == Some(false)
    }

    /// Whether a file of this size is better hashed by all threads together than beside others: when it
    /// would still run after everything else is done, or its pieces fill the lanes by themselves.
    fn is_long(&self, size: u64) -> bool {
        let Plan { piece, threads, .. } = &self.shared.plan;
        if piece.is_some_and(|piece| size / piece > PIECES_HELD) {
            return true;
        }
        if size < RELAY_CHUNKS * self.shared.layout.chunk as u64 {
            return false;
        }
        let rest = self.shared.queue.bytes_left() + size;
        let straggles = (rest as f64) < size as f64 * threads.get() as f64 * self.banks.slowdown();
        self.banks.lanes() == 1 || piece.is_some() || straggles
    }

    fn relay(&mut self, number: u64, entry: &Entry, reader: Reader) {
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
        let outcome = conduct(shared, entry, reader, Role::Any, &mut opened, &mut ready, &mut self.stats);
        let Some(outcome) = outcome else { return };
        if outcome.trouble.is_none() && !pieces.is_empty() {
            self.messages.push(Message::Pieces(number, pieces));
        }
        self.done(number, outcome);
        self.flush();
    }

    fn help(&mut self, relay: &Arc<Relay>) {
        let mut spent = Spent::default();
        let cancel = &self.shared.plan.cancel;
        relay.help(&|| cancel.is_set() || self.shared.queue.calls(), &mut spent);
        spent.add_to(&mut self.stats);
    }

    fn hash(&mut self) {
        let flights = self.flights.iter_mut().chain(&mut self.loaded);
        flights.for_each(|flight| flight.cut(&mut self.banks));
        let mut batch: Vec<Feed<'_>> = Vec::with_capacity(self.flights.len() + self.loaded.len());
        self.flights.iter().for_each(|flight| flight.feed(&self.arena, &mut batch));
        if let Some(load) = &self.load {
            self.loaded.iter().for_each(|flight| flight.feed(&load.buffer, &mut batch));
        }
        self.banks.update(&batch);
        let flights = self.flights.iter_mut().chain(&mut self.loaded);
        flights.for_each(|flight| flight.close_pieces(&mut self.banks));
    }

    fn settle(&mut self) {
        let mut index = 0;
        while index < self.flights.len() {
            if self.flights[index].is_last() {
                let flight = self.flights.swap_remove(index);
                flight.settle(&mut self.banks, &mut self.messages);
            } else {
                index += 1;
            }
        }
        for flight in self.loaded.drain(..) {
            flight.settle(&mut self.banks, &mut self.messages);
        }
        if let Some(load) = self.load.take() {
            self.shared.release(load.buffer);
        }
    }
}
