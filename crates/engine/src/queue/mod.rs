//! What there is to do: batches from the walk, files that readers have read, large files that were found in batches,
//! and relays that take helpers.
//!
//! The queue also bounds the run: the walk stops while the [`Window`] is full. Only the walk ever waits for the window,
//! so whatever is in it gets done, and the window moves on.

mod batches;
mod estimate;
mod large;
mod window;

use crate::relay::Relay;
use crate::task::{Batch, LargeFile, LoadedFiles};
use batches::Batches;
use estimate::Estimate;
use hashloom_source::Found;
use large::LargeFiles;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use window::Window;

/// Entries that a worker takes at once.
const BATCH: usize = 64;

/// Something for a worker to do.
// It is moved once, from the queue to a worker's hands.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Task {
    Batch(Batch),
    Loaded(LoadedFiles),
    Large(LargeFile),
    Help(Arc<Relay>),
}

/// Something for a reader to do.
pub(crate) enum ReadTask {
    Batch(Batch),
    Help(Arc<Relay>),
}

/// What a worker takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakePolicy {
    /// A large file, if one is there: it still has a batch.
    Large,
    /// A file or a batch, if one is there: it has files in flight.
    More,
    /// Anything, and it waits for it: it has nothing to do.
    Any,
}

/// Shared by the walk, the workers, the readers and the calling thread.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    /// There is something to do for a worker, or the run is over.
    work: Condvar,
    /// There is something to read for a reader, or the run is over.
    reading: Condvar,
    /// There is room in the window.
    room: Condvar,
}

#[derive(Default)]
struct State {
    window: Window,
    batches: Batches,
    loaded: VecDeque<LoadedFiles>,
    large: LargeFiles,
    relays: Vec<Arc<Relay>>,
    looked_at: Estimate,
    /// Threads that read ahead. While there are any, a worker leaves batches to them as long as it has something else
    /// to do.
    readers: usize,
    /// Tasks that were taken and that may still turn into other tasks.
    undecided: usize,
    /// The walk is at its end.
    walked: bool,
    stopped: bool,
}

