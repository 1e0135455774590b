//! The parts that are decoded ahead: what threads and the reader share.

#[cfg(test)]
mod tests;

use super::bytes::Bytes;
use crate::Limits;
use crate::compression::decode::Step;
use crate::compression::packed::Packed;
use crate::compression::parted::{FilePart, Parted};
use hashmill_disk::Medium;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The content that is handed on at once.
pub(super) const CHUNK: usize = 128 << 10;
/// The chunks that every part may have waiting, so that the oldest one always goes on.
const WAITING_CHUNKS: usize = 2;
/// The parts that may be waiting for each thread.
const PARTS: usize = 4;

/// The parts of a file, in their order.
pub(super) type PartList<D> = Box<dyn Iterator<Item = FilePart<<D as Parted>::Setting>> + Send>;

/// The parts that are decoded ahead.
pub(super) struct AheadParts<D: Parted> {
    medium: Arc<dyn Medium>,
    limits: Limits,
    /// The memory that decoders and waiting content may take together.
    memory: u64,
    /// The parts that may be begun.
    most: usize,
    /// The parts that were not begun. It is locked before the state is.
    parts: Mutex<PartList<D>>,
    state: Mutex<State<D>>,
    changed: Condvar,
    is_stopped: AtomicBool,
}

/// The state of the parts that were begun.
struct State<D: Parted> {
    begun: VecDeque<BegunPart<D>>,
    /// The number of the first of them.
    first: u64,
    /// The memory that decoders and waiting content take.
    taken: u64,
    /// Whether no more parts will be begun.
    is_over: bool,
    threads: usize,
}

/// A part that was begun.
struct BegunPart<D: Parted> {
    part: FilePart<D::Setting>,
    chunks: VecDeque<Vec<u8>>,
    /// The outcome: the facts about it, or nothing if it could not be decoded.
    outcome: Option<Option<D::Passed>>,
}

/// The place of the next part.
pub(super) enum NextPart<S> {
    /// At the position that was asked for.
    Here(FilePart<S>),
    /// Behind it.
    Later,
    /// There are no more.
    Nowhere,
}

/// The next thing about the oldest part.
pub(super) enum Arrived<P> {
    Chunk(Vec<u8>),
    /// It was decoded to its end.
    End(P),
    /// It could not be decoded.
    Failure,
}

