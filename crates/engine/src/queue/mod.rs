//! The queue of work: batches from the walk, files that readers have read, large files found in batches, and relays
//! that accept helpers.
//!
//! The queue also bounds the run: the walk stops while the [`Window`] is full. Nothing else waits for the window, so
//! everything in it gets done and the window moves on.

mod batches;
mod estimate;
mod large;
mod window;

use crate::event::RunItem;
use crate::relay::Relay;
use crate::task::{Batch, LargeFile, LoadedFiles};
use batches::Batches;
use estimate::Estimate;
use hashmill_source::Entry;
use large::LargeFiles;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use window::Window;

/// The number of entries that a worker takes at once.
const BATCH: usize = 64;

/// Work for a worker.
// It is moved only once, from the queue to a worker.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Task {
    Batch(Batch),
    Loaded(LoadedFiles),
    Large(LargeFile),
    Help(Arc<Relay>),
}

pub(crate) enum ReadTask {
    Batch(Batch),
    Help(Arc<Relay>),
}

/// The kinds of task that a worker accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TakePolicy {
    /// Only a large file, without waiting: it still has a batch.
    Large,
    /// Any task, without waiting: it has files in flight.
    More,
    /// Any task, waiting for one: it is idle.
    Any,
}

/// The queue, shared by the walk, the workers, the readers and the calling thread.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    /// There is work for a worker, or the run is over.
    work: Condvar,
    /// There is something for a reader to read, or the run is over.
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
    /// Threads that read ahead. While there are any, a worker with other work leaves batches to them.
    readers: usize,
    /// Tasks that were taken and may still create other tasks.
    undecided: usize,
    /// The walk has ended.
    walked: bool,
    stopped: bool,
}

impl Queue {
    /// Queues all entries of the walk, waiting for room as needed. Returns the time spent waiting.
    pub(crate) fn feed(
        &self,
        entries: impl Iterator<Item = RunItem>,
        met: &mut dyn FnMut(&RunItem),
    ) -> Duration {
        let mut waited = Duration::ZERO;
        let mut batch = Vec::with_capacity(BATCH);
        let mut device = 0;
        for found in entries {
            met(&found);
            let moves = found.file().map(|entry| entry.device).filter(|other| *other != device);
            if batch.len() == BATCH || (moves.is_some() && !batch.is_empty()) {
                let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                if !self.push(full, device, &mut waited) {
                    return waited;
                }
            }
            device = moves.unwrap_or(device);
            let holds = found.file().is_some_and(Entry::holds_walk);
            batch.push(found);
            if holds && !self.push(std::mem::take(&mut batch), device, &mut waited) {
                return waited;
            }
        }
        self.push(batch, device, &mut waited);
        self.state.lock().walked = true;
        self.wake_all();
        waited
    }

    /// Makes a batch of the run's only remaining entry. It counts as taken.
    pub(crate) fn only_batch(&self, found: RunItem) -> Batch {
        let mut state = self.state.lock();
        state.walked = true;
        state.undecided += 1;
        let device = found.file().map_or(0, |entry| entry.device);
        Batch { first: state.window.enter(1), found: vec![found], device, resident: false }
    }