impl Queue {
    /// Feeds all entries of the walk, waiting for room as needed. Gives the time that it waited.
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
        self.state.lock().walked = true;
        self.wake_all();
        waited
    }

    /// A batch of the only entry that there is, after those that are done. It counts as taken.
    pub(crate) fn only_batch(&self, found: Found) -> Batch {
        let mut state = self.state.lock();
        state.walked = true;
        state.undecided += 1;
        let device = device_of(&found).unwrap_or(0);
        Batch { first: state.window.enter(1), found: vec![found], device, resident: false }
    }

    /// Adds a batch; false if the run was stopped.
    fn push(&self, found: Vec<Found>, device: u64, waited: &mut Duration) -> bool {
        let mut state = self.state.lock();
        while !state.stopped && state.window.is_full() {
            let start = Instant::now();
            self.room.wait(&mut state);
            *waited += start.elapsed();
        }
        if !found.is_empty() {
            let first = state.window.enter(found.len());
            state.batches.push(Batch { first, found, device, resident: false });
            self.work.notify_one();
            self.reading.notify_one();
        }
        !state.stopped
    }

    /// Takes the rest of a batch back.
    pub(crate) fn give_back(&self, batch: Batch) {
        self.state.lock().batches.push_front(batch);
        self.work.notify_one();
        self.reading.notify_all();
    }

    /// Takes back a batch that its device's own reader has taken, because its files are in memory: workers take it.
    pub(crate) fn give_to_workers(&self, batch: Batch) {
        let mut state = self.state.lock();
        state.undecided -= 1;
        state.batches.push_front(Batch { resident: true, ..batch });
        drop(state);
        self.work.notify_one();
    }

    /// Something to do. Large files come longest first, once there are `enough` of them. With [`TakePolicy::Any`] it
    /// waits, and `None` means the end of the run; else `None` means not now. Before it waits, `idle` is called once.
    pub(crate) fn take(&self, policy: TakePolicy, enough: usize, idle: &mut dyn FnMut()) -> Option<Task> {
        let mut state = self.state.lock();
        let mut told = false;
        loop {
            if state.stopped {
                return None;
            }
            if let Some(task) = state.pick(policy, enough) {
                if state.is_over() {
                    // It was the last, and nothing comes of it.
                    self.wake_all();
                }
                return Some(task);
            }
            if policy != TakePolicy::Any || state.is_over() {
                return None;
            }
            if !std::mem::replace(&mut told, true) {
                // What came meanwhile is seen in the next turn.
                MutexGuard::unlocked(&mut state, &mut *idle);
                continue;
            }
            self.work.wait(&mut state);
        }
    }

    /// Something to read on this device, for a thread that does nothing else. `None` when nothing more will come, or
    /// when `retires` says so.
    pub(crate) fn take_reading(&self, device: u64, retires: &dyn Fn() -> bool) -> Option<ReadTask> {
        let mut state = self.state.lock();
        loop {
            if state.stopped || state.is_over() || retires() {
                return None;
            }
            if let Some(batch) = state.batches.take_of(device) {
                state.undecided += 1;
                return Some(ReadTask::Batch(batch));
            }
            if let Some(relay) = state.relays.iter().find(|relay| relay.wants_reader(device)) {
                return Some(ReadTask::Help(Arc::clone(relay)));
            }
            self.reading.wait(&mut state);
        }
    }

    /// All batches of a device, for its only reader. Waits until there are `enough` entries, the walk is at its end, or
    /// the first entry has waited for so long. `None` when nothing more will come.
    pub(crate) fn take_many(&self, device: u64, enough: usize, longest: Duration) -> Option<Vec<Batch>> {
        let mut state = self.state.lock();
        let mut start = None;
        loop {
            let entries = state.batches.entries_of(device);
            if state.stopped || (entries == 0 && state.walked) {
                return None;
            }
            let waited = entries > 0 && start.get_or_insert_with(Instant::now).elapsed() >= longest;
            if entries >= enough || (entries > 0 && state.walked) || waited {
                let taken = state.batches.take_many_of(device, enough);
                state.undecided += taken.len();
                return Some(taken);
            }
            self.reading.wait_for(&mut state, longest);
        }
    }

    /// From now on only this device's own reader takes its batches.
    pub(crate) fn reserve(&self, device: u64) {
        self.state.lock().batches.reserve(device);
    }

    /// Whether only the device's own reader takes its batches.
    pub(crate) fn is_reserved(&self, device: u64) -> bool {
        self.state.lock().batches.is_reserved(device)
    }

    /// From now on anybody takes the device's batches.
    pub(crate) fn release(&self, device: u64) {
        self.state.lock().batches.release(device);
        self.work.notify_all();
    }

    /// A thread begins to read ahead (1), or ends (-1).
    pub(crate) fn count_reader(&self, change: isize) {
        let mut state = self.state.lock();
        state.readers = state.readers.saturating_add_signed(change);
        drop(state);
        self.work.notify_all();
    }

    /// Adds what a reader has read.
    pub(crate) fn push_loaded(&self, loaded: LoadedFiles) {
        self.state.lock().loaded.push_back(loaded);
        self.work.notify_one();
    }

    /// Adds a large file that a batch held.
    pub(crate) fn push_large(&self, file: LargeFile) {
        self.state.lock().large.push(file);
        self.work.notify_one();
    }

    /// Adds a file that must wait until all entries before it are done.
    pub(crate) fn defer_large(&self, file: LargeFile) {
        self.state.lock().large.defer(file);
        self.work.notify_one();
    }

    /// A batch or a large file that was taken will give no more large files and open no relay.
    pub(crate) fn decided(&self) {
        let mut state = self.state.lock();
        state.undecided -= 1;
        if state.is_over() {
            self.wake_all();
        }
    }

    /// Bytes that are still to be read: those of the large files that wait, and an estimate for entries that nobody
    /// has looked at.
    pub(crate) fn bytes_left(&self) -> u64 {
        let state = self.state.lock();
        state.large.bytes() + state.looked_at.bytes_left(state.window.met())
    }

    /// All entries of a batch were looked at; their files have so many bytes.
    pub(crate) fn batch_decided(&self, entries: u64, bytes: u64) {
        self.state.lock().looked_at.add(entries, bytes);
        self.decided();
    }

    /// Offers a relay to threads that have nothing else to do.
    pub(crate) fn open_relay(&self, relay: &Arc<Relay>) {
        self.state.lock().relays.push(Arc::clone(relay));
        self.wake_all();
    }

    /// Takes the offer back.
    pub(crate) fn close_relay(&self, relay: &Arc<Relay>) {
        self.state.lock().relays.retain(|other| !Arc::ptr_eq(other, relay));
        self.wake_all();
    }

    /// The sink has had this many entries.
    pub(crate) fn emitted(&self, entries: u64) {
        let mut state = self.state.lock();
        state.window.emitted(entries);
        if state.large.has_deferred() {
            self.work.notify_all();
        }
        if !state.window.is_full() {
            self.room.notify_one();
        }
    }

    /// Ends the run: nobody gets more to do.
    pub(crate) fn stop(&self) {
        self.state.lock().stopped = true;
        self.wake_all();
        self.room.notify_all();
    }

    /// Whether a worker that helps with a relay has work of its own again, or must end.
    pub(crate) fn needs_worker(&self) -> bool {
        let state = self.state.lock();
        state.stopped || !state.loaded.is_empty() || state.large.ready() > 0 || state.batches.has_for_worker()
    }

    /// Whether a reader that helps with a relay has batches of its own again, or must end.
    pub(crate) fn needs_reader(&self, device: u64) -> bool {
        let state = self.state.lock();
        state.stopped || state.batches.has_of(device)
    }

    /// Nothing is left, and nothing more can come.
    pub(crate) fn is_over(&self) -> bool {
        self.state.lock().is_over()
    }

    fn wake_all(&self) {
        self.work.notify_all();
        self.reading.notify_all();
    }
}

