//! A thread that reads and hashes: rounds of many files in flight, or a relay.

use crate::banks::{Banks, Feed};
use crate::buffers::{Buffers, Layout};
use crate::event::Outcome;
use crate::flight::{Flight, Wanted};
use crate::order::Message;
use crate::queue::{Appetite, Batch, Large, Queue, Task};
use crate::relay::{Relay, Spent, records};
use crate::{Live, Plan, Stats};
use hashloom_source::{Entry, Found, Origin, Reader};
use std::sync::Arc;
use std::time::Instant;

/// A file with more pieces than this gives them to the sink as they come, when its turn has come.
const PIECES_HELD: u64 = 1 << 14;

/// Bytes of a cache line: kernels load rows that start with one fastest.
const LINE: usize = 64;

/// A file of fewer chunks than this is not worth a relay.
const RELAY_CHUNKS: u64 = 4;

/// What all workers share.
pub(crate) struct Shared {
    pub(crate) plan: Plan,
    pub(crate) layout: Layout,
    pub(crate) queue: Queue,
    pub(crate) buffers: Arc<Buffers>,
    pub(crate) live: Arc<Live>,
}

/// Takes the messages of a round; false ends the worker.
pub(crate) type Send<'a> = dyn FnMut(Vec<Message>) -> bool + 'a;

