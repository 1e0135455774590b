//! One long file, read and hashed by every thread that has nothing else to do.
//!
//! The file is read in chunks; each algorithm (and each algorithm over pieces) is a *consumer* that takes
//! the chunks one after another, and an algorithm that is a tree takes them in any order, on any number
//! of threads at once. A thread that joins does whatever is ready: hash a chunk, or else read one. So
//! reading overlaps with hashing, several algorithms run beside each other over the same bytes, and a
//! tree hash uses all cores; and one thread alone gets through as well.

use crate::branch::Branch;
use crate::buffers::{Buffers, Layout};
use crate::comb::Comb;
use crate::consumer::{Consumer, Serial};
use crate::drive::Drive;
use crate::event::{Digests, Found, Value};
use crate::kin;
use crate::opening::bad_blocks;
use crate::shared::Shared;
use crate::strips::{Group, sweep};
use crate::trunk::Trunk;
use crate::{Cancel, Live, Stats};
use hashloom_manifest::{Piece, Record};
use hashloom_source::{AlignedBytes, Error, Io, Reader};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a helper waits for the next chunk before it looks whether other files wait.
const PATIENCE: Duration = Duration::from_millis(2);

/// The least size of a piece that is worth reading strip by strip: each strip costs a system call.
const STRIPED: u64 = 64 << 10;

/// One long file on its way through all threads.
pub(crate) struct Relay {
    source: Source,
    /// The number of the device that it is on.
    device: u64,
    /// Only one thread at a time may read.
    alone: bool,
    /// Files there were not in memory, of late.
    cold: bool,
    layout: Layout,
    buffers: Arc<Buffers>,
    live: Arc<Live>,
    cancel: Cancel,
    branches: Vec<Branch>,
    /// Bytes of a piece, if nothing but the digests of pieces is wanted: then chunks are read strip by strip.
    swept: Option<u64>,
    state: Mutex<State>,
    changed: Condvar,
}

/// Where chunks come from.
enum Source {
    /// Any chunk can be read by any thread.
    Anywhere(Reader),
    /// One after another.
    InOrder(Mutex<Reader>),
}

/// Bytes of the file that at least one consumer still needs.
struct Chunk {
    index: u64,
    bytes: AlignedBytes,
    length: usize,
    last: bool,
}

/// A chunk with what is still to be done with it.
struct Held {
    chunk: Option<Arc<Chunk>>,
    /// Branches that have not been given it.
    branches_left: usize,
    /// Uses that are not done, by consumers and branches together.
    uses_left: usize,
}

struct Seat {
    /// `None` while a thread works with it.
    consumer: Option<Consumer>,
    /// The chunk that it takes next.
    next: u64,
    /// Pieces that it has done and that wait for the other algorithms, if it is one over pieces.
    pieces: Option<VecDeque<(Piece, Value)>>,
}

struct State {
    seats: Vec<Seat>,
    /// `held[i]` is chunk `first + i`.
    held: VecDeque<Held>,
    first: u64,
    /// The next chunk to be read, and how many there are, once known.
    next_read: u64,
    end: Option<u64>,
    reading: usize,
    bytes: u64,
    /// The chunk whose pieces come next, where branches hash them.
    next_combed: u64,
    failed: Option<Error>,
    /// The file ended before its size: nothing behind that point can be right.
    short: bool,
    helpers: usize,
    /// Helpers that only read.
    readers: usize,
}

/// What a thread does in a relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Whatever is ready.
    Any,
    /// It leaves hashing to others.
    Read,
}

enum Step {
    Hash(usize, Consumer, Arc<Chunk>),
    Branch(usize, Arc<Chunk>),
    Read(u64),
    Sweep(u64),
    Wait,
    End,
}

/// Time that a thread spent in a relay.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Spent {
    pub(crate) reading: Duration,
    pub(crate) hashing: Duration,
    pub(crate) waiting: Duration,
}

impl Spent {
    /// Adds it to what the thread counted.
    pub(crate) fn add_to(self, stats: &mut Stats) {
        stats.reading += self.reading;
        stats.hashing += self.hashing;
        stats.waiting_for_files += self.waiting;
    }
}

