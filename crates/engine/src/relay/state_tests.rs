//! Tests of the relay's state alone: threads are simulated by the steps that they have begun, in random order.

use super::consumer::Consumer;
use super::state::{ChunkBytes, Limits, RelayState, Role, Step};
use crate::hash::{HashSpec, Value};
use hashmill_digest::{About, find, hash};
use hashmill_source::{AlignedBytes, Error, Problem};
use std::collections::BTreeSet;

const CHUNK: usize = 16;

struct Play {
    state: RelayState,
    file: Vec<u8>,
    limits: Limits,
    /// The step that each thread has begun.
    threads: Vec<(Role, Option<Step>)>,
    /// The chunks that each unordered hasher has taken.
    unordered: BTreeSet<(usize, u64)>,
    groups: BTreeSet<u64>,
    read: u64,
    freed: u64,
}

fn limits(size: Option<usize>) -> Limits {
    Limits {
        chunk: CHUNK,
        chunks: 4,
        most_chunks: 4,
        end: size.map(|size| size.div_ceil(CHUNK).max(1) as u64),
        one_reader: size.is_none(),
        unordered: 0,
        groups: 0,
    }
}

fn file(size: usize) -> Vec<u8> {
    (0..size).map(|at| (at % 251) as u8).collect()
}

fn spec(name: &str) -> HashSpec {
    HashSpec::Digest(find(name).unwrap())
}

fn whole(place: usize, name: &str) -> Consumer {
    Consumer::whole(place, spec(name).for_one(), &About::default())
}

/// Returns the digest of a consumer of the whole file.
fn digest(value: &Value) -> (&'static str, String) {
    match value {
        Value::Digest(named) => (named.algorithm.name, named.digest.to_string()),
        _ => unreachable!("only digests are played"),
    }
}

fn failed(offset: u64) -> Error {
    let source = std::io::Error::other("as the test wants it");
    Error { path: b"file".as_slice().into(), problem: Problem::Read { offset, source } }
}

impl Play {
    fn new(limits: Limits, consumers: Vec<Consumer>, file: Vec<u8>, roles: &[Role]) -> Play {
        let state = RelayState::new(limits, consumers);
        let threads = roles.iter().map(|role| (*role, None)).collect();
        Play {
            state,
            file,
            limits,
            threads,
            unordered: BTreeSet::new(),
            groups: BTreeSet::new(),
            read: 0,
            freed: 0,
        }
    }

    /// Runs until every thread has reached the end.
    fn run(&mut self, seed: u64) {
        let mut chance = seed;
        for _ in 0..100_000 {
            chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let thread = (chance >> 33) as usize % self.threads.len();
            match self.threads[thread].1.take() {
                None => self.begin(thread),
                Some(Step::Wait) => self.threads[thread].1 = None,
                Some(Step::End) => self.threads[thread].1 = Some(Step::End),
                Some(step) => self.complete(step),
            }
            if self.threads.iter().all(|(_, step)| matches!(step, Some(Step::End))) {
                return;
            }
        }
        panic!("the threads wait for each other");
    }

    fn begin(&mut self, thread: usize) {
        let role = self.threads[thread].0;
        let step = self.state.next_step(role);
        if role == Role::Read {
            assert!(matches!(step, Step::Read(_) | Step::Wait | Step::End));
        }
        self.threads[thread].1 = Some(step);
        let begun = |wanted: fn(&Step) -> bool| {
            self.threads.iter().filter(|(_, step)| step.as_ref().is_some_and(wanted)).count()
        };
        let reading = begun(|step| matches!(step, Step::Read(_)));
        assert!(reading <= if self.limits.one_reader { 1 } else { self.limits.chunks });
        assert!(self.read - self.freed + reading as u64 <= self.limits.chunks as u64, "too much is held");
    }

    fn complete(&mut self, step: Step) {
        let mut freed = 0;
        match step {
            Step::Consume(slot, mut consumer, chunk) => {
                consumer.update(chunk.bytes(), chunk.last);
                let index = chunk.index;
                self.state.consumed(slot, consumer, index);
                drop(chunk);
                self.state.used(index, &mut |_, _| freed += 1);
            }
            Step::HashUnordered(hasher, chunk) => {
                let index = chunk.index;
                assert_eq!(chunk.bytes(), self.part(index));
                assert!(self.unordered.insert((hasher, index)), "{hasher} had chunk {index} before");
                drop(chunk);
                self.state.used(index, &mut |_, _| freed += 1);
            }
            Step::Read(index) => {
                let mut bytes = AlignedBytes::zeroed(CHUNK);
                let length = self.part(index).len();
                bytes[..length].copy_from_slice(self.part(index));
                self.state.arrived(index, ChunkBytes::Copied(bytes, length));
                self.read += 1;
            }
            Step::HashGroup(index) => {
                let bytes = self.part(index).len() as u64;
                assert!(self.groups.insert(index), "group {index} was hashed before");
                self.state.hashed_group(Ok(bytes), bytes);
            }
            Step::Wait | Step::End => {}
        }
        self.freed += freed;
    }