/// A thread that reads and hashes.
pub(crate) struct Worker<'a> {
    shared: &'a Shared,
    send: &'a mut Send<'a>,
    banks: Banks,
    arena: Box<[u8]>,
    flights: Vec<Flight>,
    /// The rest of a batch.
    batch: std::vec::IntoIter<Found>,
    /// The number of the batch's next entry.
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
    pub(crate) fn new(shared: &'a Shared, send: &'a mut Send<'a>) -> Self {
        Worker {
            shared,
            send,
            banks: Banks::new(&shared.plan),
            arena: Box::default(),
            flights: Vec::new(),
            batch: Vec::new().into_iter(),
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
            let busy = self.undecided || !self.flights.is_empty();
            let appetite = match self.undecided {
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
                Some(Task::Large(large)) => self.large(large),
                Some(Task::Help(relay)) => self.help(&relay),
                None => return busy,
            }
        }
    }

    fn start(&mut self, batch: Batch) {
        if self.arena.is_empty() {
            self.arena = vec![0; self.shared.layout.arena + LINE].into_boxed_slice();
        }
        self.next = batch.first;
        self.entries = batch.found.len() as u64;
        self.batch = batch.found.into_iter();
        self.undecided = true;
    }

    /// Reads the next part of every file in flight and small files beside them, hashes it all, and
    /// settles what ended; false when nobody takes the results any more.
    fn round(&mut self) -> bool {
        let start = Instant::now();
        let read = self.read();
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
        let mut at = self.arena.as_ptr().align_offset(LINE);
        let mut read = 0;
        if !self.flights.is_empty() {
            // Half of the arena is for small files, if there are any.
            let share = self.shared.layout.arena / if self.batch.len() > 0 { 2 } else { 1 };
            let room = (share / self.flights.len()).min(self.shared.layout.chunk);
            (at, read) = self.read_flights(at, room / LINE * LINE - LINE);
        }
        while at < self.arena.len() {
            let Some(found) = self.batch.next() else { break };
            let number = self.next;
            self.next += 1;
            match found {
                Found::File(entry) => {
                    let got = self.probe(number, entry, at);
                    read += got;
                    at += got.next_multiple_of(LINE);
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

    /// Reads the next part of every file in flight: where the arena is free behind them, and the bytes.
    fn read_flights(&mut self, mut at: usize, room: usize) -> (usize, usize) {
        let (mut index, mut read) = (0, 0);
        while index < self.flights.len() {
            match self.flights[index].read(&mut self.arena, at, room) {
                Ok(got) => {
                    // Rows a line apart from multiples of the page don't fight over the same cache sets.
                    at += got.next_multiple_of(LINE) + LINE;
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
        let reader = match Reader::open(&entry) {
            Ok(reader) => reader,
            Err(error) => {
                self.done(number, Outcome::failed(error));
                return 0;
            }
        };
        let size = reader.meta().size;
        Live::add(&self.shared.live.bytes_met, size);
        self.bytes += size;
        let free = self.arena.len().saturating_sub(at) as u64;
        // A file that is as long as it says leaves the last byte of its room free.
        if entry.origin != Origin::Path || size >= free.min(self.small()) {
            self.postpone(Large { number, entry, size, reader: Some(reader) });
            return 0;
        }
        self.read_small(Large { number, entry, size, reader: None }, reader, at)
    }

    /// The size from which on a file is not read in one go: so many smaller ones fit into the arena that
    /// they fill the lanes twice over.
    fn small(&self) -> u64 {
        (self.arena.len() / 2 / self.banks.lanes().max(self.banks.shares())) as u64
    }

    fn read_small(&mut self, file: Large, reader: Reader, at: usize) -> usize {
        let wanted = self.wanted();
        let mut flight = Flight::new(file.number, file.entry.path.clone(), reader, wanted, &mut self.banks);
        match flight.read(&mut self.arena, at, file.size as usize + 1) {
            Ok(got) if flight.is_last() => {
                self.flights.push(flight);
                got
            }
            Ok(_) => {
                // More bytes than its size says: a file of a pseudo file system, or one that grows.
                flight.withdraw(&mut self.banks);
                self.postpone(file);
                0
            }
            Err(error) => {
                flight.fail(error, &mut self.banks, &mut self.messages);
                0
            }
        }
    }

    fn wanted(&self) -> Wanted {
        Wanted { whole: self.shared.plan.whole, piece: self.shared.plan.piece.map(|size| size.get()) }
    }

    /// Leaves a file for later, when it can be read beside ones of its size.
    fn postpone(&mut self, mut large: Large) {
        let pieces = self.wanted().piece.map_or(0, |piece| large.size / piece);
        if large.entry.origin == Origin::Path && large.reader.as_ref().is_some_and(Reader::seekable) {
            // A thousand of these may wait; a descriptor for each would be too many.
            large.reader = None;
        }
        if pieces > PIECES_HELD || (large.reader.is_some() && self.wanted().piece.is_some()) {
            self.shared.queue.push_patient(large);
        } else {
            self.shared.queue.push_large(large);
        }
    }

    /// Takes a large file in flight, or through a relay.
    fn large(&mut self, large: Large) {
        let Large { number, entry, size, reader } = large;
        let reader = match reader.map_or_else(|| Reader::open(&entry), Ok) {
            Ok(reader) => reader,
            Err(error) => {
                self.shared.queue.decided();
                self.done(number, Outcome::failed(error));
                self.flush();
                return;
            }
        };
        if self.is_long(size) || !reader.seekable() {
            self.relay(number, &entry.path, reader);
        } else {
            self.shared.queue.decided();
            if self.arena.is_empty() {
                self.arena = vec![0; self.shared.layout.arena + LINE].into_boxed_slice();
            }
            let wanted = self.wanted();
            self.flights.push(Flight::new(number, entry.path, reader, wanted, &mut self.banks));
        }
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

    fn relay(&mut self, number: u64, path: &[u8], reader: Reader) {
        let shared = self.shared;
        let (meta, whole_known) = (*reader.meta(), reader.seekable());
        let relay = Arc::new(Relay::new(shared, reader, self.banks.lanes()));
        let held = shared.plan.piece.is_none_or(|piece| whole_known && meta.size / piece <= PIECES_HELD);
        shared.queue.open_relay(&relay);
        shared.queue.decided();
        let mut spent = Spent::default();
        let mut pieces = Vec::new();
        let send = &mut self.send;
        relay.drive(
            &mut |ready| {
                pieces.extend(records(path, ready));
                if !held && !pieces.is_empty() {
                    send(vec![Message::Pieces(number, std::mem::take(&mut pieces))]);
                }
            },
            &mut spent,
        );
        shared.queue.close_relay(&relay);
        self.spent(spent);
        if shared.plan.cancel.is_set() {
            return;
        }
        let finished = relay.finish();
        self.stats.lanes_used += finished.occupancy.0;
        self.stats.lanes_offered += finished.occupancy.1;
        let outcome = match finished.failed {
            Some(error) => Outcome::failed(error),
            None => {
                if !pieces.is_empty() {
                    self.messages.push(Message::Pieces(number, pieces));
                }
                Outcome::hashed(path.into(), finished.bytes, meta, finished.digests)
            }
        };
        self.done(number, outcome);
        self.flush();
    }

    fn help(&mut self, relay: &Arc<Relay>) {
        let mut spent = Spent::default();
        let cancel = &self.shared.plan.cancel;
        relay.help(&|| cancel.is_set() || self.shared.queue.calls(), &mut spent);
        self.spent(spent);
    }

    fn spent(&mut self, spent: Spent) {
        self.stats.reading += spent.reading;
        self.stats.hashing += spent.hashing;
        self.stats.waiting_for_files += spent.waiting;
    }

    fn hash(&mut self) {
        for flight in &mut self.flights {
            flight.cut(&mut self.banks);
        }
        let mut batch: Vec<Feed<'_>> = Vec::with_capacity(self.flights.len());
        for flight in &self.flights {
            flight.feed(&self.arena, &mut batch);
        }
        self.banks.update(&batch);
        for flight in &mut self.flights {
            flight.close_pieces(&mut self.banks);
        }
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
    }
}
