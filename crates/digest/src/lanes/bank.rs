//! A bank that hashes many streams at once, one in each lane.
//!
//! Streams take lanes, longest first; all lanes advance to the end of the shortest; finished streams leave, and the
//! next ones take their lanes. Padding blocks run in the lanes like all others. Partial blocks and lengths are kept
//! here, once for all block hashes.

use super::pick::{Pick, Plan};
use super::set::LaneSet;
use super::vector::MAX_LANES;
use crate::Digest;
use crate::bank::{Bank, Pace, Slot, StreamPart};
use crate::block::{Kernel, LaneHash, State, digest};
use crate::machine::Machine;
use crate::stream::{self, Carry};

/// No part, or no queue entry.
const NONE: u32 = u32::MAX;

/// Hashes any number of streams of one algorithm.
pub(crate) struct LaneBank<A: LaneHash> {
    pub(super) pick: Pick<A::Kernel>,
    streams: Vec<OpenStream<A::Kernel>>,
    free: Vec<usize>,
    /// The streams of the batch that wait for a lane; the last goes first.
    queue: Vec<QueuedStream>,
    /// For each part of the batch, the next part of the same stream.
    next: Vec<u32>,
    pub(super) cells: Vec<u8>,
    occupancy: (u64, u64),
}

/// Makes a bank on the cheapest kernels of this machine, for a registry row.
pub(crate) fn lanes<A: LaneHash>() -> Box<dyn Bank> {
    Box::new(LaneBank::<A>::new(Pick::cheapest(Machine::detect().limit())))
}

/// Makes a bank by a plan; `None` if the CPU lacks a feature of the plan.
pub(crate) fn planned<A: LaneHash>(plan: Plan) -> Option<Box<dyn Bank>> {
    Some(Box::new(LaneBank::<A>::new(Pick::new(plan)?)))
}

struct OpenStream<K: Kernel> {
    state: State<K>,
    /// Bytes that don't fill a block yet.
    carry: Carry,
    /// The number of bytes of the message so far.
    total: u64,
    /// The padding has been hashed.
    done: bool,
    /// The stream's index in the queue of the current batch.
    waiting: u32,
}

/// A stream that waits for a lane.
#[derive(Clone, Copy)]
struct QueuedStream {
    stream: usize,
    first: u32,
    last: u32,
    bytes: usize,
}

/// A stream in a lane, and its remaining bytes in this batch.
#[derive(Clone, Copy)]
struct LaneJob<'a> {
    stream: usize,
    part: u32,
    rest: &'a [u8],
    /// The last part of the message was started.
    last: bool,
}

/// A batch whose parts are linked by stream.
#[derive(Clone, Copy)]
struct Batch<'a, 'b> {
    parts: &'b [StreamPart<'a>],
    next: &'b [u32],
}

impl<A: LaneHash> LaneBank<A> {
    fn new(pick: Pick<A::Kernel>) -> Self {
        LaneBank {
            pick,
            streams: Vec::new(),
            free: Vec::new(),
            queue: Vec::new(),
            next: Vec::new(),
            cells: vec![0; LaneSet::<A::Kernel>::CELLS],
            occupancy: (0, 0),
        }
    }

