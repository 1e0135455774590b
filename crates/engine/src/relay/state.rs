//! The state machine of a relay, without files, locks or threads: the owner of the lock around it asks for a step,
//! takes it, and reports the result.

use super::consumer::Consumer;
use super::rows::rows;
use crate::hash::{DigestValues, Value};
use crate::read::FileMap;
use hashmill_manifest::Piece;
use hashmill_source::{AlignedBytes, Error, Problem};
use std::collections::VecDeque;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// The fixed parameters of a relay.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// The bytes of a chunk. The last one may be shorter.
    pub(super) chunk: usize,
    /// The maximum number of chunks that were read and not yet hashed: `chunks` if other threads hash them,
    /// `most_chunks` if the thread that reads a chunk also hashes it.
    pub(super) chunks: usize,
    pub(super) most_chunks: usize,
    /// The number of chunks of the file, if its size is known.
    pub(super) end: Option<u64>,
    /// Only one thread at a time may read.
    pub(super) one_reader: bool,
    /// The number of unordered hashers that take each chunk.
    pub(super) unordered: usize,
    /// The number of groups of pieces, each read and hashed in one step.
    pub(super) groups: u64,
}

/// Bytes of the file that at least one hasher still needs.
pub(super) struct Chunk {
    pub(super) index: u64,
    bytes: ChunkBytes,
    /// No more bytes follow.
    pub(super) last: bool,
}

/// The location of a chunk's bytes.
pub(super) enum ChunkBytes {
    /// A buffer, and the number of bytes read into it.
    Copied(AlignedBytes, usize),
    /// A range of the file's map.
    Mapped(Arc<FileMap>, Range<usize>),
}

impl Deref for ChunkBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            ChunkBytes::Copied(bytes, length) => &bytes[..*length],
            ChunkBytes::Mapped(map, range) => &map[range.clone()],
        }
    }
}

/// A chunk in progress, with the work left for it.
struct ChunkInProgress {
    /// `None` until it is read.
    chunk: Option<Arc<Chunk>>,
    /// The number of unordered hashers that still have to take it.
    unordered_left: usize,
    /// The number of unfinished uses by consumers and unordered hashers.
    uses_left: usize,
}

/// A consumer and its progress.
struct ConsumerSlot {
    /// `None` while a thread works with it.
    consumer: Option<Consumer>,
    /// The chunk that it takes next.
    next: u64,
    /// Finished pieces that wait for the other hashers; `None` for a consumer of the whole file.
    pieces: Option<VecDeque<(Piece, Value)>>,
}

pub(super) struct RelayState {
    limits: Limits,
    consumers: Vec<ConsumerSlot>,
    /// `held[i]` is chunk `first + i`.
    held: VecDeque<ChunkInProgress>,
    first: u64,
    next_read: u64,
    /// The next group to start, and the number of finished groups.
    next_group: u64,
    groups_done: u64,
    /// The number of threads that are reading.
    reading: usize,
    bytes: u64,
    failed: Option<Error>,
    /// The file ended before its size: it changed, and later bytes are invalid.
    short: bool,
    /// The number of helping threads, including those that only read.
    helpers: usize,
    readers: usize,
}

/// The part of a thread in a relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Any step that is ready.
    Any,
    /// Reading only; others hash.
    Read,
    /// Hashing only: a read may wait for what this thread has to do next.
    Hash,
}

pub(super) enum Step {
    /// Pass the chunk to this consumer; then call [`RelayState::consumed`].
    Consume(usize, Consumer, Arc<Chunk>),
    /// Pass the chunk to this unordered hasher; then call [`RelayState::used`].
    HashUnordered(usize, Arc<Chunk>),
    /// Read the chunk; then call [`RelayState::arrived`] or [`RelayState::failed_to_read`].
    Read(u64),
    /// Read and hash the group; then call [`RelayState::hashed_group`].
    HashGroup(u64),
    Wait,
    End,
}

impl Chunk {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl ConsumerSlot {
    fn new(consumer: Consumer) -> Self {
        let pieces = consumer.is_over_pieces().then(VecDeque::new);
        ConsumerSlot { consumer: Some(consumer), next: 0, pieces }
    }
}

impl RelayState {
    pub(super) fn new(limits: Limits, consumers: Vec<Consumer>) -> Self {
        RelayState {
            limits,
            consumers: consumers.into_iter().map(ConsumerSlot::new).collect(),
            held: VecDeque::new(),
            first: 0,
            next_read: 0,
            next_group: 0,
            groups_done: 0,
            reading: 0,
            bytes: 0,
            failed: None,
            short: false,
            helpers: 0,
            readers: 0,
        }
    }