impl State {
    fn pick(&mut self, policy: TakePolicy, enough: usize) -> Option<Task> {
        let any = policy == TakePolicy::Any;
        if any && let Some(file) = self.large.pop_deferred(self.window.turn()) {
            self.undecided += 1;
            return Some(Task::Large(file));
        }
        // Large files wait until there are enough to fill the lanes with ones of like sizes.
        let plenty = self.large.ready() >= enough || (self.batches.is_empty() && self.loaded.is_empty());
        let large = if plenty { self.pop_large() } else { None };
        if large.is_some() || policy == TakePolicy::Large {
            return large;
        }
        if let Some(loaded) = self.loaded.pop_front() {
            return Some(Task::Loaded(loaded));
        }
        if (any || self.readers == 0 || self.batches.has_resident())
            && let Some(batch) = self.batches.take_for_worker()
        {
            self.undecided += 1;
            return Some(Task::Batch(batch));
        }
        if !any {
            return None;
        }
        self.pop_large().or_else(|| self.help())
    }

    fn pop_large(&mut self) -> Option<Task> {
        let file = self.large.pop()?;
        self.undecided += 1;
        Some(Task::Large(file))
    }

    fn help(&self) -> Option<Task> {
        let relay = self.relays.iter().find(|relay| relay.wants_helper())?;
        Some(Task::Help(Arc::clone(relay)))
    }

    /// Nothing is left, and nothing more can come.
    fn is_over(&self) -> bool {
        self.walked
            && self.batches.is_empty()
            && self.loaded.is_empty()
            && self.large.is_empty()
            && self.relays.is_empty()
            && self.undecided == 0
    }
}

/// The device of a file that the walk met.
fn device_of(found: &Found) -> Option<u64> {
    match found {
        Found::File(entry) => Some(entry.device),
        Found::Skipped { .. } | Found::Failed(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashloom_source::{Entry, Origin};

    /// Results that a worker still has are what the walk may wait for.
    #[test]
    fn who_must_wait_is_told_first() {
        let queue = Queue::default();
        let mut told = 0;
        let task = queue.take(TakePolicy::Any, 1, &mut || {
            told += 1;
            let entry = Entry::new(b"file".as_slice().into(), Origin::Path);
            let batch = queue.only_batch(Found::File(entry));
            queue.give_back(batch);
        });
        assert!(matches!(task, Some(Task::Batch(_))));
        assert_eq!(told, 1);
        let nothing = queue.take(TakePolicy::More, 1, &mut || unreachable!("it does not wait"));
        assert!(nothing.is_none());
    }
}
