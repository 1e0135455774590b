//! The bank of BLAKE3. The `blake3` crate is fastest where a message has many chunks; it can't put chunks
//! of several messages side by side, so small whole messages run in our lanes.

use crate::Digest;
use crate::bank::{Bank, Part, Slot};
use crate::kernel::blake::{Compress3, IV32, flag};
use crate::kernel::{Kernel, State};
use crate::lanes::{Crew, MAX_LANES, Order, Pick, Plan, Word};

/// The longest message for our lanes: from here on the crate's lanes within a message are as fast.
/// Measured on 2026-11-21, Zen 4, AVX-512.
const SMALL: usize = 8 * 1024;

const CHUNK: usize = 1024;
const BLOCK: usize = Compress3::BLOCK;

/// A chaining value.
type Node = [u32; 8];

/// Hashes any number of streams with BLAKE3.
pub(crate) struct Blake3Bank {
    pick: Pick<Compress3>,
    streams: Vec<Open>,
    free: Vec<usize>,
    /// The small messages of the present batch.
    messages: Vec<Message>,
    /// What is to be compressed next.
    jobs: Vec<Job>,
    /// The nodes of all small messages, level by level in place.
    nodes: Vec<Node>,
    cells: Vec<u8>,
    occupancy: (u64, u64),
}

/// One open stream.
#[derive(Default)]
struct Open {
    /// Made when the first part is not the whole message or is long; kept for the slot's next stream.
    hasher: Option<Box<blake3::Hasher>>,
    /// The hasher has bytes of this stream.
    begun: bool,
    digest: Option<Digest>,
}

/// A small message: part `part` of the batch, with `count` nodes from `first`.
struct Message {
    stream: usize,
    part: usize,
    first: usize,
    count: usize,
}

/// A chunk or a parent to compress.
#[derive(Clone, Copy)]
struct Job {
    source: Source,
    /// Where the result goes.
    node: usize,
    /// [`flag::ROOT`] if it is the last of its message, else none.
    root: u32,
}

#[derive(Clone, Copy)]
enum Source {
    /// This chunk of this part.
    Chunk { part: usize, number: usize },
    /// This node and the next.
    Parent { left: usize },
}

/// A job in a lane.
#[derive(Clone, Copy)]
struct Seat<'a> {
    node: usize,
    /// The chunk's last block, if it has yet to come.
    last: Option<&'a [u8]>,
    flags: u32,
}

impl Blake3Bank {
    fn new(pick: Pick<Compress3>) -> Self {
        Blake3Bank {
            pick,
            streams: Vec::new(),
            free: Vec::new(),
            messages: Vec::new(),
            jobs: Vec::new(),
            nodes: Vec::new(),
            cells: vec![0; Crew::<Compress3>::CELLS],
            occupancy: (0, 0),
        }
    }