    fn part(&self, index: u64) -> &[u8] {
        let start = (index as usize * CHUNK).min(self.file.len());
        &self.file[start..(start + CHUNK).min(self.file.len())]
    }
}

const ANY: [Role; 3] = [Role::Any; 3];

#[test]
fn every_consumer_gets_the_file_in_order_whatever_the_threads_do() {
    for size in [1, CHUNK - 1, CHUNK, CHUNK + 1, 9 * CHUNK, 20 * CHUNK + 3] {
        for (known, seed) in [(true, 1), (false, 2), (true, 3), (false, 4)] {
            let consumers = vec![whole(0, "md5"), whole(1, "crc32"), whole(2, "sha256")];
            let limits = Limits { unordered: 2, ..limits(known.then_some(size)) };
            let roles = [Role::Any, Role::Read, Role::Any, Role::Any];
            let mut play = Play::new(limits, consumers, file(size), &roles);
            play.run(seed);
            assert_eq!(play.state.bytes(), size as u64);
            assert_eq!(play.unordered.len() as u64, 2 * play.read);
            assert_eq!(play.freed, play.read, "every buffer comes back");
            let values = play.state.finish();
            for ((place, value), name) in values.iter().zip(["md5", "crc32", "sha256"]) {
                let expected = hash(find(name).unwrap(), &play.file).to_string();
                assert_eq!(digest(value), (name, expected), "{place} {size} {known}");
            }
            assert_eq!(values.len(), 3);
        }
    }
}

#[test]
fn a_thread_alone_gets_through() {
    let mut play = Play::new(limits(Some(100)), vec![whole(0, "md5")], file(100), &[Role::Any]);
    play.run(7);
    assert_eq!(play.read, 7);
}

#[test]
fn an_empty_file_is_one_empty_chunk() {
    for known in [None, Some(0)] {
        let mut play = Play::new(limits(known), vec![whole(0, "md5")], Vec::new(), &ANY);
        play.run(1);
        let values = play.state.finish();
        assert_eq!(digest(&values[0].1).1, "d41d8cd98f00b204e9800998ecf8427e");
    }
}

#[test]
fn groups_are_hashed_in_one_step_each() {
    let limits = Limits { end: Some(0), groups: 10, ..limits(None) };
    let mut play = Play::new(limits, Vec::new(), file(10 * CHUNK - 1), &ANY);
    play.run(5);
    assert_eq!((play.state.bytes(), play.read, play.groups.len()), (10 * CHUNK as u64 - 1, 0, 10));
}

#[test]
fn a_group_that_ends_early_counts_though_all_chunks_came() {
    let size = 4 * CHUNK;
    let limits = Limits { groups: 1, unordered: 1, ..limits(Some(size)) };
    let mut state = RelayState::new(limits, Vec::new());
    for index in 0..4 {
        assert!(matches!(state.next_step(Role::Read), Step::Read(_)));
        state.arrived(index, ChunkBytes::Copied(AlignedBytes::zeroed(CHUNK), CHUNK));
    }
    assert_eq!(state.whole_bytes(size as u64), size as u64);
    state.hashed_group(Ok(CHUNK as u64), size as u64);
    assert_eq!((state.bytes(), state.whole_bytes(size as u64)), (size as u64, size as u64 - 1));
}

#[test]
fn groups_are_hashed_beside_chunks_and_their_bytes_count_once() {
    let size = 10 * CHUNK - 1;
    for seed in 0..hashmill_testing::cases(20) as u64 {
        let limits = Limits { groups: 10, unordered: 1, ..limits(Some(size)) };
        let mut play = Play::new(limits, vec![whole(0, "md5")], file(size), &ANY);
        play.run(seed);
        assert_eq!((play.state.bytes(), play.read, play.groups.len()), (size as u64, 10, 10));
        assert_eq!(play.unordered.len(), 10);
        let values = play.state.finish();
        assert_eq!(digest(&values[0].1).1, hash(find("md5").unwrap(), &play.file).to_string());
    }
}

#[test]
fn a_relay_with_groups_left_wants_any_number_of_helpers() {
    let limits = Limits { groups: 2, ..limits(Some(CHUNK)) };
    let mut state = RelayState::new(limits, vec![whole(0, "md5")]);
    state.count_helper(5);
    assert!(state.wants_helper());
    let mut steps: Vec<Step> = (0..3).map(|_| state.next_step(Role::Any)).collect();
    assert!(matches!(steps[..], [Step::Read(0), Step::HashGroup(0), Step::HashGroup(1)]));
    assert!(!state.wants_helper(), "nothing is left for more than the one consumer");
    steps.clear();
}

