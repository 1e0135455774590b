//! Many streams of BLAKE3. The `blake3` crate is fastest for a message of many chunks. It can't put chunks of several
//! messages side by side, so small whole messages run in our lanes.

use super::hasher::Hasher;
use super::{Compress, flag};
use crate::Digest;
use crate::algorithms::sha256::Sha256;
use crate::bank::{Bank, Slot, StreamPart, StreamState};
use crate::block::{BlockHash, Kernel, State};
use crate::lanes::vector::{MAX_LANES, Order, Word};
use crate::lanes::{LaneSet, Pick, Plan};
use crate::machine::Machine;

/// The maximum length of a message for our lanes: beyond it the crate's lanes within a message are as fast. Measured on
/// 2026-11-21, Zen 4, AVX-512.
const SMALL: usize = 8 * 1024;

const CHUNK: usize = 1024;
const BLOCK: usize = Compress::BLOCK;

type Node = [u32; 8];

/// Hashes any number of streams with BLAKE3.
pub(crate) struct Blake3Bank {
    pick: Pick<Compress>,
    streams: Vec<OpenStream>,
    free: Vec<usize>,
    /// The small messages of the current batch.
    messages: Vec<Message>,
    /// The next compressions.
    jobs: Vec<CompressionInput>,
    /// The nodes of all small messages; each level overwrites the previous one.
    nodes: Vec<Node>,
    cells: Vec<u8>,
    occupancy: (u64, u64),
}

#[derive(Clone, Default)]
struct OpenStream {
    /// Created if the first part is long or not the whole message; kept for the slot's next stream.
    hasher: Option<Box<Hasher>>,
    /// The hasher has bytes of this stream.
    begun: bool,
    digest: Option<Digest>,
}

/// A small message: part `part` of the batch, with `count` nodes from `first`.
struct Message {
    part: usize,
    first: usize,
    count: usize,
}

/// A chunk or a parent to compress.
#[derive(Clone, Copy)]
struct CompressionInput {
    source: Source,
    /// The node for the result.
    node: usize,
    /// [`flag::ROOT`] for the last job of its message, or else 0.
    root: u32,
}

#[derive(Clone, Copy)]
enum Source {
    /// A chunk of a part.
    Chunk { part: usize, number: usize },
    /// This node and the next.
    Parent { left: usize },
}

/// A job in a lane.
#[derive(Clone, Copy)]
struct LaneJob<'a> {
    node: usize,
    /// The chunk's last block, if it was not given to the lane yet.
    last: Option<&'a [u8]>,
    flags: u32,
}

impl Blake3Bank {
    fn new(pick: Pick<Compress>) -> Self {
        Blake3Bank {
            pick,
            streams: Vec::new(),
            free: Vec::new(),
            messages: Vec::new(),
            jobs: Vec::new(),
            nodes: Vec::new(),
            cells: vec![0; LaneSet::<Compress>::CELLS],
            occupancy: (0, 0),
        }
    }

    /// Removes all small messages.
    fn begin_batch(&mut self) {
        self.messages.clear();
        self.jobs.clear();
        self.nodes.clear();
    }

    /// Adds jobs for the chunks of a small message.
    fn chunks(&mut self, part: usize, bytes: usize) {
        let count = bytes.div_ceil(CHUNK).max(1);
        let first = self.nodes.len();
        self.nodes.resize(first + count, [0; 8]);
        self.messages.push(Message { part, first, count });
        let root = if count == 1 { flag::ROOT } else { 0 };
        for number in 0..count {
            self.jobs.push(CompressionInput {
                source: Source::Chunk { part, number },
                node: first + number,
                root,
            });
        }
    }

    /// Replaces the jobs by the next level's parents; false if all messages have one node.
    fn parents(&mut self) -> bool {
        self.jobs.clear();
        for message in &self.messages {
            let pairs = message.count / 2;
            let root = if message.count == 2 { flag::ROOT } else { 0 };
            for pair in 0..pairs {
                let source = Source::Parent { left: message.first + 2 * pair };
                self.jobs.push(CompressionInput { source, node: message.first + pair, root });
            }
        }
        !self.jobs.is_empty()
    }

    /// Ends a level: a node without a neighbour moves up unchanged.
    fn rise(&mut self) {
        for message in &mut self.messages {
            if message.count % 2 == 1 {
                self.nodes[message.first + message.count / 2] = self.nodes[message.first + message.count - 1];
            }
            message.count = message.count.div_ceil(2);
        }
    }