    /// Queues a batch; false if the run was stopped.
    fn push(&self, found: Vec<RunItem>, device: u64, waited: &mut Duration) -> bool {
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

    /// Takes back a batch from its device's only reader and gives it to the workers, because its files are in memory.
    pub(crate) fn give_to_workers(&self, batch: Batch) {
        let mut state = self.state.lock();
        state.undecided -= 1;
        state.batches.push_front(Batch { resident: true, ..batch });
        drop(state);
        self.work.notify_one();
    }

    /// Returns the next task. Large files come longest first, once there are `enough` of them. With [`TakePolicy::Any`]
    /// it waits, and `None` means the end of the run; otherwise `None` means that there is nothing now. `idle` is
    /// called once before waiting.
    pub(crate) fn take(&self, policy: TakePolicy, enough: usize, idle: &mut dyn FnMut()) -> Option<Task> {
        let mut state = self.state.lock();
        let mut told = false;
        loop {
            if state.stopped {
                return None;
            }
            if let Some(task) = state.pick(policy, enough) {
                if state.is_over() {
                    // This was the last task, and it creates no others.
                    self.wake_all();
                }
                return Some(task);
            }
            if policy != TakePolicy::Any || state.is_over() {
                return None;
            }
            if !std::mem::replace(&mut told, true) {
                // The next turn sees what arrived meanwhile.
                MutexGuard::unlocked(&mut state, &mut *idle);
                continue;
            }
            self.work.wait(&mut state);
        }
    }

    /// Returns the next thing to read on this device, for a thread that only reads. `None` when nothing more will come,
    /// or when `retires` returns true.
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

    /// Returns all batches of a device, for its only reader. Waits until there are `enough` entries, the walk has
    /// ended, or the first entry has waited for `longest`. `None` when nothing more will come.
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

    /// Reserves the device's batches for its only reader.
    pub(crate) fn reserve(&self, device: u64) {
        self.state.lock().batches.reserve(device);
    }

    /// Whether the device's batches are reserved for its only reader.
    pub(crate) fn is_reserved(&self, device: u64) -> bool {
        self.state.lock().batches.is_reserved(device)
    }

    /// Lets every thread take the device's batches.
    pub(crate) fn release(&self, device: u64) {
        self.state.lock().batches.release(device);
        self.work.notify_all();
    }

    /// Counts a thread that starts to read ahead (1) or stops (-1).
    pub(crate) fn count_reader(&self, change: isize) {
        let mut state = self.state.lock();
        state.readers = state.readers.saturating_add_signed(change);
        drop(state);
        self.work.notify_all();
    }

    /// Queues files that a reader has read.
    pub(crate) fn push_loaded(&self, loaded: LoadedFiles) {
        self.state.lock().loaded.push_back(loaded);
        self.work.notify_one();
    }

    /// Queues a large file found in a batch.
    pub(crate) fn push_large(&self, file: LargeFile) {
        self.state.lock().large.push(file);
        self.work.notify_one();
    }

    /// Queues a file that must wait until all entries before it are done.
    pub(crate) fn defer_large(&self, file: LargeFile) {
        self.state.lock().large.defer(file);
        self.work.notify_one();
    }

    /// Notes that a taken task will create no more large files or relays.
    pub(crate) fn decided(&self) {
        let mut state = self.state.lock();
        state.undecided -= 1;
        if state.is_over() {
            self.wake_all();
        }
    }

    /// Returns the bytes still to be read beside an open file of this size: those of waiting large files, and an estimate
    /// for entries that were not opened yet.
    pub(crate) fn bytes_left(&self, size: u64) -> u64 {
        let state = self.state.lock();
        state.large.bytes() + state.looked_at.bytes_left(state.window.met(), size)
    }

    /// Notes that all entries of a batch were opened, and the bytes of their files.
    pub(crate) fn batch_decided(&self, entries: u64, bytes: u64) {
        self.state.lock().looked_at.add(entries, bytes);
        self.decided();
    }

    /// Offers a relay to idle threads.
    pub(crate) fn open_relay(&self, relay: &Arc<Relay>) {
        self.state.lock().relays.push(Arc::clone(relay));
        self.wake_all();
    }

    /// Withdraws the offer.
    pub(crate) fn close_relay(&self, relay: &Arc<Relay>) {
        self.state.lock().relays.retain(|other| !Arc::ptr_eq(other, relay));
        self.wake_all();
    }

    /// Notes that the sink has received this many entries.
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

    /// Ends the run: no thread gets more tasks.
    pub(crate) fn stop(&self) {
        self.state.lock().stopped = true;
        self.wake_all();
        self.room.notify_all();
    }

    /// Whether a worker that helps with a relay has work of its own again, or must end.
    pub(crate) fn needs_worker(&self) -> bool {
        let state = self.state.lock();
        state.stopped || !state.loaded.is_empty() || state.large.has_ready() || state.batches.has_for_worker()
    }

    /// Whether a reader that helps with a relay has batches of its own again, or must end.
    pub(crate) fn needs_reader(&self, device: u64) -> bool {
        let state = self.state.lock();
        state.stopped || state.batches.has_of(device)
    }

    /// Whether nothing is left and nothing more can come.
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
        if any && let Some(file) = self.large.pop_waiting() {
            self.undecided += 1;
            return Some(Task::Large(file));
        }
        // Large files wait until enough of similar size can fill the lanes.
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

    /// Whether nothing is left and nothing more can come.
    fn is_over(&self) -> bool {
        self.walked
            && self.batches.is_empty()
            && self.loaded.is_empty()
            && self.large.is_empty()
            && self.relays.is_empty()
            && self.undecided == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_source::{Origin, WalkItem};

    /// A worker sends its results before it waits: the walk may be waiting for them.
    #[test]
    fn who_must_wait_is_told_first() {
        let queue = Queue::default();
        let mut told = 0;
        let task = queue.take(TakePolicy::Any, 1, &mut || {
            told += 1;
            let entry = Entry::new(b"file".as_slice().into(), Origin::Path);
            let batch = queue.only_batch(WalkItem::File(entry).into());
            queue.give_back(batch);
        });
        assert!(matches!(task, Some(Task::Batch(_))));
        assert_eq!(told, 1);
        let nothing = queue.take(TakePolicy::More, 1, &mut || unreachable!("it does not wait"));
        assert!(nothing.is_none());
    }
}
