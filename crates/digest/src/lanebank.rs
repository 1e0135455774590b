//! A bank that hashes many streams at once, one a lane.
//!
//! Streams take lanes, longest first; all lanes advance to the end of the shortest; who is done leaves and
//! the next stream takes the lane. Padding blocks run in the lanes like all others. Partial blocks and
//! lengths are kept here, once for all block hashes.

use crate::Digest;
use crate::bank::{Bank, Pace, Part, Slot};
use crate::kernel::{BlockHash, Kernel, Padding, State, digest};
use crate::lanes::{Crew, IsaName, Pick, Plan};
use crate::machine::{Isa, Machine};

/// The largest block of any kernel: SHAKE128's.
const MAX_BLOCK: usize = 168;

/// No part, no queue entry.
const NONE: u32 = u32::MAX;

/// Hashes any number of streams of one algorithm.
pub(crate) struct LaneBank<A: BlockHash> {
    pick: Pick<A::Kernel>,
    streams: Vec<Open<A::Kernel>>,
    free: Vec<usize>,
    /// The streams of the batch that wait for a lane; the last goes first.
    queue: Vec<Waiting>,
    /// For each part of the batch the next part of the same stream.
    next: Vec<u32>,
    cells: Vec<u8>,
    occupancy: (u64, u64),
}

/// Makes a bank on the kernels that are cheapest here: what a registry row names.
pub(crate) fn lanes<A: BlockHash>() -> Box<dyn Bank> {
    Box::new(LaneBank::<A>::new(Pick::cheapest(limit())))
}

/// Makes a bank by a plan; none if the CPU lacks what it names.
pub(crate) fn planned<A: BlockHash>(plan: Plan) -> Option<Box<dyn Bank>> {
    Some(Box::new(LaneBank::<A>::new(Pick::new(plan)?)))
}

/// The widest instruction set to use: the one that is forced, else any.
pub(crate) fn limit() -> IsaName {
    match Machine::detect().forced {
        Some(Isa::Portable) => IsaName::Portable,
        Some(Isa::Sse41) => IsaName::Sse41,
        Some(Isa::Avx2) => IsaName::Avx2,
        Some(Isa::Avx512) => IsaName::Avx512,
        Some(Isa::Shani) | None => IsaName::Shani,
    }
}

/// One open stream.
struct Open<K: Kernel> {
    state: State<K>,
    /// Bytes that make no whole block yet.
    partial: [u8; MAX_BLOCK],
    fill: usize,
    /// Bytes of the message so far.
    total: u64,
    /// The padding has been hashed.
    done: bool,
    /// Where the stream stands in the queue of the present batch.
    waiting: u32,
}

/// A stream that waits for a lane.
#[derive(Clone, Copy)]
struct Waiting {
    stream: usize,
    first: u32,
    last: u32,
    bytes: usize,
}

/// A stream that has a lane, and what it has yet to hash in this batch.
#[derive(Clone, Copy)]
struct Seat<'a> {
    stream: usize,
    part: u32,
    rest: &'a [u8],
    /// The last part of the message has been begun.
    last: bool,
}

/// A batch whose parts are linked by stream.
#[derive(Clone, Copy)]
struct Batch<'a, 'b> {
    parts: &'b [Part<'a>],
    next: &'b [u32],
}

impl<A: BlockHash> LaneBank<A> {
    fn new(pick: Pick<A::Kernel>) -> Self {
        LaneBank {
            pick,
            streams: Vec::new(),
            free: Vec::new(),
            queue: Vec::new(),
            next: Vec::new(),
            cells: vec![0; Crew::<A::Kernel>::CELLS],
            occupancy: (0, 0),
        }
    }