    /// Begins at this chunk, with consumers that have taken all before it.
    pub(super) fn starting_at(mut self, chunk: u64) -> Self {
        (self.first, self.next_read) = (chunk, chunk);
        self.bytes = chunk * self.limits.chunk as u64;
        self.consumers.iter_mut().for_each(|slot| slot.next = chunk);
        self
    }

    /// Returns the next step for a thread in this role.
    pub(super) fn next_step(&mut self, role: Role) -> Step {
        if self.is_over() {
            return Step::End;
        }
        let step = match role {
            Role::Any => self
                .consumer_step()
                .or_else(|| self.unordered_step())
                .or_else(|| self.read_step(self.limits.most_chunks))
                .or_else(|| self.group_step()),
            Role::Read => self.read_step(self.limits.chunks),
            Role::Hash => self.consumer_step().or_else(|| self.unordered_step()),
        };
        step.unwrap_or(Step::Wait)
    }

    /// Chooses the consumer that is furthest behind among those with a chunk to take.
    fn consumer_step(&mut self) -> Option<Step> {
        let ready = |slot: &ConsumerSlot| slot.consumer.is_some() && self.chunk(slot.next).is_some();
        let ready = self.consumers.iter().enumerate().filter(|(_, slot)| ready(slot));
        let (index, _) = ready.min_by_key(|(_, slot)| slot.next)?;
        let chunk = Arc::clone(self.chunk(self.consumers[index].next)?);
        let consumer = self.consumers[index].consumer.take()?;
        Some(Step::Consume(index, consumer, chunk))
    }

    /// Chooses a chunk for an unordered hasher: the newest, because it may still be in this thread's cache.
    fn unordered_step(&mut self) -> Option<Step> {
        let held = self.held.iter_mut().rev().find(|held| held.chunk.is_some() && held.unordered_left > 0)?;
        held.unordered_left -= 1;
        let hasher = self.limits.unordered - 1 - held.unordered_left;
        Some(Step::HashUnordered(hasher, Arc::clone(held.chunk.as_ref()?)))
    }

    fn read_step(&mut self, chunks: usize) -> Option<Step> {
        let Limits { one_reader, unordered, .. } = self.limits;
        let full = self.held.len() >= chunks;
        if full || (one_reader && self.reading > 0) || self.is_read() {
            return None;
        }
        let index = self.next_read;
        self.next_read += 1;
        self.reading += 1;
        let uses_left = unordered + self.consumers.len();
        self.held.push_back(ChunkInProgress { chunk: None, unordered_left: unordered, uses_left });
        Some(Step::Read(index))
    }

    fn group_step(&mut self) -> Option<Step> {
        if self.next_group >= self.limits.groups {
            return None;
        }
        self.next_group += 1;
        Some(Step::HashGroup(self.next_group - 1))
    }

    fn chunk(&self, index: u64) -> Option<&Arc<Chunk>> {
        let at = index.checked_sub(self.first)?;
        self.held.get(at as usize)?.chunk.as_ref()
    }

    /// Notes that a chunk was read. If it is shorter than a chunk, it is the end of the file.
    pub(super) fn arrived(&mut self, index: u64, bytes: ChunkBytes) {
        let length = bytes.len();
        self.reading -= 1;
        self.bytes += length as u64;
        let full = length == self.limits.chunk;
        if !full && self.limits.end.is_none() {
            self.limits.end = Some(index + 1);
        }
        let last = self.limits.end == Some(index + 1);
        self.short |= !full && !last;
        let at = (index - self.first) as usize;
        self.held[at].chunk = Some(Arc::new(Chunk { index, bytes, last }));
    }

    /// Notes that a chunk could not be read.
    pub(super) fn failed_to_read(&mut self, error: Error) {
        self.reading -= 1;
        self.fail(error);
    }

    /// Notes a failure, such as missing bytes of a map. The one with the lowest offset is kept: whichever thread meets
    /// its fault first, the result is the same, as chunks are read in order and all that were begun are waited for.
    pub(super) fn fail(&mut self, error: Error) {
        if self.failed.as_ref().is_none_or(|kept| offset(&error) < offset(kept)) {
            self.failed = Some(error);
        }
    }

    /// Notes the result for a group of `wanted` bytes.
    pub(super) fn hashed_group(&mut self, result: Result<u64, Error>, wanted: u64) {
        self.groups_done += 1;
        match result {
            Ok(read) => {
                // If chunks are read as well, their bytes are counted instead.
                self.bytes += if self.limits.end == Some(0) { read } else { 0 };
                self.short |= read < wanted;
            }
            Err(error) => self.fail(error),
        }
    }