    fn compress<'a>(&mut self, batch: &[&'a [u8]], set: &mut LaneSet<'a, Compress>) {
        let mut running = [LaneJob { node: 0, last: None, flags: 0 }; MAX_LANES];
        let mut next = 0;
        loop {
            while set.len() < self.pick.lanes && next < self.jobs.len() {
                let lane = set.len();
                running[lane] = self.begin(self.jobs[next], batch, set);
                next += 1;
            }
            if set.len() == 0 {
                return;
            }
            self.advance(set);
            self.evict(set, &mut running);
        }
    }

    /// Puts a job into a lane.
    fn begin<'a>(
        &self,
        job: CompressionInput,
        batch: &[&'a [u8]],
        set: &mut LaneSet<'a, Compress>,
    ) -> LaneJob<'a> {
        match job.source {
            Source::Chunk { part, number } => {
                let rest = &batch[part][number * CHUNK..];
                let chunk = &rest[..rest.len().min(CHUNK)];
                // The last block has other flags. It may be short, and is empty for an empty message.
                let (body, last) = chunk.split_at(chunk.len().saturating_sub(1) / BLOCK * BLOCK);
                let flags = flag::END | job.root;
                let lane = set.add(&start(number as u32, flag::START));
                set.give(lane, body);
                let mut running = LaneJob { node: job.node, last: Some(last), flags };
                if body.is_empty() {
                    running.flags |= flag::START;
                    running.finish(set, lane);
                }
                running
            }
            Source::Parent { left } => {
                let lane = set.add(&start(0, flag::PARENT | job.root));
                let (left, right) = (self.nodes[left], self.nodes[left + 1]);
                for (word, bytes) in left.iter().chain(&right).zip(set.cell(lane).chunks_exact_mut(4)) {
                    word.put(Order::Little, bytes);
                }
                set.give_cell(lane, 1);
                LaneJob { node: job.node, last: None, flags: 0 }
            }
        }
    }

    fn advance(&mut self, set: &mut LaneSet<'_, Compress>) {
        let blocks = set.shortest();
        match self.pick.runner(set.len()) {
            Some(runner) => {
                runner.run(set, blocks);
                self.occupancy.0 += (set.len() * blocks) as u64;
                self.occupancy.1 += (set.len().next_multiple_of(runner.lanes()) * blocks) as u64;
            }
            None => self.alone(set, blocks),
        }
    }

    /// Does the same as [`Blake3Bank::advance`], lane by lane.
    fn alone(&mut self, set: &mut LaneSet<'_, Compress>, blocks: usize) {
        for lane in 0..set.len() {
            let mut state = start(0, 0);
            set.state(lane, &mut state);
            (self.pick.single.compress)(&mut state, &set.rest(lane)[..blocks * BLOCK]);
            set.set_state(lane, &state);
            set.skip(lane, blocks);
        }
        let done = (set.len() * blocks) as u64;
        self.occupancy = (self.occupancy.0 + done, self.occupancy.1 + done);
    }

    fn evict<'a>(&mut self, set: &mut LaneSet<'a, Compress>, running: &mut [LaneJob<'a>]) {
        for lane in (0..set.len()).rev() {
            if set.left(lane) > 0 {
                continue;
            }
            if running[lane].last.is_some() {
                running[lane].finish(set, lane);
                continue;
            }
            let mut state = start(0, 0);
            set.state(lane, &mut state);
            self.nodes[running[lane].node].copy_from_slice(&state[..8]);
            set.remove(lane);
            running[lane] = running[set.len()];
        }
    }

    /// Hashes the small messages, and passes the digest of each to `done`.
    fn small(&mut self, batch: &[&[u8]], done: &mut dyn FnMut(usize, Digest)) {
        if self.pick.runner(self.jobs.len().min(self.pick.lanes)).is_none() {
            // With too few jobs for lanes, the crate is faster.
            return self.messages.iter().for_each(|message| {
                done(message.part, Hasher::hash(batch[message.part]));
            });
        }
        let mut cells = std::mem::take(&mut self.cells);
        let mut set = LaneSet::new(&mut cells);
        self.compress(batch, &mut set);
        while self.parents() {
            self.compress(batch, &mut set);
            self.rise();
        }
        self.cells = cells;
        for message in &self.messages {
            let mut bytes = [0; 32];
            for (word, bytes) in self.nodes[message.first].iter().zip(bytes.chunks_exact_mut(4)) {
                word.put(Order::Little, bytes);
            }
            done(message.part, Digest::new(&bytes));
        }
    }
}