#[test]
fn pieces_come_in_order_once_every_consumer_has_them() {
    let pieces = |name| Consumer::pieces(10, spec(name).for_one(), Some(45));
    let mut play =
        Play::new(limits(Some(45)), vec![pieces("md5"), pieces("crc32")], file(45), &[Role::Any; 2]);
    let mut ready = Vec::new();
    for step in [0, 1, 2, 3] {
        // The first consumer takes chunk 0 before the other does.
        play.begin(0);
        let begun = play.threads[0].1.take().unwrap();
        assert_eq!(matches!(begun, Step::Read(_)), step == 0 || step == 3);
        play.complete(begun);
        ready.push(play.state.take_pieces().len());
    }
    assert_eq!(ready, [0, 0, 1, 0], "a piece is ready when the second consumer has it");
    play.run(11);
    let pieces = play.state.take_pieces();
    let offsets: Vec<_> = pieces.iter().map(|(piece, _)| (piece.offset, piece.length)).collect();
    assert_eq!(offsets, [(10, 10), (20, 10), (30, 10), (40, 5)]);
    for (piece, digests) in pieces {
        let bytes = &play.file[piece.offset as usize..(piece.offset + piece.length) as usize];
        let found: Vec<_> = digests.named.iter().map(|named| named.digest).collect();
        assert_eq!(found, ["md5", "crc32"].map(|name| hash(find(name).unwrap(), bytes)));
    }
}

#[test]
fn the_newest_chunk_goes_to_unordered_hashers_first() {
    let limits = Limits { unordered: 1, ..limits(Some(3 * CHUNK)) };
    let mut play = Play::new(limits, Vec::new(), file(3 * CHUNK), &[Role::Read]);
    for index in 0..3 {
        let Step::Read(read) = play.state.next_step(Role::Read) else { panic!("there is room") };
        assert_eq!(read, index);
        play.complete(Step::Read(read));
    }
    assert!(play.state.is_read() && matches!(play.state.next_step(Role::Read), Step::Wait));
    let Step::HashUnordered(0, chunk) = play.state.next_step(Role::Any) else { panic!("chunks wait") };
    assert_eq!(chunk.index, 2);
}

#[test]
fn a_file_that_ends_early_ends_the_relay() {
    let mut play = Play::new(limits(Some(8 * CHUNK)), vec![whole(0, "md5")], file(3 * CHUNK + 1), &ANY);
    play.run(3);
    assert!(play.state.bytes() < 8 * CHUNK as u64);
    assert!(!play.state.wants_helper() && !play.state.wants_reader());
}

#[test]
fn the_error_of_the_lowest_offset_counts_and_ends_the_relay() {
    let mut state = RelayState::new(limits(Some(8 * CHUNK)), vec![whole(0, "md5")]);
    for index in 0..2 {
        assert!(matches!(state.next_step(Role::Any), Step::Read(read) if read == index));
    }
    state.failed_to_read(failed(16));
    state.failed_to_read(failed(0));
    assert!(matches!(state.next_step(Role::Any), Step::End));
    let error = state.take_error().unwrap();
    assert!(matches!(error.problem, Problem::Read { offset: 0, .. }));
}

#[test]
fn helpers_are_wanted_as_long_as_they_find_something_to_do() {
    let mut state = RelayState::new(limits(Some(8 * CHUNK)), vec![whole(0, "md5"), whole(1, "crc32")]);
    for _ in 0..2 {
        assert!(state.wants_helper());
        state.count_helper(1);
    }
    assert!(!state.wants_helper(), "one consumer each, and nothing else");
    assert!(state.has_helpers() && state.wants_reader());
    (0..3).for_each(|_| state.count_reader(1));
    assert!(!state.wants_reader(), "one chunk is left to those who hash");
    (0..3).for_each(|_| state.count_reader(-1));
    (0..2).for_each(|_| state.count_helper(-1));
    assert!(!state.has_helpers());

    let mut tree = RelayState::new(Limits { unordered: 1, ..limits(Some(8 * CHUNK)) }, Vec::new());
    (0..100).for_each(|_| tree.count_helper(1));
    assert!(tree.wants_helper());
    let alone = RelayState::new(Limits { one_reader: true, ..limits(Some(8 * CHUNK)) }, Vec::new());
    assert!(!alone.wants_reader());
}

#[test]
fn who_hashes_what_it_reads_does_not_wait_for_a_thread_that_stands_still() {
    let wide = Limits { unordered: 1, most_chunks: 8, ..limits(Some(100 * CHUNK)) };
    let mut state = RelayState::new(wide, Vec::new());
    for index in 0..4 {
        assert!(matches!(state.next_step(Role::Read), Step::Read(read) if read == index));
    }
    assert!(matches!(state.next_step(Role::Read), Step::Wait), "so much is read ahead");
    for index in 4..8 {
        assert!(matches!(state.next_step(Role::Any), Step::Read(read) if read == index));
    }
    assert!(matches!(state.next_step(Role::Any), Step::Wait), "no more fits into the memory");
}
