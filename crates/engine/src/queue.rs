//! What there is to do: batches from the walk, loads that readers made of them, large files that were
//! found in them, and relays that take helpers.
//!
//! The queue also bounds the run: the walk stops while the window between the oldest entry that is not
//! yet given to the sink and the newest one that was met is full. Only the walk ever waits for the
//! window, so whatever is in it gets done and the window moves on.

use crate::load::Load;
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
    /// The device that all files in it are on, as far as the walk knows.
    pub(crate) device: u64,
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
    Load(Load),
    Large(Large),
    Help(Arc<Relay>),
}

/// Something for a reader to do.
pub(crate) enum Reading {
    Batch(Batch),
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
    loads: VecDeque<Load>,
    large: BinaryHeap<Large>,
    large_bytes: u64,
    /// Devices whose batches only their own reader takes.
    reserved: Vec<u64>,
    /// Threads that read ahead. While there are any, a worker leaves batches to them as long as it has
    /// something else to do.
    readers: usize,
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
    /// Tasks that were taken and that may still turn into loads, large files or relays.
    undecided: usize,
}

/// Shared by the walk, the workers and the calling thread.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    /// Something to do for a worker, or the end.
    work: Condvar,
    /// Something to read for a reader, or the end.
    reading: Condvar,
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
        let mut device = 0;
        for found in entries {
            met(&found);
            let moves = device_of(&found).filter(|other| *other != device);
            if batch.len() == BATCH || (moves.is_some() && !batch.is_empty()) {
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                if !self.push(full, device, &mut waited) {
                    return waited;
                }
            }
            device = moves.unwrap_or(device);
            batch.push(found);
        }
        self.push(batch, device, &mut waited);
        self.lock().walked = true;
        self.work.notify_all();
        self.reading.notify_all();
        waited
    }

    /// A batch of the only entry that there is, after those that are done.
    pub(crate) fn single(&self, found: Found) -> Batch {
        let mut state = self.lock();
        let first = state.met;
        state.met += 1;
        state.walked = true;
        state.undecided += 1;
        let device = device_of(&found).unwrap_or(0);
        Batch { first, found: vec![found], device }
    }

    /// Adds a batch; false if the run was stopped.
    fn push(&self, found: Vec<Found>, device: u64, waited: &mut Duration) -> bool {
        let mut state = self.lock();
        while !state.stopped && state.met - state.emitted >= WINDOW {
            let start = Instant::now();
            state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
            *waited += start.elapsed();
        }
        if !found.is_empty() {
            let first = state.met;
            state.met += found.len() as u64;
            state.batches.push_back(Batch { first, found, device });
            self.work.notify_one();
            self.reading.notify_one();
        }
        !state.stopped
    }

    /// Takes the rest of a batch back.
    pub(crate) fn give_back(&self, batch: Batch) {
        self.lock().batches.push_front(batch);
        self.work.notify_one();
        self.reading.notify_all();
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
                if state.is_over() {
                    // It was the last, and nothing comes of it.
                    self.work.notify_all();
                    self.reading.notify_all();
                }
                return Some(task);
            }
            if appetite != Appetite::Any || state.is_over() {
                return None;
            }
            state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Something to read on this device, by a thread that does nothing else; none when there will be no
    /// more, or when `retires` says so.
    pub(crate) fn take_reading(&self, device: u64, retires: &dyn Fn() -> bool) -> Option<Reading> {
        let mut state = self.lock();
        loop {
            if state.stopped || state.is_over() || retires() {
                return None;
            }
            if let Some(at) = state.batches.iter().position(|batch| batch.device == device) {
                state.undecided += 1;
                return state.batches.remove(at).map(Reading::Batch);
            }
            if let Some(relay) = state.relays.iter().find(|relay| relay.wants_reader(device)) {
                return Some(Reading::Help(Arc::clone(relay)));
            }
            state = self.reading.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// All batches of a device that its only reader may take, once there are `enough` entries, the walk is
    /// at its end, or the patience is. None when there will be no more.
    pub(crate) fn take_sweep(&self, device: u64, enough: usize, patience: Duration) -> Option<Vec<Batch>> {
        let mut state = self.lock();
        let mut start = None;
        loop {
            let waiting = state.batches.iter().filter(|batch| batch.device == device);
            let entries: usize = waiting.map(|batch| batch.found.len()).sum();
            if state.stopped || (entries == 0 && state.walked) {
                return None;
            }
            let waited = entries > 0 && start.get_or_insert_with(Instant::now).elapsed() >= patience;
            if entries >= enough || (entries > 0 && state.walked) || waited {
                return Some(state.sweep(device, enough));
            }
            let woken = self.reading.wait_timeout(state, patience);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// From now on only this device's own reader takes its batches.
    pub(crate) fn reserve(&self, device: u64) {
        let mut state = self.lock();
        if !state.reserved.contains(&device) {
            state.reserved.push(device);
        }
    }

    /// Whether only the device's own reader takes its batches.
    pub(crate) fn is_reserved(&self, device: u64) -> bool {
        self.lock().reserved.contains(&device)
    }

    /// Anybody may again.
    pub(crate) fn release(&self, device: u64) {
        self.lock().reserved.retain(|other| *other != device);
        self.work.notify_all();
    }

    /// So many threads more read ahead, or fewer.
    pub(crate) fn readers(&self, change: isize) {
        let mut state = self.lock();
        state.readers = state.readers.saturating_add_signed(change);
        drop(state);
        self.work.notify_all();
    }

    /// Adds what a reader has read.
    pub(crate) fn push_load(&self, load: Load) {
        self.lock().loads.push_back(load);
        self.work.notify_one();
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
            self.reading.notify_all();
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
        self.reading.notify_all();
    }

    /// Takes the offer back.
    pub(crate) fn close_relay(&self, relay: &Arc<Relay>) {
        let mut state = self.lock();
        state.relays.retain(|other| !Arc::ptr_eq(other, relay));
        self.work.notify_all();
        self.reading.notify_all();
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
        self.reading.notify_all();
        self.room.notify_all();
    }

    /// Whether a worker that helps with a relay has work of its own again, or must end.
    pub(crate) fn calls(&self) -> bool {
        let state = self.lock();
        state.stopped || !state.loads.is_empty() || !state.large.is_empty() || state.next_batch().is_some()
    }

    /// Whether a reader that helps with a relay has batches of its own again, or must end.
    pub(crate) fn calls_reader(&self, device: u64) -> bool {
        let state = self.lock();
        state.stopped || state.batches.iter().any(|batch| batch.device == device)
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
        let plenty = self.large.len() >= enough || (self.batches.is_empty() && self.loads.is_empty());
        if plenty && !self.large.is_empty() {
            return self.pop_large();
        }
        if appetite == Appetite::Large {
            return None;
        }
        if let Some(load) = self.loads.pop_front() {
            return Some(Task::Load(load));
        }
        if (any || self.readers == 0)
            && let Some(at) = self.next_batch()
        {
            self.undecided += 1;
            return self.batches.remove(at).map(Task::Batch);
        }
        if any && !self.large.is_empty() {
            return self.pop_large();
        }
        let relay = self.relays.iter().find(|relay| any && relay.wants_help())?;
        Some(Task::Help(Arc::clone(relay)))
    }

    fn pop_large(&mut self) -> Option<Task> {
        let large = self.large.pop()?;
        self.large_bytes -= large.size;
        self.undecided += 1;
        Some(Task::Large(large))
    }

    /// Where the first batch is that a worker may take.
    fn next_batch(&self) -> Option<usize> {
        self.batches.iter().position(|batch| !self.reserved.contains(&batch.device))
    }

    /// Takes batches of a device, at least one, with some `enough` entries.
    fn sweep(&mut self, device: u64, enough: usize) -> Vec<Batch> {
        let mut taken = Vec::new();
        let mut entries = 0;
        while entries < enough
            && let Some(at) = self.batches.iter().position(|batch| batch.device == device)
            && let Some(batch) = self.batches.remove(at)
        {
            entries += batch.found.len();
            taken.push(batch);
        }
        self.undecided += taken.len();
        taken
    }

    /// Nothing is left, and nothing can come any more.
    fn is_over(&self) -> bool {
        self.walked
            && self.batches.is_empty()
            && self.loads.is_empty()
            && self.large.is_empty()
            && self.patient.is_empty()
            && self.relays.is_empty()
            && self.undecided == 0
    }
}

/// The device of a file that is met.
fn device_of(found: &Found) -> Option<u64> {
    match found {
        Found::File(entry) => Some(entry.device),
        Found::Skipped { .. } | Found::Failed(_) => None,
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