impl<'a> LaneJob<'a> {
    /// Gives the chunk's last block to the lane.
    fn finish(&mut self, set: &mut LaneSet<'a, Compress>, lane: usize) {
        let Some(last) = self.last.take() else { return };
        set.set_word(lane, 10, last.len() as u32);
        set.set_word(lane, 11, self.flags);
        if last.len() == BLOCK {
            set.give(lane, last);
        } else {
            let cell = set.cell(lane);
            cell[..last.len()].copy_from_slice(last);
            cell[last.len()..BLOCK].fill(0);
            set.give_cell(lane, 1);
        }
    }
}

impl OpenStream {
    fn update(&mut self, bytes: &[u8]) {
        let hasher = self.hasher.get_or_insert_with(|| Box::new(Hasher::new()));
        if !std::mem::replace(&mut self.begun, true) {
            hasher.reset();
        }
        hasher.update(bytes);
    }

    fn digest(&mut self) -> Digest {
        match (self.digest, &mut self.hasher) {
            (Some(digest), _) => digest,
            (None, Some(hasher)) if self.begun => hasher.digest(),
            _ => Hasher::hash(&[]),
        }
    }
}

/// Returns the state before a chunk or parent.
fn start(number: u32, flags: u32) -> State<Compress> {
    let [h0, h1, h2, h3, h4, h5, h6, h7] = Sha256::START;
    [h0, h1, h2, h3, h4, h5, h6, h7, number, 0, BLOCK as u32, flags]
}

impl Bank for Blake3Bank {
    fn open(&mut self) -> Slot {
        let slot = self.free.pop().unwrap_or(self.streams.len());
        if slot == self.streams.len() {
            self.streams.push(OpenStream::default());
        }
        let stream = &mut self.streams[slot];
        stream.begun = false;
        stream.digest = None;
        Slot(slot)
    }

    fn update(&mut self, batch: &[StreamPart<'_>]) {
        self.begin_batch();
        for (index, part) in batch.iter().enumerate() {
            let stream = &mut self.streams[part.slot.0];
            if part.last && part.bytes.len() <= SMALL && !stream.begun {
                self.chunks(index, part.bytes.len());
            } else {
                stream.update(part.bytes);
            }
        }
        let bytes: Vec<&[u8]> = batch.iter().map(|part| part.bytes).collect();
        let mut streams = std::mem::take(&mut self.streams);
        self.small(&bytes, &mut |part, digest| streams[batch[part].slot.0].digest = Some(digest));
        self.streams = streams;
    }

    fn digest_all(&mut self, messages: &[&[u8]], digests: &mut [u8]) {
        assert_eq!(digests.len(), messages.len() * size_of::<Node>());
        let mut done = |place: usize, digest: Digest| {
            digests[place * size_of::<Node>()..][..size_of::<Node>()].copy_from_slice(digest.as_bytes());
        };
        self.begin_batch();
        for (place, bytes) in messages.iter().enumerate() {
            if bytes.len() <= SMALL {
                self.chunks(place, bytes.len());
            } else {
                done(place, Hasher::hash(bytes));
            }
        }
        self.small(messages, &mut done);
    }

    fn close(&mut self, slot: Slot) -> Digest {
        self.free.push(slot.0);
        self.streams[slot.0].digest()
    }

    fn abandon(&mut self, slot: Slot) {
        self.free.push(slot.0);
    }

    fn fork(&self, slot: Slot) -> Box<dyn Bank> {
        let bank = Blake3Bank::new(Pick::cheapest(Machine::detect().limit()));
        Box::new(Blake3Bank { streams: vec![self.streams[slot.0].clone()], ..bank })
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

/// Makes a bank on the cheapest kernels of this machine, for a registry row.
pub(crate) fn lanes() -> Box<dyn Bank> {
    Box::new(Blake3Bank::new(Pick::cheapest(Machine::detect().limit())))
}

/// Makes a bank by a plan; `None` if the CPU lacks a feature of the plan.
pub(crate) fn planned(plan: Plan) -> Option<Box<dyn Bank>> {
    Some(Box::new(Blake3Bank::new(Pick::new(plan)?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Isa;

    #[test]
    fn any_number_of_small_messages_runs_in_lanes() {
        for limit in Isa::available() {
            let mut bank = Blake3Bank::new(Pick::cheapest(limit));
            let messages = [[7_u8; 64].as_slice(); 3 * MAX_LANES];
            let mut digests = [0; 3 * MAX_LANES * 32];
            bank.digest_all(&messages, &mut digests);
            let is_wide = bank.pick.lanes > 1;
            assert_eq!(bank.occupancy.1 > 0, is_wide, "up to {limit:?}");
            assert!(digests.chunks(32).all(|digest| digest == blake3::hash(&[7; 64]).as_bytes()));
        }
    }
}