    /// Links the parts by stream and queues the streams that have blocks to compress, longest last.
    fn enqueue(&mut self, batch: &[StreamPart<'_>]) {
        self.next.clear();
        self.next.resize(batch.len(), NONE);
        self.queue.clear();
        for (index, part) in batch.iter().enumerate() {
            let index = index as u32;
            let stream = &mut self.streams[part.slot.0];
            if stream.waiting == NONE {
                stream.waiting = self.queue.len() as u32;
                let bytes = part.bytes.len();
                self.queue.push(QueuedStream { stream: part.slot.0, first: index, last: index, bytes });
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

    /// Sorts the queue, longest last. Differences of less than half hardly matter, and similar lengths sort fast.
    fn sort(&mut self) {
        let size = |waiting: &QueuedStream| (waiting.bytes / <A::Kernel as Kernel>::BLOCK).checked_ilog2();
        if self.queue.len() > self.pick.lanes {
            self.queue.sort_unstable_by_key(size);
        }
    }

    /// Compresses to the end of the shortest lane.
    pub(super) fn advance(&mut self, set: &mut LaneSet<'_, A::Kernel>) {
        let blocks = set.shortest();
        if let Some(runner) = self.pick.runner(set.len()) {
            runner.run(set, blocks);
            self.occupancy.0 += (set.len() * blocks) as u64;
            self.occupancy.1 += (set.len().next_multiple_of(runner.lanes()) * blocks) as u64;
        }
    }

    /// Compresses all blocks of one lane, without the others.
    pub(super) fn compress_alone(&mut self, set: &mut LaneSet<'_, A::Kernel>, lane: usize) {
        let mut state = A::START;
        set.state(lane, &mut state);
        let blocks = set.rest(lane);
        (self.pick.single.compress)(&mut state, blocks);
        let count = (blocks.len() / <A::Kernel as Kernel>::BLOCK) as u64;
        self.occupancy.0 += count;
        self.occupancy.1 += count;
        set.set_state(lane, &state);
    }

    /// Hashes one stream to the end of its batch without lanes.
    fn alone<'a>(&mut self, set: &mut LaneSet<'a, A::Kernel>, mut job: LaneJob<'a>, batch: Batch<'a, '_>) {
        let lane = set.len() - 1;
        loop {
            self.compress_alone(set, lane);
            if !self.streams[job.stream].supply::<A>(set, lane, &mut job, batch) {
                set.state(lane, &mut self.streams[job.stream].state);
                return set.remove(lane);
            }
        }
    }
}

impl<K: Kernel> OpenStream<K> {
    fn new(state: State<K>) -> Self {
        OpenStream { state, carry: Carry::new(), total: 0, done: false, waiting: NONE }
    }

    /// Gives the lane the stream's next blocks; false if the batch has no more for it.
    fn supply<'a, A: LaneHash<Kernel = K>>(
        &mut self,
        set: &mut LaneSet<'a, K>,
        lane: usize,
        job: &mut LaneJob<'a>,
        batch: Batch<'a, '_>,
    ) -> bool {
        loop {
            if self.whole::<A>(set, lane, job) {
                return true;
            }
            if job.last {
                return !std::mem::replace(&mut self.done, true) && self.tail::<A>(set, lane, job.rest);
            }
            self.carry.keep(job.rest);
            let part = batch.next[job.part as usize];
            if part == NONE {
                return false;
            }
            self.take(job, part, batch);
        }
    }

    fn take<'a>(&mut self, job: &mut LaneJob<'a>, index: u32, batch: Batch<'a, '_>) {
        let part = &batch.parts[index as usize];
        debug_assert!(!self.done, "a part after the last");
        self.total += part.bytes.len() as u64;
        *job = LaneJob { stream: job.stream, part: index, rest: part.bytes, last: part.last };
    }

    /// Gives the lane whole blocks from the partial block and the part; false if there are none.
    fn whole<'a, A: LaneHash<Kernel = K>>(
        &mut self,
        set: &mut LaneSet<'a, K>,
        lane: usize,
        job: &mut LaneJob<'a>,
    ) -> bool {
        let (held, carried) = (A::PADDING.held(), self.carry.rest());
        if carried.len() + job.rest.len() < K::BLOCK + held {
            return false;
        }
        if carried.is_empty() {
            let most = K::BLOCK * (u32::MAX as usize / 2);
            let end = (job.rest.len() - held) / K::BLOCK * K::BLOCK;
            let (blocks, rest) = job.rest.split_at(end.min(most));
            job.rest = rest;
            set.give(lane, blocks);
        } else {
            let (missing, rest) = job.rest.split_at(K::BLOCK - carried.len());
            job.rest = rest;
            let cell = set.cell(lane);
            cell[..carried.len()].copy_from_slice(carried);
            cell[carried.len()..K::BLOCK].copy_from_slice(missing);
            self.carry.clear();
            set.give_cell(lane, 1);
        }
        true
    }

    /// Gives the lane the message's last bytes and the padding.
    fn tail<A: LaneHash<Kernel = K>>(&mut self, set: &mut LaneSet<'_, K>, lane: usize, rest: &[u8]) -> bool {
        let carried = self.carry.rest();
        let fill = carried.len() + rest.len();
        let cell = set.cell(lane);
        cell[..carried.len()].copy_from_slice(carried);
        cell[carried.len()..fill].copy_from_slice(rest);
        let blocks = A::PADDING.apply(cell, K::BLOCK, fill, self.total);
        set.give_cell(lane, blocks);
        if A::PADDING.held() > 0 {
            set.state(lane, &mut self.state);
            K::mark_last(&mut self.state, self.total);
            set.set_state(lane, &self.state);
        }
        true
    }
}