    /// Links the parts by stream and queues the streams that have something to compress, longest last.
    fn enqueue(&mut self, batch: &[Part<'_>]) {
        self.next.clear();
        self.next.resize(batch.len(), NONE);
        self.queue.clear();
        for (index, part) in batch.iter().enumerate() {
            let index = index as u32;
            let stream = &mut self.streams[part.slot.0];
            if stream.waiting == NONE {
                stream.waiting = self.queue.len() as u32;
                let bytes = part.bytes.len();
                self.queue.push(Waiting { stream: part.slot.0, first: index, last: index, bytes });
            } else {
                let waiting = &mut self.queue[stream.waiting as usize];
                self.next[waiting.last as usize] = index;
                waiting.last = index;
                waiting.bytes += part.bytes.len();
            }
        }
        for waiting in &self.queue {
            self.streams[waiting.stream].waiting = NONE;
        }
        self.sort();
    }

    /// Longest last. What differs by less than half hardly matters, and like lengths sort fast.
    fn sort(&mut self) {
        let size = |waiting: &Waiting| (waiting.bytes / <A::Kernel as Kernel>::BLOCK).checked_ilog2();
        if self.queue.len() > self.pick.lanes {
            self.queue.sort_unstable_by_key(size);
        }
    }

    /// Compresses to the shortest lane's end.
    fn advance(&mut self, crew: &mut Crew<'_, A::Kernel>) {
        let blocks = crew.shortest();
        if let Some(runner) = self.pick.runner(crew.len()) {
            runner.run(crew, blocks);
            self.occupancy.0 += (crew.len() * blocks) as u64;
            self.occupancy.1 += (crew.len().next_multiple_of(runner.lanes()) * blocks) as u64;
        }
    }

    /// Hashes one stream to the end of its batch without lanes.
    fn alone<'a>(&mut self, crew: &mut Crew<'a, A::Kernel>, mut seat: Seat<'a>, batch: Batch<'a, '_>) {
        let lane = crew.len() - 1;
        loop {
            let mut state = A::START;
            crew.state(lane, &mut state);
            let blocks = crew.rest(lane);
            (self.pick.single.run)(&mut state, blocks);
            let count = (blocks.len() / <A::Kernel as Kernel>::BLOCK) as u64;
            self.occupancy.0 += count;
            self.occupancy.1 += count;
            crew.set_state(lane, &state);
            if !self.streams[seat.stream].supply::<A>(crew, lane, &mut seat, batch) {
                crew.state(lane, &mut self.streams[seat.stream].state);
                return crew.leave(lane);
            }
        }
    }
}

impl<K: Kernel> Open<K> {
    fn new(state: State<K>) -> Self {
        Open { state, partial: [0; MAX_BLOCK], fill: 0, total: 0, done: false, waiting: NONE }
    }

    /// Gives the lane the stream's next blocks; false if the batch has no more for it.
    fn supply<'a, A: BlockHash<Kernel = K>>(
        &mut self,
        crew: &mut Crew<'a, K>,
        lane: usize,
        seat: &mut Seat<'a>,
        batch: Batch<'a, '_>,
    ) -> bool {
        loop {
            if self.whole::<A>(crew, lane, seat) {
                return true;
            }
            if seat.last {
                return !std::mem::replace(&mut self.done, true) && self.tail::<A>(crew, lane, seat.rest);
            }
            self.keep(seat.rest);
            let part = batch.next[seat.part as usize];
            if part == NONE {
                return false;
            }
            self.take(seat, part, batch);
        }
    }

    /// Begins the next part.
    fn take<'a>(&mut self, seat: &mut Seat<'a>, index: u32, batch: Batch<'a, '_>) {
        let part = &batch.parts[index as usize];
        debug_assert!(!self.done, "a part after the last");
        self.total += part.bytes.len() as u64;
        *seat = Seat { stream: seat.stream, part: index, rest: part.bytes, last: part.last };
    }

    /// Gives the lane whole blocks from the partial block and the part; false if there are none.
    fn whole<'a, A: BlockHash<Kernel = K>>(
        &mut self,
        crew: &mut Crew<'a, K>,
        lane: usize,
        seat: &mut Seat<'a>,
    ) -> bool {
        let held = usize::from(A::PADDING == Padding::Held);
        if self.fill + seat.rest.len() < K::BLOCK + held {
            return false;
        }
        if self.fill == 0 {
            let most = K::BLOCK * (u32::MAX as usize / 2);
            let end = (seat.rest.len() - held) / K::BLOCK * K::BLOCK;
            let (blocks, rest) = seat.rest.split_at(end.min(most));
            seat.rest = rest;
            crew.give(lane, blocks);
        } else {
            let (missing, rest) = seat.rest.split_at(K::BLOCK - self.fill);
            seat.rest = rest;
            let cell = crew.cell(lane);
            cell[..self.fill].copy_from_slice(&self.partial[..self.fill]);
            cell[self.fill..K::BLOCK].copy_from_slice(missing);
            self.fill = 0;
            crew.give_cell(lane, 1);
        }
        true
    }

    /// Gives the lane the message's last bytes and the padding.
    fn tail<A: BlockHash<Kernel = K>>(&mut self, crew: &mut Crew<'_, K>, lane: usize, rest: &[u8]) -> bool {
        let fill = self.fill + rest.len();
        let cell = crew.cell(lane);
        cell[..self.fill].copy_from_slice(&self.partial[..self.fill]);
        cell[self.fill..fill].copy_from_slice(rest);
        let blocks = A::PADDING.apply(cell, K::BLOCK, fill, self.total);
        crew.give_cell(lane, blocks);
        if A::PADDING == Padding::Held {
            crew.state(lane, &mut self.state);
            K::mark_last(&mut self.state, self.total);
            crew.set_state(lane, &self.state);
        }
        true
    }

    /// Keeps bytes for later: no more than a block with those kept before.
    fn keep(&mut self, bytes: &[u8]) {
        self.partial[self.fill..self.fill + bytes.len()].copy_from_slice(bytes);
        self.fill += bytes.len();
    }
}