    /// Notes that a consumer has taken a chunk.
    pub(super) fn consumed(&mut self, slot: usize, mut consumer: Consumer, chunk: u64) {
        let slot = &mut self.consumers[slot];
        if let Some(pieces) = &mut slot.pieces {
            pieces.extend(consumer.take_pieces());
        }
        slot.consumer = Some(consumer);
        slot.next = chunk + 1;
    }

    /// Notes that one use of a chunk has ended. `free` receives chunks that are no longer needed, in order.
    pub(super) fn used(&mut self, chunk: u64, free: &mut dyn FnMut(u64, ChunkBytes)) {
        let at = (chunk - self.first) as usize;
        self.held[at].uses_left -= 1;
        self.release(free);
    }

    /// Frees chunks that are no longer needed. With nothing to hash, every chunk that was read is freed.
    pub(super) fn release(&mut self, free: &mut dyn FnMut(u64, ChunkBytes)) {
        let done = |held: &ChunkInProgress| held.uses_left == 0 && held.chunk.is_some();
        while self.held.front().is_some_and(done) {
            let done = self.held.pop_front().and_then(|held| held.chunk);
            self.first += 1;
            if let Some(chunk) = done.and_then(Arc::into_inner) {
                free(chunk.index, chunk.bytes);
            }
        }
    }

    /// Whether no chunk is left to start reading.
    pub(super) fn is_read(&self) -> bool {
        self.limits.end.is_some_and(|end| self.next_read >= end)
    }

    /// Whether everything was read and hashed, or it failed. Threads may still be in their last step.
    fn is_over(&self) -> bool {
        let hashed = self.limits.end.is_some_and(|end| self.first >= end);
        let grouped = self.groups_done >= self.limits.groups;
        self.failed.is_some() || self.short || (hashed && grouped)
    }

    /// Whether one more thread would find something to do: one reads while the others hash.
    pub(super) fn wants_helper(&self) -> bool {
        let many = self.limits.unordered > 0 || self.next_group < self.limits.groups;
        let useful = if many { usize::MAX } else { self.consumers.len() };
        self.helpers < useful && !self.is_over()
    }

    /// Whether one more thread that only reads would find something to do.
    pub(super) fn wants_reader(&self) -> bool {
        let Limits { chunks, one_reader, .. } = self.limits;
        let enough = chunks.saturating_sub(1);
        !one_reader && self.readers < enough && !self.is_read() && !self.is_over()
    }

    /// Counts a helper that comes (1) or goes (-1).
    pub(super) fn count_helper(&mut self, change: isize) {
        self.helpers = self.helpers.saturating_add_signed(change);
    }

    /// Counts a helper that only reads and comes (1) or goes (-1).
    pub(super) fn count_reader(&mut self, change: isize) {
        self.count_helper(change);
        self.readers = self.readers.saturating_add_signed(change);
    }

    pub(super) fn has_helpers(&self) -> bool {
        self.helpers > 0
    }

    /// Takes the pieces that all consumers have finished, in order.
    pub(super) fn take_pieces(&mut self) -> Vec<(Piece, DigestValues)> {
        let lists = self.consumers.iter_mut().filter_map(|slot| slot.pieces.as_mut());
        let mut lists: Vec<_> = lists.collect();
        let count = lists.iter().map(|pieces| pieces.len()).min().unwrap_or(0);
        rows(lists.iter_mut().map(|pieces| pieces.drain(..count)))
    }

    /// Returns the number of bytes read.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of bytes that every reader got, for a file of this size. It is less than the size if the file
    /// ended early for any of them, even for a group if all chunks were complete.
    pub(super) fn whole_bytes(&self, size: u64) -> u64 {
        if self.short { self.bytes.min(size.saturating_sub(1)) } else { self.bytes }
    }

    pub(super) fn take_error(&mut self) -> Option<Error> {
        self.failed.take()
    }

    /// Ends all consumers and returns the values of the whole file with their positions in the record.
    pub(super) fn finish(&mut self) -> Vec<(usize, Value)> {
        let consumers = self.consumers.drain(..).filter_map(|slot| slot.consumer);
        consumers.filter_map(Consumer::finish).collect()
    }
}

/// Returns the offset that could not be read. Other failures come after all of these.
fn offset(error: &Error) -> u64 {
    match error.problem {
        Problem::Read { offset, .. } => offset,
        _ => u64::MAX,
    }
}
