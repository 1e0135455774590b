//! What all threads of a run share.

use crate::hash::Hashers;
use crate::memory::{BufferPool, LINE, Layout};
use crate::queue::Queue;
use crate::read::{DeviceState, DeviceStates, Mapping, ReadBuffers};
use crate::relay::RelaySettings;
use crate::task::{LargeFile, Message};
use crate::{Live, Plan, Stats};
use hashloom_source::{AlignedBytes, Origin, Policy, Reader};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// A file with more pieces than this waits for its turn, and then gives them to the sink as they come.
pub(crate) const PIECES_HELD: u64 = 1 << 14;

/// Starts the reader of this rank on a device.
pub(crate) type StartReader = fn(&Arc<Shared>, &Arc<DeviceState>, Policy, usize);

/// What all threads of a run share.
pub(crate) struct Shared {
    pub(crate) plan: Plan,
    pub(crate) layout: Layout,
    pub(crate) queue: Queue,
    buffers: Arc<BufferPool>,
    /// What readers fill.
    pub(crate) read_buffers: ReadBuffers,
    pub(crate) devices: DeviceStates,
    /// Whether files are mapped.
    pub(crate) mapping: Mapping,
    pub(crate) live: Arc<Live>,
    /// Threads that were started to read.
    pub(crate) readers: Mutex<Vec<JoinHandle<()>>>,
    start_reader: StartReader,
    /// Threads that start while the run goes on get a clone.
    result_sender: Mutex<Option<SyncSender<Vec<Message>>>>,
    lanes: OnceLock<usize>,
    total: Mutex<Stats>,
    panicked: AtomicBool,
}

impl Shared {
    pub(crate) fn new(plan: &Plan, live: &Arc<Live>, start_reader: StartReader) -> Self {
        let layout = Layout::of(plan);
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

    /// What every relay of this run needs to know.
    pub(crate) fn relay_settings(&self) -> RelaySettings<'_> {
        RelaySettings {
            plan: &self.plan,
            layout: self.layout,
            lanes: self.lanes(),
            buffers: &self.buffers,
            live: &self.live,
        }
    }

    /// How many long streams are best hashed side by side.
    pub(crate) fn lanes(&self) -> usize {
        *self.lanes.get_or_init(|| Hashers::new(&self.plan).lanes())
    }

    /// The size from which on a file is not read in one go. So many smaller ones fit into an arena that they fill the
    /// lanes twice.
    pub(crate) fn small(&self) -> u64 {
        (self.layout.arena / 2 / self.lanes().max(self.parts())) as u64
    }

    /// A round has at least so many parts. If hashing takes long, a worker must not take much at once: the others would be
    /// done long before it.
    fn parts(&self) -> usize {
        if self.plan.likeness.is_empty() { 1 } else { 16 }
    }

    /// The bytes of a file start in a buffer at a multiple of this.
    pub(crate) fn row(&self) -> usize {
        self.plan.reading.alignment().max(LINE)
    }

    /// Counts the bytes of a file that was opened.
    pub(crate) fn count_bytes_met(&self, size: u64) {
        Live::add(&self.live.bytes_met, size);
    }

    /// Leaves a file for later, when it can be hashed beside ones of its size.
    pub(crate) fn postpone(&self, mut file: LargeFile) {
        if file.entry.origin != Origin::Stdin && file.reader.as_ref().is_some_and(Reader::seekable) {
            // A thousand of these may wait; a descriptor for each would be too many.
            file.reader = None;
        }
        if self.is_deferred(&file) {
            self.queue.defer_large(file);
        } else {
            self.queue.push_large(file);
        }
    }

    /// Whether a file must wait until all before it are done: it has too many pieces to hold them in memory, or nobody
    /// knows how many.
    pub(crate) fn is_deferred(&self, file: &LargeFile) -> bool {
        let Some(piece) = self.plan.piece else { return false };
        file.size / piece > PIECES_HELD || file.reader.as_ref().is_some_and(|reader| !reader.seekable())
    }

    /// Starts as many readers as the policy of this device wants, if it wants any. `path` is a file there, by which the
    /// system finds the device; it may be empty once that was done.
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

    /// Adds what a thread counted.
    pub(crate) fn count(&self, stats: &Stats) {
        self.total.lock().add(stats);
    }

    /// What all threads that have ended counted.
    pub(crate) fn total(&self) -> Stats {
        self.total.lock().clone()
    }

    /// Sets the channel for results. The calling thread sees the end when all clones of the sender are dropped.
    pub(crate) fn open_results(&self, sender: SyncSender<Vec<Message>>) {
        *self.result_sender.lock() = Some(sender);
    }

    /// The channel for results, while the run goes on.
    pub(crate) fn result_sender(&self) -> Option<SyncSender<Vec<Message>>> {
        self.result_sender.lock().clone()
    }

    /// A worker has ended, so nothing is left to do: a thread that starts now has no results.
    pub(crate) fn close_results(&self) {
        *self.result_sender.lock() = None;
    }

    /// Gives a reader's buffer back.
    pub(crate) fn release(&self, buffer: AlignedBytes) {
        if !buffer.is_empty() {
            self.read_buffers.give(buffer);
        }
    }

    /// A thread has panicked: ends all others, wherever they wait.
    pub(crate) fn thread_panicked(&self) {
        self.panicked.store(true, Ordering::Release);
        self.plan.cancel.set();
        self.stop();
    }

    /// Whether a thread has panicked.
    pub(crate) fn has_panicked(&self) -> bool {
        self.panicked.load(Ordering::Acquire)
    }

    /// Ends the run: nobody gets more to do.
    pub(crate) fn stop(&self) {
        self.queue.stop();
        self.read_buffers.stop();
    }
}