impl<A: LaneHash> Bank for LaneBank<A> {
    fn open(&mut self) -> Slot {
        let slot = self.free.pop().unwrap_or(self.streams.len());
        if slot == self.streams.len() {
            self.streams.push(OpenStream::new(A::START));
        } else {
            self.streams[slot] = OpenStream::new(A::START);
        }
        Slot(slot)
    }

    fn update(&mut self, parts: &[StreamPart<'_>]) {
        self.enqueue(parts);
        let next = std::mem::take(&mut self.next);
        let mut cells = std::mem::take(&mut self.cells);
        self.hash(Batch { parts, next: &next }, &mut LaneSet::new(&mut cells));
        self.next = next;
        self.cells = cells;
    }

    fn digest_all(&mut self, messages: &[&[u8]], digests: &mut [u8]) {
        self.messages(messages, digests);
    }

    fn close(&mut self, slot: Slot) -> Digest {
        if !self.streams[slot.0].done {
            self.update(&[StreamPart { slot, bytes: &[], last: true }]);
        }
        self.free.push(slot.0);
        digest::<A>(&self.streams[slot.0].state)
    }

    fn abandon(&mut self, slot: Slot) {
        self.free.push(slot.0);
    }

    fn fork(&self, slot: Slot) -> Box<dyn Bank> {
        let OpenStream { state, ref carry, total, done, waiting } = self.streams[slot.0];
        let stream = OpenStream { state, carry: carry.clone(), total, done, waiting };
        let bank = LaneBank::<A>::new(Pick::cheapest(Machine::detect().limit()));
        Box::new(LaneBank { streams: vec![stream], ..bank })
    }

    fn save(&self, slot: Slot) -> Option<Vec<u8>> {
        let OpenStream { state, carry, total, done, .. } = &self.streams[slot.0];
        let mut saved = Vec::new();
        stream::save::<A::Kernel>(state, carry, *total, &mut saved);
        (!done).then_some(saved)
    }

    fn restore(&mut self, mut state: &[u8]) -> Option<Slot> {
        let (words, carry, total) = stream::load::<A>(&mut state).filter(|_| state.is_empty())?;
        let slot = self.open();
        self.streams[slot.0] = OpenStream { carry, total, ..OpenStream::new(words) };
        Some(slot)
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

impl<A: LaneHash> LaneBank<A> {
    /// Fills, advances and evicts lanes until the batch is hashed.
    fn hash<'a>(&mut self, batch: Batch<'a, '_>, set: &mut LaneSet<'a, A::Kernel>) {
        let nobody = LaneJob { stream: 0, part: NONE, rest: &[], last: false };
        let mut jobs = [nobody; MAX_LANES];
        loop {
            self.fill(batch, set, &mut jobs);
            if set.len() == 0 {
                return;
            }
            if self.pick.runner(set.len()).is_none() {
                while set.len() > 0 {
                    self.alone(set, jobs[set.len() - 1], batch);
                }
                continue;
            }
            self.advance(set);
            self.evict(batch, set, &mut jobs);
        }
    }

    /// Gives free lanes to waiting streams.
    fn fill<'a>(&mut self, batch: Batch<'a, '_>, set: &mut LaneSet<'a, A::Kernel>, jobs: &mut [LaneJob<'a>]) {
        while set.len() < self.pick.lanes {
            let Some(waiting) = self.queue.pop() else { return };
            let stream = &mut self.streams[waiting.stream];
            let lane = set.add(&stream.state);
            let job = &mut jobs[lane];
            job.stream = waiting.stream;
            stream.take(job, waiting.first, batch);
            if !stream.supply::<A>(set, lane, job, batch) {
                set.remove(lane);
            }
        }
    }

    /// Gives more blocks to lanes that are at their end, or frees them.
    fn evict<'a>(
        &mut self,
        batch: Batch<'a, '_>,
        set: &mut LaneSet<'a, A::Kernel>,
        jobs: &mut [LaneJob<'a>],
    ) {
        for lane in (0..set.len()).rev() {
            if set.left(lane) > 0 {
                continue;
            }
            let stream = &mut self.streams[jobs[lane].stream];
            if !stream.supply::<A>(set, lane, &mut jobs[lane], batch) {
                set.state(lane, &mut stream.state);
                set.remove(lane);
                jobs[lane] = jobs[set.len()];
            }
        }
    }
}
