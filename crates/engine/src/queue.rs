//! What there is to do: batches from the walk, large files that were found in them, and relays that
//! take helpers.
//!
//! The queue also bounds the run: the walk stops while the window between the oldest entry that is not
//! yet given to the sink and the newest one that was met is full. Only the walk ever waits for the
//! window, so whatever is in it gets done and the window moves on.

use crate::relay::Relay;
use hashloom_source::{Entry, Found, Reader};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most entries between the one whose turn it is and the newest. An entry that waits takes about
/// 400 bytes, so a full window takes some 25 MiB.
const WINDOW: u64 = 1 << 16;

/// Entries that a worker takes at once.
const BATCH: usize = 64;

/// Consecutive entries of the walk.
pub(crate) struct Batch {
    /// The number of the first.
    pub(crate) first: u64,
    pub(crate) found: Vec<Found>,
}

/// A file that takes more than one round.
pub(crate) struct Large {
    pub(crate) number: u64,
    pub(crate) entry: Entry,
    pub(crate) size: u64,
    /// Open already, where it can't be opened twice.
    pub(crate) reader: Option<Reader>,
}

/// Something for a worker to do.
// It is moved once, from the queue to a worker's hands.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Task {
    Batch(Batch),
    Large(Large),
    Help(Arc<Relay>),
}

/// What a worker would take.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Appetite {
    /// A large file, if one is there: it still has a batch in hand.
    Large,
    /// A file or a batch, if one is there: it has files in flight.
    More,
    /// Anything, and it waits for it: it has nothing to do.
    Any,
}

#[derive(Default)]
struct State {
    batches: VecDeque<Batch>,
    large: BinaryHeap<Large>,
    large_bytes: u64,
    /// Entries whose batches are done with, and the bytes of their files.
    probed: u64,
    probed_bytes: u64,
    /// Files with so many pieces that these go straight to the sink: each waits for its turn.
    patient: BTreeMap<u64, Large>,
    relays: Vec<Arc<Relay>>,
    met: u64,
    emitted: u64,
    walked: bool,
    stopped: bool,
    /// Tasks that workers took and that may still turn into large files or relays.
    undecided: usize,
}