impl<D: Parted> AheadParts<D> {
    /// Creates the state for some threads; none if there is too little memory.
    pub(super) fn new(
        medium: Arc<dyn Medium>,
        limits: &Limits,
        threads: usize,
        parts: PartList<D>,
    ) -> Option<AheadParts<D>> {
        // Every thread fills a chunk and reads into a buffer as long, and the reader has one of each.
        let fixed =
            (CHUNK as u64).checked_mul(threads.checked_add(1)?.checked_mul(WAITING_CHUNKS + 2)? as u64)?;
        let memory = limits.memory.checked_sub(fixed)?;
        let state = State { begun: VecDeque::new(), first: 0, taken: 0, is_over: false, threads: 0 };
        Some(AheadParts {
            medium,
            limits: *limits,
            memory,
            most: threads.saturating_mul(PARTS),
            parts: Mutex::new(parts),
            state: Mutex::new(state),
            changed: Condvar::new(),
            is_stopped: AtomicBool::new(false),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State<D>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<D>>) -> MutexGuard<'a, State<D>> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// Tells all threads to end.
    pub(super) fn stop(&self) {
        let state = self.lock();
        self.is_stopped.store(true, Ordering::Relaxed);
        drop(state);
        self.changed.notify_all();
    }

    /// Notes that a thread will be there.
    pub(super) fn add_thread(&self) {
        self.lock().threads += 1;
    }

    /// Notes that a thread is not there any more.
    pub(super) fn remove_thread(&self) {
        let mut state = self.lock();
        state.threads = state.threads.saturating_sub(1);
        drop(state);
        self.changed.notify_all();
    }

    /// Decodes parts, as long as there are some.
    pub(super) fn work(self: &Arc<AheadParts<D>>) {
        let _thread = Thread(Arc::clone(self));
        while let Some((number, part)) = self.begin() {
            let mut running = Running { ahead: self, number, memory: part.memory, outcome: None };
            running.outcome = self.decode(number, &part);
        }
    }

    /// Begins a part as soon as there is room for it.
    fn begin(&self) -> Option<(u64, FilePart<D::Setting>)> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_stopped() || self.lock().is_over {
            return None;
        }
        let part = parts.next().filter(|part| part.memory <= self.memory);
        let mut state = self.lock();
        let Some(part) = part else {
            state.is_over = true;
            drop(state);
            self.changed.notify_all();
            return None;
        };
        while state.begun.len() >= self.most || state.taken.saturating_add(part.memory) > self.memory {
            if self.is_stopped() {
                return None;
            }
            state = self.wait(state);
        }
        let number = state.first.saturating_add(state.begun.len() as u64);
        state.taken = state.taken.saturating_add(part.memory);
        state.begun.push_back(BegunPart { part, chunks: VecDeque::new(), outcome: None });
        drop(state);
        self.changed.notify_all();
        Some((number, part))
    }

    /// Decodes a part. Nothing comes back unless it ends where it should.
    fn decode(&self, number: u64, part: &FilePart<D::Setting>) -> Option<D::Passed> {
        let packed = packed(&self.medium, part.start, part.end);
        let mut decoder = D::at_part(packed, part.setting, &self.limits).ok()?;
        let (mut chunk, mut filled) = (vec![0; CHUNK], 0);
        while decoder.boundary() != Some(part.end) {
            if self.is_stopped() {
                return None;
            }
            match decoder.step(chunk.get_mut(filled..)?).ok()? {
                Step::Content(count) => filled = filled.saturating_add(count),
                Step::Nothing => {}
                Step::End => return None,
            }
            if filled >= CHUNK {
                self.hand_on(number, std::mem::replace(&mut chunk, vec![0; CHUNK]))?;
                filled = 0;
            }
        }
        chunk.truncate(filled);
        chunk.shrink_to_fit();
        if !chunk.is_empty() {
            self.hand_on(number, chunk)?;
        }
        Some(decoder.passed())
    }

    /// Hands content on as soon as there is room for it; nothing comes back if it is not wanted any more.
    fn hand_on(&self, number: u64, chunk: Vec<u8>) -> Option<()> {
        let mut state = self.lock();
        loop {
            if self.is_stopped() {
                return None;
            }
            let taken = state.taken.saturating_add(chunk.capacity() as u64);
            let begun = state.part(number)?;
            if begun.chunks.len() < WAITING_CHUNKS || taken <= self.memory {
                begun.chunks.push_back(chunk);
                state.taken = taken;
                drop(state);
                self.changed.notify_all();
                return Some(());
            }
            state = self.wait(state);
        }
    }

    /// Waits for the next part, and returns where it is in relation to a position.
    pub(super) fn next_part(&self, position: u64) -> NextPart<D::Setting> {
        let mut state = self.lock();
        loop {
            match state.begun.front() {
                Some(begun) if begun.part.start == position => return NextPart::Here(begun.part),
                Some(begun) if begun.part.start > position => return NextPart::Later,
                Some(_) => return NextPart::Nowhere,
                None if state.is_over || state.threads == 0 => return NextPart::Nowhere,
                None => state = self.wait(state),
            }
        }
    }

    /// Waits for something of the oldest part. At its end the next one is the oldest.
    pub(super) fn arrive(&self) -> Arrived<D::Passed> {
        let mut state = self.lock();
        loop {
            let Some(begun) = state.begun.front_mut() else { return Arrived::Failure };
            let arrived = match begun.chunks.pop_front() {
                Some(chunk) => {
                    state.taken = state.taken.saturating_sub(chunk.capacity() as u64);
                    Arrived::Chunk(chunk)
                }
                None => match begun.outcome.take() {
                    None => {
                        state = self.wait(state);
                        continue;
                    }
                    Some(None) => Arrived::Failure,
                    Some(Some(passed)) => {
                        state.begun.pop_front();
                        state.first = state.first.saturating_add(1);
                        Arrived::End(passed)
                    }
                },
            };
            drop(state);
            self.changed.notify_all();
            return arrived;
        }
    }
}

/// Returns the compressed bytes between two positions.
pub(super) fn packed(medium: &Arc<dyn Medium>, start: u64, end: u64) -> Packed {
    Packed::at(Box::new(Bytes::new(Arc::clone(medium), start, end)), start)
}

impl<D: Parted> State<D> {
    /// Returns a part by its number.
    fn part(&mut self, number: u64) -> Option<&mut BegunPart<D>> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.begun.get_mut(at)
    }
}

/// A part that a thread decodes. Its outcome is noted even if the thread panics.
struct Running<'a, D: Parted> {
    ahead: &'a AheadParts<D>,
    number: u64,
    memory: u64,
    outcome: Option<D::Passed>,
}

impl<D: Parted> Drop for Running<'_, D> {
    fn drop(&mut self) {
        let mut state = self.ahead.lock();
        state.taken = state.taken.saturating_sub(self.memory);
        let outcome = self.outcome.take();
        if let Some(begun) = state.part(self.number) {
            begun.outcome = Some(outcome);
        }
        drop(state);
        self.ahead.changed.notify_all();
    }
}

/// A thread that decodes, until it ends in whatever way.
struct Thread<D: Parted>(Arc<AheadParts<D>>);

impl<D: Parted> Drop for Thread<D> {
    fn drop(&mut self) {
        self.0.remove_thread();
    }
}