impl<A: BlockHash> Bank for LaneBank<A> {
    fn open(&mut self) -> Slot {
        let slot = self.free.pop().unwrap_or(self.streams.len());
        if slot == self.streams.len() {
            self.streams.push(Open::new(A::START));
        } else {
            self.streams[slot] = Open::new(A::START);
        }
        Slot(slot)
    }

    fn update(&mut self, parts: &[Part<'_>]) {
        self.enqueue(parts);
        let next = std::mem::take(&mut self.next);
        let mut cells = std::mem::take(&mut self.cells);
        self.hash(Batch { parts, next: &next }, &mut Crew::new(&mut cells));
        self.next = next;
        self.cells = cells;
    }

    fn close(&mut self, slot: Slot) -> Digest {
        if !self.streams[slot.0].done {
            self.update(&[Part { slot, bytes: &[], last: true }]);
        }
        self.free.push(slot.0);
        digest::<A>(&self.streams[slot.0].state)
    }

    fn abandon(&mut self, slot: Slot) {
        self.free.push(slot.0);
    }

    fn lanes(&self) -> usize {
        self.pick.lanes
    }

    fn pace(&self) -> Pace {
        self.pick.pace
    }

    fn kernel(&self) -> &'static str {
        self.pick.name
    }

    fn occupancy(&self) -> (u64, u64) {
        self.occupancy
    }
}

impl<A: BlockHash> LaneBank<A> {
    /// Fill, advance, evict, until the batch is hashed.
    fn hash<'a>(&mut self, batch: Batch<'a, '_>, crew: &mut Crew<'a, A::Kernel>) {
        let nobody = Seat { stream: 0, part: NONE, rest: &[], last: false };
        let mut seats = [nobody; crate::lanes::MAX_LANES];
        loop {
            self.fill(batch, crew, &mut seats);
            if crew.len() == 0 {
                return;
            }
            if self.pick.runner(crew.len()).is_none() {
                while crew.len() > 0 {
                    self.alone(crew, seats[crew.len() - 1], batch);
                }
                continue;
            }
            self.advance(crew);
            self.evict(batch, crew, &mut seats);
        }
    }

    /// Gives free lanes to waiting streams.
    fn fill<'a>(&mut self, batch: Batch<'a, '_>, crew: &mut Crew<'a, A::Kernel>, seats: &mut [Seat<'a>]) {
        while crew.len() < self.pick.lanes {
            let Some(waiting) = self.queue.pop() else { return };
            let stream = &mut self.streams[waiting.stream];
            let lane = crew.join(&stream.state);
            let seat = &mut seats[lane];
            seat.stream = waiting.stream;
            stream.take(seat, waiting.first, batch);
            if !stream.supply::<A>(crew, lane, seat, batch) {
                crew.leave(lane);
            }
        }
    }

    /// Gives lanes that are at their end more blocks, or frees them.
    fn evict<'a>(&mut self, batch: Batch<'a, '_>, crew: &mut Crew<'a, A::Kernel>, seats: &mut [Seat<'a>]) {
        for lane in (0..crew.len()).rev() {
            if crew.left(lane) > 0 {
                continue;
            }
            let stream = &mut self.streams[seats[lane].stream];
            if !stream.supply::<A>(crew, lane, &mut seats[lane], batch) {
                crew.state(lane, &mut stream.state);
                crew.leave(lane);
                seats[lane] = seats[crew.len()];
            }
        }
    }
}
