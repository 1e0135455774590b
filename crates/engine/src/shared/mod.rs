//! The state that all threads of a run share.

mod panic_guard;

use crate::hash::Hashers;
use crate::memory::{BufferPool, LINE, Layout};
use crate::queue::Queue;
use crate::read::{DeviceState, DeviceStates, Mapping, ReadBuffers};
use crate::relay::RelaySettings;
use crate::task::{LargeFile, Message};
use crate::{Live, Plan, Stats};
use hashmill_source::{AlignedBytes, Origin, Policy, Reader};
pub(crate) use panic_guard::PanicGuard;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// Files with more pieces than this wait for their turn, and then pass pieces to the sink as they come.
pub(crate) const PIECES_HELD: u64 = 1 << 14;

/// Starts the reader of this rank on a device.
pub(crate) type StartReader = fn(&Arc<Shared>, &Arc<DeviceState>, Policy, usize);

pub(crate) struct Shared {
    pub(crate) plan: Plan,
    pub(crate) layout: Layout,
    pub(crate) queue: Queue,
    buffers: Arc<BufferPool>,
    /// The buffers that readers fill.
    pub(crate) read_buffers: ReadBuffers,
    pub(crate) devices: DeviceStates,
    /// The choice between mapping and copying.
    pub(crate) mapping: Mapping,
    pub(crate) live: Arc<Live>,
    /// Threads that were started to read.
    pub(crate) readers: Mutex<Vec<JoinHandle<()>>>,
    start_reader: StartReader,
    /// Threads that start during the run get a clone.
    result_sender: Mutex<Option<SyncSender<Vec<Message>>>>,
    lanes: OnceLock<usize>,
    total: Mutex<Stats>,
    panicked: AtomicBool,
}

impl Shared {
    pub(crate) fn new(plan: &Plan, live: &Arc<Live>, start_reader: StartReader) -> Self {
        let layout = Layout::from_plan(plan);
        Shared {
            plan: plan.clone(),
            layout,
            queue: Queue::default(),
            buffers: Arc::default(),
            read_buffers: ReadBuffers::new(layout.read_buffers, layout.arena),
            devices: DeviceStates::new(plan.prefetch),
            mapping: Mapping::new(&plan.reading),
            live: Arc::clone(live),
            readers: Mutex::default(),
            start_reader,
            result_sender: Mutex::default(),
            lanes: OnceLock::new(),
            total: Mutex::default(),
            panicked: AtomicBool::new(false),
        }
    }

    pub(crate) fn relay_settings(&self) -> RelaySettings<'_> {
        RelaySettings {
            plan: &self.plan,
            layout: self.layout,
            lanes: self.lanes(),
            buffers: &self.buffers,
            live: &self.live,
        }
    }

    /// Returns how many long streams are best hashed side by side.
    pub(crate) fn lanes(&self) -> usize {
        *self.lanes.get_or_init(|| Hashers::new(&self.plan).lanes())
    }

    /// Returns the size from which a file takes more than one read. Enough smaller files fit into an arena to fill the
    /// lanes twice.
    pub(crate) fn small(&self) -> u64 {
        (self.layout.arena / 2 / self.lanes().max(self.parts())) as u64
    }

    /// Returns the minimum number of files in a round. If hashing is slow, a worker must not take much at once, or it
    /// would end long after the others.
    fn parts(&self) -> usize {
        if self.plan.likeness.is_empty() { 1 } else { 16 }
    }

    /// Returns the alignment of files in a buffer.
    pub(crate) fn row(&self) -> usize {
        self.plan.reading.alignment().max(LINE)
    }

    /// Counts the bytes of an opened file.
    pub(crate) fn count_bytes_met(&self, size: u64) {
        Live::add(&self.live.bytes_met, size);
    }

    /// Queues a file for later, when it can be hashed beside files of similar size.
    pub(crate) fn postpone(&self, mut file: LargeFile) {
        if file.entry.origin != Origin::Stdin && file.reader.as_ref().is_some_and(Reader::seekable) {
            // A thousand files may wait, which is too many open descriptors.
            file.reader = None;
        }
        if self.is_deferred(&file) {
            self.queue.defer_large(file);
        } else {
            self.queue.push_large(file);
        }
    }

    /// Whether a file must wait until all files before it are done: it has too many pieces to hold in memory, or an
    /// unknown number.
    pub(crate) fn is_deferred(&self, file: &LargeFile) -> bool {
        let Some(piece) = self.plan.piece else { return false };
        file.size / piece > PIECES_HELD || file.reader.as_ref().is_some_and(|reader| !reader.seekable())
    }

    /// Starts as many readers as the policy of this device wants. `path` is a file by which the system finds the
    /// device; it may be empty after the first call.
    pub(crate) fn wake_readers(self: &Arc<Self>, device: &Arc<DeviceState>, path: &[u8]) {
        // A run of one small file has no other threads and needs none.
        let threads = self.result_sender().is_some();
        if !threads || !self.read_buffers.exist() || !self.devices.wants_readers(device) {
            return;
        }
        let policy = self.devices.policy(device, path);
        for rank in device.start_missing(&policy) {
            (self.start_reader)(self, device, policy, rank);
        }
    }

    pub(crate) fn count(&self, stats: &Stats) {
        self.total.lock().add(stats);
    }

    /// Returns the counters of all threads that have ended.
    pub(crate) fn total(&self) -> Stats {
        self.total.lock().clone()
    }

    /// Sets the channel for results. The calling thread sees the end when all clones of the sender are dropped.
    pub(crate) fn open_results(&self, sender: SyncSender<Vec<Message>>) {
        *self.result_sender.lock() = Some(sender);
    }

    /// Returns the channel for results, during the run.
    pub(crate) fn result_sender(&self) -> Option<SyncSender<Vec<Message>>> {
        self.result_sender.lock().clone()
    }

    /// Closes the channel after a worker has ended: nothing is left to do, so a thread that starts now has no results.
    pub(crate) fn close_results(&self) {
        *self.result_sender.lock() = None;
    }

    /// Gives a reader's buffer back.
    pub(crate) fn release(&self, buffer: AlignedBytes) {
        if !buffer.is_empty() {
            self.read_buffers.give(buffer);
        }
    }

    /// Ends all other threads after one has panicked.
    pub(crate) fn thread_panicked(&self) {
        self.panicked.store(true, Ordering::Release);
        self.plan.cancel.set();
        self.stop();
    }

    pub(crate) fn has_panicked(&self) -> bool {
        self.panicked.load(Ordering::Acquire)
    }

    /// Ends the run: no thread gets more tasks.
    pub(crate) fn stop(&self) {
        self.queue.stop();
        self.read_buffers.stop();
    }
}