/// Shared by the walk, the workers and the calling thread.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    /// Something to do, or the end.
    work: Condvar,
    /// Room in the window.
    room: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A worker that panicked has ended the run already; the queue itself is whole between calls.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Feeds all entries of the walk, waiting for room as needed.
    /// Gives the time that it waited.
    pub(crate) fn feed(&self, entries: impl Iterator<Item = Found>, met: &mut dyn FnMut(&Found)) -> Duration {
        let mut waited = Duration::ZERO;
        let mut batch = Vec::with_capacity(BATCH);
        for found in entries {
            met(&found);
            batch.push(found);
            let full = batch.len() == BATCH;
            if full && !self.push(std::mem::replace(&mut batch, Vec::with_capacity(BATCH)), &mut waited) {
                return waited;
            }
        }
        self.push(batch, &mut waited);
        self.lock().walked = true;
        self.work.notify_all();
        waited
    }

    /// A batch of the only entry that there is.
    pub(crate) fn single(&self, found: Found) -> Batch {
        let mut state = self.lock();
        state.met = 1;
        state.walked = true;
        state.undecided = 1;
        Batch { first: 0, found: vec![found] }
    }

    /// Adds a batch; false if the run was stopped.
    fn push(&self, found: Vec<Found>, waited: &mut Duration) -> bool {
        let mut state = self.lock();
        while !state.stopped && state.met - state.emitted >= WINDOW {
            let start = Instant::now();
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
            *waited += start.elapsed();
        }
        if !found.is_empty() {
            let first = state.met;
            state.met += found.len() as u64;
            state.batches.push_back(Batch { first, found });
            self.work.notify_one();
        }
        !state.stopped
    }

    /// Something to do, longest files first once there are enough of them. With [`Appetite::Any`] it
    /// waits, and `None` means the end of the run; else `None` means not now.
    pub(crate) fn take(&self, appetite: Appetite, enough: usize) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if state.stopped {
                return None;
            }
            if let Some(task) = state.pick(appetite, enough) {
                return Some(task);
            }
            if appetite != Appetite::Any || state.is_over() {
                return None;
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Adds a large file that a batch held.
    pub(crate) fn push_large(&self, large: Large) {
        let mut state = self.lock();
        state.large_bytes += large.size;
        state.large.push(large);
        self.work.notify_one();
    }

    /// Adds a file that must wait until all entries before it are done.
    pub(crate) fn push_patient(&self, large: Large) {
        let mut state = self.lock();
        state.patient.insert(large.number, large);
        self.work.notify_one();
    }

    /// A batch or a large file that was taken will give no more large files and open no relay.
    pub(crate) fn decided(&self) {
        let mut state = self.lock();
        state.undecided -= 1;
        if state.is_over() {
            self.work.notify_all();
        }
    }

    /// Bytes that are still to be read: those of the files that wait as large, and for each entry that
    /// nobody has looked at as many as the others had on average.
    pub(crate) fn bytes_left(&self) -> u64 {
        let state = self.lock();
        let mean = state.probed_bytes / state.probed.max(1);
        state.large_bytes + (state.met - state.probed) * mean
    }

    /// All entries of a batch were looked at; their files have so many bytes.
    pub(crate) fn probed(&self, entries: u64, bytes: u64) {
        let mut state = self.lock();
        state.probed += entries;
        state.probed_bytes += bytes;
        drop(state);
        self.decided();
    }

    /// Offers a relay to workers with nothing else to do.
    pub(crate) fn open_relay(&self, relay: &Arc<Relay>) {
        self.lock().relays.push(Arc::clone(relay));
        self.work.notify_all();
    }

    /// Takes the offer back.
    pub(crate) fn close_relay(&self, relay: &Arc<Relay>) {
        let mut state = self.lock();
        state.relays.retain(|other| !Arc::ptr_eq(other, relay));
        self.work.notify_all();
    }

    /// The sink has had this many entries.
    pub(crate) fn emitted(&self, count: u64) {
        let mut state = self.lock();
        state.emitted = count;
        if !state.patient.is_empty() {
            self.work.notify_all();
        }
        if state.met - count < WINDOW {
            self.room.notify_one();
        }
    }

    /// Ends the run: nobody gets more to do.
    pub(crate) fn stop(&self) {
        self.lock().stopped = true;
        self.work.notify_all();
        self.room.notify_all();
    }

    /// Whether a worker that helps with a relay has work of its own again, or must end.
    pub(crate) fn calls(&self) -> bool {
        let state = self.lock();
        state.stopped || !state.batches.is_empty() || !state.large.is_empty()
    }

    /// Nothing is left, and nothing can come any more.
    pub(crate) fn is_over(&self) -> bool {
        self.lock().is_over()
    }
}

impl State {
    fn pick(&mut self, appetite: Appetite, enough: usize) -> Option<Task> {
        let any = appetite == Appetite::Any;
        if any && self.patient.keys().next().is_some_and(|number| *number == self.emitted) {
            self.undecided += 1;
            return self.patient.pop_first().map(|(_, large)| Task::Large(large));
        }
        // Large files wait until there are enough to fill the lanes with ones of like sizes.
        let plenty = self.large.len() >= enough || self.batches.is_empty();
        if plenty && let Some(large) = self.large.pop() {
            self.large_bytes -= large.size;
            self.undecided += 1;
            return Some(Task::Large(large));
        }
        if appetite != Appetite::Large
            && let Some(batch) = self.batches.pop_front()
        {
            self.undecided += 1;
            return Some(Task::Batch(batch));
        }
        let relay = self.relays.iter().find(|relay| any && relay.wants_help())?;
        Some(Task::Help(Arc::clone(relay)))
    }

    /// Nothing is left, and nothing can come any more.
    fn is_over(&self) -> bool {
        self.walked
            && self.batches.is_empty()
            && self.large.is_empty()
            && self.patient.is_empty()
            && self.relays.is_empty()
            && self.undecided == 0
    }
}

impl PartialEq for Large {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Large {}

impl PartialOrd for Large {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The longest first; among equals the one that was met first.
impl Ord for Large {
    fn cmp(&self, other: &Self) -> Ordering {
        self.size.cmp(&other.size).then(other.number.cmp(&self.number))
    }
}