    /// Makes jobs of the chunks of small messages; hands all else to the crate.
    fn sort_out(&mut self, batch: &[Part<'_>]) {
        self.messages.clear();
        self.jobs.clear();
        self.nodes.clear();
        for (index, part) in batch.iter().enumerate() {
            let stream = &mut self.streams[part.slot.0];
            if part.last && part.bytes.len() <= SMALL && !stream.begun {
                self.chunks(part.slot.0, index, part.bytes.len());
            } else {
                stream.update(part.bytes);
            }
        }
    }

    fn chunks(&mut self, stream: usize, part: usize, bytes: usize) {
        let count = bytes.div_ceil(CHUNK).max(1);
        let first = self.nodes.len();
        self.nodes.resize(first + count, [0; 8]);
        self.messages.push(Message { stream, part, first, count });
        let root = if count == 1 { flag::ROOT } else { 0 };
        for number in 0..count {
            self.jobs.push(Job { source: Source::Chunk { part, number }, node: first + number, root });
        }
    }

    /// Makes jobs of the next level's parents; false if all messages are down to one node.
    fn parents(&mut self) -> bool {
        self.jobs.clear();
        for message in &self.messages {
            let pairs = message.count / 2;
            let root = if message.count == 2 { flag::ROOT } else { 0 };
            for pair in 0..pairs {
                let source = Source::Parent { left: message.first + 2 * pair };
                self.jobs.push(Job { source, node: message.first + pair, root });
            }
        }
        !self.jobs.is_empty()
    }

    /// Ends a level: a node without a pair moves up as it is.
    fn rise(&mut self) {
        for message in &mut self.messages {
            if message.count % 2 == 1 {
                self.nodes[message.first + message.count / 2] = self.nodes[message.first + message.count - 1];
            }
            message.count = message.count.div_ceil(2);
        }
    }

    /// Compresses all jobs.
    fn compress<'a>(&mut self, batch: &[Part<'a>], crew: &mut Crew<'a, Compress3>) {
        let mut seats = [Seat { node: 0, last: None, flags: 0 }; MAX_LANES];
        let mut next = 0;
        loop {
            while crew.len() < self.pick.lanes && next < self.jobs.len() {
                let lane = crew.len();
                seats[lane] = self.seat(self.jobs[next], batch, crew);
                next += 1;
            }
            if crew.len() == 0 {
                return;
            }
            self.advance(crew);
            self.evict(crew, &mut seats);
        }
    }

    fn seat<'a>(&self, job: Job, batch: &[Part<'a>], crew: &mut Crew<'a, Compress3>) -> Seat<'a> {
        match job.source {
            Source::Chunk { part, number } => {
                let rest = &batch[part].bytes[number * CHUNK..];
                let chunk = &rest[..rest.len().min(CHUNK)];
                // The last block, which may be short or, of an empty message, empty, has other flags.
                let (body, last) = chunk.split_at(chunk.len().saturating_sub(1) / BLOCK * BLOCK);
                let lane = crew.join(&start(number as u32, flag::START));
                let mut seat = Seat { node: job.node, last: Some(last), flags: flag::END | job.root };
                crew.give(lane, body);
                if body.is_empty() {
                    seat.flags |= flag::START;
                    seat.finish(crew, lane);
                }
                seat
            }
            Source::Parent { left } => {
                let lane = crew.join(&start(0, flag::PARENT | job.root));
                let (left, right) = (self.nodes[left], self.nodes[left + 1]);
                for (word, bytes) in left.iter().chain(&right).zip(crew.cell(lane).chunks_exact_mut(4)) {
                    word.put(Order::Little, bytes);
                }
                crew.give_cell(lane, 1);
                Seat { node: job.node, last: None, flags: 0 }
            }
        }
    }

    fn advance(&mut self, crew: &mut Crew<'_, Compress3>) {
        let blocks = crew.shortest();
        match self.pick.runner(crew.len()) {
            Some(runner) => {
                runner.run(crew, blocks);
                self.occupancy.0 += (crew.len() * blocks) as u64;
                self.occupancy.1 += (crew.len().next_multiple_of(runner.lanes()) * blocks) as u64;
            }
            None => self.alone(crew, blocks),
        }
    }

    /// As [`Blake3Bank::advance`], lane by lane.
    fn alone(&mut self, crew: &mut Crew<'_, Compress3>, blocks: usize) {
        for lane in 0..crew.len() {
            let mut state = start(0, 0);
            crew.state(lane, &mut state);
            (self.pick.single.run)(&mut state, &crew.rest(lane)[..blocks * BLOCK]);
            crew.set_state(lane, &state);
            crew.skip(lane, blocks);
        }
        let done = (crew.len() * blocks) as u64;
        self.occupancy = (self.occupancy.0 + done, self.occupancy.1 + done);
    }

    fn evict<'a>(&mut self, crew: &mut Crew<'a, Compress3>, seats: &mut [Seat<'a>]) {
        for lane in (0..crew.len()).rev() {
            if crew.left(lane) > 0 {
                continue;
            }
            if seats[lane].last.is_some() {
                seats[lane].finish(crew, lane);
                continue;
            }
            let mut state = start(0, 0);
            crew.state(lane, &mut state);
            self.nodes[seats[lane].node].copy_from_slice(&state[..8]);
            crew.leave(lane);
            seats[lane] = seats[crew.len()];
        }
    }

    /// With fewer jobs than lanes pay for, the crate is faster.
    fn few(&mut self, batch: &[Part<'_>]) {
        for message in &self.messages {
            let hash = blake3::hash(batch[message.part].bytes);
            self.streams[message.stream].digest = Some(Digest::new(hash.as_bytes()));
        }
    }

    fn many(&mut self, batch: &[Part<'_>]) {
        let mut cells = std::mem::take(&mut self.cells);
        let mut crew = Crew::new(&mut cells);
        self.compress(batch, &mut crew);
        while self.parents() {
            self.compress(batch, &mut crew);
            self.rise();
        }
        self.cells = cells;
        for message in &self.messages {
            let mut bytes = [0; 32];
            for (word, bytes) in self.nodes[message.first].iter().zip(bytes.chunks_exact_mut(4)) {
                word.put(Order::Little, bytes);
            }
            self.streams[message.stream].digest = Some(Digest::new(&bytes));
        }
    }
}

impl<'a> Seat<'a> {
    /// Gives the lane the chunk's last block.
    fn finish(&mut self, crew: &mut Crew<'a, Compress3>, lane: usize) {
        let Some(last) = self.last.take() else { return };
        let mut state = start(0, 0);
        crew.state(lane, &mut state);
        state[10] = last.len() as u32;
        state[11] = self.flags;
        crew.set_state(lane, &state);
        if last.len() == BLOCK {
            crew.give(lane, last);
        } else {
            let cell = crew.cell(lane);
            cell[..last.len()].copy_from_slice(last);
            cell[last.len()..BLOCK].fill(0);
            crew.give_cell(lane, 1);
        }
    }
}

impl Open {
    fn update(&mut self, bytes: &[u8]) {
        let hasher = self.hasher.get_or_insert_with(Default::default);
        if !std::mem::replace(&mut self.begun, true) {
            hasher.reset();
        }
        hasher.update(bytes);
    }

    fn digest(&mut self) -> Digest {
        match (self.digest, &self.hasher) {
            (Some(digest), _) => digest,
            (None, Some(hasher)) if self.begun => Digest::new(hasher.finalize().as_bytes()),
            _ => Digest::new(blake3::hash(&[]).as_bytes()),
        }
    }
}

/// The state before a chunk or parent.
fn start(number: u32, flags: u32) -> State<Compress3> {
    let [h0, h1, h2, h3, h4, h5, h6, h7] = IV32;
    [h0, h1, h2, h3, h4, h5, h6, h7, number, 0, BLOCK as u32, flags]
}

impl Bank for Blake3Bank {
    fn open(&mut self) -> Slot {
        let slot = self.free.pop().unwrap_or(self.streams.len());
        if slot == self.streams.len() {
            self.streams.push(Open::default());
        }
        let stream = &mut self.streams[slot];
        stream.begun = false;
        stream.digest = None;
        Slot(slot)
    }

    fn update(&mut self, batch: &[Part<'_>]) {
        self.sort_out(batch);
        match self.pick.runner(self.jobs.len().min(MAX_LANES)) {
            Some(_) => self.many(batch),
            None => self.few(batch),
        }
    }

    fn close(&mut self, slot: Slot) -> Digest {
        self.free.push(slot.0);
        self.streams[slot.0].digest()
    }

    fn abandon(&mut self, slot: Slot) {
        self.free.push(slot.0);
    }

    fn lanes(&self) -> usize {
        self.pick.lanes
    }

    fn kernel(&self) -> &'static str {
        self.pick.name
    }

    fn occupancy(&self) -> (u64, u64) {
        self.occupancy
    }
}

/// Makes a bank on the kernels that are cheapest here: what a registry row names.
pub(crate) fn lanes() -> Box<dyn Bank> {
    Box::new(Blake3Bank::new(Pick::cheapest(crate::lanebank::limit())))
}

/// Makes a bank by a plan; none if the CPU lacks what it names.
pub(crate) fn planned(plan: Plan) -> Option<Box<dyn Bank>> {
    Some(Box::new(Blake3Bank::new(Pick::new(plan)?)))
}