/// What a relay found.
pub(crate) struct Finished {
    pub(crate) bytes: u64,
    pub(crate) digests: Digests,
    /// Blocks hashed in lanes, and blocks that the lanes could have hashed in that time.
    pub(crate) occupancy: (u64, u64),
    pub(crate) failed: Option<Error>,
}

impl Relay {
    pub(crate) fn new(shared: &Shared, reader: Reader, drive: &Drive) -> Self {
        let plan = &shared.plan;
        let lanes = shared.lanes();
        let anywhere = reader.seekable();
        let size = reader.meta().size;
        let piece = plan.piece.filter(|_| anywhere).map(|piece| piece.get());
        let threads = plan.threads.get();
        let alone = !anywhere || shared.drives.is_alone(drive);
        // A head would go back and forth between the strips, direct reads want whole pages, and likeness hashes
        // have no lanes that strips could fill.
        let plain = !alone && !plan.whole && plan.reading.io != Io::Direct && plan.likeness.is_empty();
        let strips = piece
            .filter(|piece| plain && *piece >= STRIPED)
            .and_then(|piece| shared.layout.for_strips(piece, lanes, size, threads));
        let combed = strips.or_else(|| shared.layout.for_pieces(piece?, lanes));
        let layout = combed.unwrap_or(shared.layout);
        let (mut branches, mut seats) = (Vec::new(), Vec::new());
        for (index, algorithm) in plan.algorithms.iter().enumerate() {
            if plan.whole {
                match Trunk::new(index, algorithm, layout.chunk, size).filter(|_| anywhere) {
                    Some(trunk) => branches.push(Branch::Trunk(trunk)),
                    None => seats.push(Seat::new(Consumer::Digest(Serial::whole(index, algorithm)))),
                }
            }
            match plan.piece.map(|piece| piece.get()) {
                Some(piece) if combed.is_some() => branches.push(Branch::Comb(Comb::new(algorithm, piece))),
                Some(piece) => seats.push(Seat::new(Consumer::Digest(Serial::pieces(algorithm, piece)))),
                None => {}
            }
        }
        let known = anywhere.then_some(size);
        for (index, algorithm) in plan.likeness.iter().enumerate() {
            if plan.whole {
                seats.push(Seat::new(Consumer::Likeness(kin::Serial::whole(index, algorithm, known))));
            }
            match plan.piece.map(|piece| piece.get()) {
                Some(piece) if combed.is_some() => {
                    branches.push(Branch::Comb(Comb::likeness(algorithm, piece)));
                }
                Some(piece) => {
                    seats.push(Seat::new(Consumer::Likeness(kin::Serial::pieces(algorithm, piece, known))))
                }
                None => {}
            }
        }
        let end = anywhere.then(|| size.div_ceil(layout.chunk as u64).max(1));
        let source = if anywhere { Source::Anywhere(reader) } else { Source::InOrder(Mutex::new(reader)) };
        Relay {
            source,
            device: drive.number,
            alone,
            cold: drive.is_cold(),
            layout,
            buffers: combed.map_or_else(|| Arc::clone(&shared.buffers), |_| Arc::default()),
            live: Arc::clone(&shared.live),
            cancel: plan.cancel.clone(),
            branches,
            swept: piece.filter(|_| strips.is_some()),
            state: Mutex::new(State::new(seats, end)),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has ended the run already.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The record of a piece of the file.
    pub(crate) fn record(&self, path: &[u8], (piece, digests): (Piece, Digests)) -> Record {
        let bad_blocks = self.bad_blocks(piece.offset..piece.offset + piece.length);
        crate::pieces::record(path, piece, Found { digests, bad_blocks })
    }

    /// What of a range of the file could not be read.
    pub(crate) fn bad_blocks(&self, range: Range<u64>) -> Box<[Piece]> {
        match &self.source {
            Source::Anywhere(reader) => bad_blocks(reader, range),
            // Of what has no size nothing is made up.
            Source::InOrder(_) => Box::default(),
        }
    }

    /// Whether another thread would find something to do: one reads while the others hash.
    pub(crate) fn wants_help(&self) -> bool {
        let state = self.lock();
        let useful = if self.branches.is_empty() { state.seats.len() } else { usize::MAX };
        state.helpers < useful && !state.is_over()
    }

    /// Whether a thread that only reads on this device would find something to do.
    pub(crate) fn wants_reader(&self, device: u64) -> bool {
        let state = self.lock();
        let enough = self.layout.chunks.saturating_sub(1);
        device == self.device
            && !self.alone
            && self.swept.is_none()
            && state.readers < enough
            && !state.is_read()
            && !state.is_over()
    }

    /// Helps until the file is done or `leave` says that there is other work.
    pub(crate) fn help(&self, leave: &dyn Fn() -> bool, spent: &mut Spent) {
        self.lock().helpers += 1;
        while !leave() && self.step(Role::Any, spent) {}
        self.lock().helpers -= 1;
        self.changed.notify_all();
    }

    /// Reads until all is read or `leave` says that there is other work.
    pub(crate) fn read_ahead(&self, leave: &dyn Fn() -> bool, spent: &mut Spent) {
        self.count_reader(1);
        while !self.lock().is_read() && !leave() && self.step(Role::Read, spent) {}
        self.count_reader(-1);
        self.changed.notify_all();
    }

    fn count_reader(&self, change: isize) {
        let mut state = self.lock();
        state.readers = state.readers.saturating_add_signed(change);
        state.helpers = state.helpers.saturating_add_signed(change);
    }

    /// Works until the file is done or the run is cancelled. The owner calls it; `pieces` gets the
    /// digests of pieces as they come, in order.
    pub(crate) fn drive(&self, role: Role, pieces: &mut dyn FnMut(Vec<(Piece, Digests)>), spent: &mut Spent) {
        while !self.cancel.is_set() && self.step(role, spent) {
            let ready = self.ready_pieces();
            if !ready.is_empty() {
                pieces(ready);
            }
        }
        let ready = self.ready_pieces();
        pieces(ready);
    }

    /// The pieces that all algorithms have done, in order.
    fn ready_pieces(&self) -> Vec<(Piece, Digests)> {
        let mut state = self.lock();
        let combs: Vec<&Comb> = self.branches.iter().filter_map(Branch::comb).collect();
        let mut ready = state.ready_pieces();
        while !combs.is_empty() && combs.iter().all(|comb| comb.has(state.next_combed)) {
            ready.extend(zip(combs.iter().map(|comb| comb.take(state.next_combed)).collect()));
            state.next_combed += 1;
        }
        ready
    }

    /// Does one thing; false when nothing is left to do.
    fn step(&self, role: Role, spent: &mut Spent) -> bool {
        let start = Instant::now();
        let step = self.lock().next_step(role, self);
        match step {
            Step::Hash(seat, consumer, chunk) => {
                self.hash(seat, consumer, chunk);
                spent.hashing += start.elapsed();
            }
            Step::Branch(branch, chunk) => {
                let offset = chunk.index * self.layout.chunk as u64;
                self.branches[branch].hash(chunk.index, offset, &chunk.bytes[..chunk.length]);
                self.used(chunk);
                spent.hashing += start.elapsed();
            }
            Step::Read(index) => {
                self.read(index);
                spent.reading += start.elapsed();
            }
            Step::Sweep(index) => {
                self.sweep(index);
                spent.hashing += start.elapsed();
            }
            Step::Wait => {
                let state = self.lock();
                drop(self.changed.wait_timeout(state, PATIENCE));
                spent.waiting += start.elapsed();
            }
            Step::End => return false,
        }
        true
    }

    fn hash(&self, seat: usize, mut consumer: Consumer, chunk: Arc<Chunk>) {
        consumer.update(&chunk.bytes[..chunk.length], chunk.last);
        let mut state = self.lock();
        let seat = &mut state.seats[seat];
        if let Some(pieces) = &mut seat.pieces {
            pieces.extend(consumer.take_pieces());
        }
        seat.consumer = Some(consumer);
        seat.next = chunk.index + 1;
        drop(state);
        self.used(chunk);
    }

    /// Reads and hashes the pieces of a chunk.
    fn sweep(&self, index: u64) {
        let (Source::Anywhere(reader), Some(piece)) = (&self.source, self.swept) else { return };
        let offset = index * self.layout.chunk as u64;
        let bytes = (reader.meta().size - offset).min(self.layout.chunk as u64);
        let group = Group { index, offset, bytes, piece };
        let combs: Vec<&Comb> = self.branches.iter().filter_map(Branch::comb).collect();
        // The first group is the largest: its buffer does for all.
        let first =
            Group { index: 0, offset: 0, bytes: reader.meta().size.min(self.layout.chunk as u64), piece };
        if self.cold {
            reader.will_need(offset, bytes);
        }
        let mut buffer = self.buffers.take(first.room().max(group.room()));
        let result = sweep(&combs, reader, group, &mut buffer);
        self.buffers.give(buffer);
        Live::add(&self.live.bytes_done, *result.as_ref().unwrap_or(&0));
        let mut state = self.lock();
        match result {
            Ok(read) => {
                state.bytes += read;
                state.short |= read < bytes;
            }
            Err(error) => state.failed = state.failed.take().or(Some(error)),
        }
        drop(state);
        self.used_once(index);
    }

    /// One use of a chunk is done; after the last its buffer is free.
    fn used(&self, chunk: Arc<Chunk>) {
        let index = chunk.index;
        drop(chunk);
        self.used_once(index);
    }

    fn used_once(&self, index: u64) {
        let mut state = self.lock();
        let at = (index - state.first) as usize;
        state.held[at].uses_left -= 1;
        while state.held.front().is_some_and(|held| held.uses_left == 0) {
            let done = state.held.pop_front().and_then(|held| held.chunk);
            state.first += 1;
            if let Some(chunk) = done.and_then(Arc::into_inner) {
                self.buffers.give(chunk.bytes);
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    fn read(&self, index: u64) {
        let mut bytes = self.buffers.take(self.layout.chunk);
        let result = match &self.source {
            Source::Anywhere(reader) => reader.read_at(index * self.layout.chunk as u64, &mut bytes),
            Source::InOrder(reader) => reader.lock().unwrap_or_else(PoisonError::into_inner).read(&mut bytes),
        };
        Live::add(&self.live.bytes_done, *result.as_ref().unwrap_or(&0) as u64);
        let mut state = self.lock();
        state.reading -= 1;
        match result {
            Ok(length) => state.arrived(index, bytes, length, self),
            Err(error) => state.failed = state.failed.take().or(Some(error)),
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Waits until every helper has left, then takes what was found. The owner calls it, once.
    pub(crate) fn finish(&self) -> Finished {
        let mut state = self.lock();
        while state.helpers > 0 {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let failed = state.failed.take().or_else(|| self.check(&state).err());
        let mut digests: Vec<(usize, Value)> = Vec::new();
        if failed.is_none() {
            let consumers = state.seats.drain(..).filter_map(|seat| seat.consumer);
            digests.extend(consumers.filter_map(Consumer::finish));
            digests.extend(self.branches.iter().filter_map(Branch::trunk).map(Trunk::finish));
            digests.sort_by_key(|(index, _)| *index);
        }
        let digests = digests.into_iter().map(|(_, value)| value).collect();
        let counts = self.branches.iter().filter_map(Branch::comb).map(Comb::occupancy);
        let occupancy = counts.fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
        Finished { bytes: state.bytes, digests, occupancy, failed }
    }

    /// Whether all bytes were read, of a file that held still.
    fn check(&self, state: &State) -> Result<(), Error> {
        match &self.source {
            Source::Anywhere(reader) => reader.finish(state.bytes),
            Source::InOrder(reader) => {
                reader.lock().unwrap_or_else(PoisonError::into_inner).finish(state.bytes)
            }
        }
    }
}

impl Seat {
    fn new(consumer: Consumer) -> Self {
        let pieces = consumer.is_pieces().then(VecDeque::new);
        Seat { consumer: Some(consumer), next: 0, pieces }
    }
}

impl State {
    fn new(seats: Vec<Seat>, end: Option<u64>) -> Self {
        State {
            seats,
            held: VecDeque::new(),
            first: 0,
            next_read: 0,
            end,
            reading: 0,
            bytes: 0,
            next_combed: 0,
            failed: None,
            short: false,
            helpers: 0,
            readers: 0,
        }
    }

    fn next_step(&mut self, role: Role, relay: &Relay) -> Step {
        if self.is_over() {
            return Step::End;
        }
        if role == Role::Read {
            return self.read_step(relay).unwrap_or(Step::Wait);
        }
        let step = self.hash_step().or_else(|| self.branch_step(relay)).or_else(|| self.read_step(relay));
        step.unwrap_or(Step::Wait)
    }

    /// The consumer that is furthest behind and has a chunk to take.
    fn hash_step(&mut self) -> Option<Step> {
        let ready = |seat: &Seat| seat.consumer.is_some() && self.chunk(seat.next).is_some();
        let seats = self.seats.iter().enumerate().filter(|(_, seat)| ready(seat));
        let (index, _) = seats.min_by_key(|(_, seat)| seat.next)?;
        let chunk = Arc::clone(self.chunk(self.seats[index].next)?);
        let consumer = self.seats[index].consumer.take()?;
        Some(Step::Hash(index, consumer, chunk))
    }

    /// A chunk that a branch has not had; the newest, because it may still be in this thread's cache.
    fn branch_step(&mut self, relay: &Relay) -> Option<Step> {
        let held = self.held.iter_mut().rev().find(|held| held.chunk.is_some() && held.branches_left > 0)?;
        held.branches_left -= 1;
        let branch = relay.branches.len() - 1 - held.branches_left;
        Some(Step::Branch(branch, Arc::clone(held.chunk.as_ref()?)))
    }

    fn read_step(&mut self, relay: &Relay) -> Option<Step> {
        let full = self.held.len() >= relay.layout.chunks;
        if full || (relay.alone && self.reading > 0) || self.is_read() {
            return None;
        }
        let index = self.next_read;
        self.next_read += 1;
        self.reading += 1;
        if relay.swept.is_some() {
            self.reading -= 1;
            self.held.push_back(Held { chunk: None, branches_left: 0, uses_left: 1 });
            return Some(Step::Sweep(index));
        }
        let branches_left = relay.branches.len();
        self.held.push_back(Held { chunk: None, branches_left, uses_left: branches_left + self.seats.len() });
        Some(Step::Read(index))
    }

    fn chunk(&self, index: u64) -> Option<&Arc<Chunk>> {
        let at = index.checked_sub(self.first)?;
        self.held.get(at as usize)?.chunk.as_ref()
    }

    fn arrived(&mut self, index: u64, bytes: AlignedBytes, length: usize, relay: &Relay) {
        self.bytes += length as u64;
        let full = length == relay.layout.chunk;
        if !full && matches!(relay.source, Source::InOrder(_)) {
            self.end = Some(index + 1);
        }
        let last = self.end == Some(index + 1);
        self.short |= !full && !last;
        let at = (index - self.first) as usize;
        self.held[at].chunk = Some(Arc::new(Chunk { index, bytes, length, last }));
    }

    /// Nothing is left to be read, though some of it may still be on its way.
    fn is_read(&self) -> bool {
        self.end.is_some_and(|end| self.next_read >= end)
    }

    /// Everything was read and hashed, or it failed; threads may still be at their last step.
    fn is_over(&self) -> bool {
        self.failed.is_some() || self.short || self.end.is_some_and(|end| self.first >= end)
    }

    /// The pieces that all algorithms have done, in order.
    fn ready_pieces(&mut self) -> Vec<(Piece, Digests)> {
        let mut cutters: Vec<_> = self.seats.iter_mut().filter_map(|seat| seat.pieces.as_mut()).collect();
        let count = cutters.iter().map(|pieces| pieces.len()).min().unwrap_or(0);
        zip(cutters.iter_mut().map(|pieces| pieces.drain(..count).collect()).collect())
    }
}

/// One list of digests for each algorithm to one list for each piece.
fn zip(columns: Vec<Vec<(Piece, Value)>>) -> Vec<(Piece, Digests)> {
    let mut columns = columns.into_iter();
    let first = columns.next().unwrap_or_default();
    let mut rows: Vec<_> = first.into_iter().map(|(piece, value)| (piece, vec![value])).collect();
    for column in columns {
        for (row, (_, value)) in rows.iter_mut().zip(column) {
            row.1.push(value);
        }
    }
    rows.into_iter().map(|(piece, values)| (piece, values.into_iter().collect())).collect()
}
