//! What all threads of a run share.

use crate::banks::Banks;
use crate::buffers::{Buffers, LINE, Layout};
use crate::drive::Drives;
use crate::flight::Wanted;
use crate::holds::Holds;
use crate::order::Message;
use crate::queue::{Large, Queue};
use crate::{Live, Plan, Stats};
use hashloom_source::{AlignedBytes, Origin, Reader};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

/// A file with more pieces than this gives them to the sink as they come, when its turn has come.
pub(crate) const PIECES_HELD: u64 = 1 << 14;

/// What all threads of a run share.
pub(crate) struct Shared {
    pub(crate) plan: Plan,
    pub(crate) layout: Layout,
    pub(crate) queue: Queue,
    pub(crate) buffers: Arc<Buffers>,
    /// What readers fill.
    pub(crate) holds: Holds,
    pub(crate) drives: Drives,
    pub(crate) live: Arc<Live>,
    /// Threads that were started to read.
    pub(crate) readers: Mutex<Vec<JoinHandle<()>>>,
    /// The way to the sink, for threads that start while the run goes on.
    sender: Mutex<Option<SyncSender<Vec<Message>>>>,
    lanes: OnceLock<usize>,
    total: Mutex<Stats>,
    fallen: AtomicBool,
}

impl Shared {
    pub(crate) fn new(plan: &Plan, live: &Arc<Live>) -> Self {
        let layout = Layout::of(plan);
        Shared {
            plan: plan.clone(),
            layout,
            queue: Queue::default(),
            buffers: Arc::default(),
            holds: Holds::new(layout.holds, layout.arena),
            drives: Drives::new(plan),
            live: Arc::clone(live),
            readers: Mutex::default(),
            sender: Mutex::default(),
            lanes: OnceLock::new(),
            total: Mutex::default(),
            fallen: AtomicBool::new(false),
        }
    }

    /// How many long streams are best hashed side by side.
    pub(crate) fn lanes(&self) -> usize {
        *self.lanes.get_or_init(|| Banks::new(&self.plan).lanes())
    }

    /// The size from which on a file is not read in one go: so many smaller ones fit into an arena that
    /// they fill the lanes twice over.
    pub(crate) fn small(&self) -> u64 {
        (self.layout.arena / 2 / self.lanes().max(self.shares())) as u64
    }

    /// Into how many parts a round is to be cut at least. Where hashing takes long, what a worker takes in one
    /// go must be little, or the others are done long before it.
    fn shares(&self) -> usize {
        if self.plan.likeness.is_empty() { 1 } else { 16 }
    }

    /// Where the bytes of a file may start in a buffer: at multiples of this.
    pub(crate) fn row(&self) -> usize {
        self.plan.reading.alignment().max(LINE)
    }

    pub(crate) fn wanted(&self) -> Wanted {
        Wanted { whole: self.plan.whole, piece: self.plan.piece.map(|size| size.get()) }
    }

    /// Counts a file that was opened.
    pub(crate) fn met(&self, size: u64) {
        Live::add(&self.live.bytes_met, size);
    }

    /// Leaves a file for later, when it can be read beside ones of its size.
    pub(crate) fn postpone(&self, mut large: Large) {
        if large.entry.origin != Origin::Stdin && large.reader.as_ref().is_some_and(Reader::seekable) {
            // A thousand of these may wait; a descriptor for each would be too many.
            large.reader = None;
        }
        if self.is_patient(&large) {
            self.queue.push_patient(large);
        } else {
            self.queue.push_large(large);
        }
    }

    /// Whether a file must wait until all before it are done: its pieces are too many to be held, or
    /// nobody knows how many they will be.
    pub(crate) fn is_patient(&self, large: &Large) -> bool {
        let Some(piece) = self.plan.piece else { return false };
        large.size / piece > PIECES_HELD || large.reader.as_ref().is_some_and(|reader| !reader.seekable())
    }

    /// Adds what a thread counted.
    pub(crate) fn count(&self, stats: &Stats) {
        self.total.lock().unwrap_or_else(PoisonError::into_inner).add(stats);
    }

    /// What all threads that have ended counted.
    pub(crate) fn total(&self) -> Stats {
        self.total.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the way to the sink. The sink sees the end when all ways to it are gone.
    pub(crate) fn open_way(&self, sender: SyncSender<Vec<Message>>) {
        *self.sender.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
    }

    /// The way to the sink, while there is one.
    pub(crate) fn way(&self) -> Option<SyncSender<Vec<Message>>> {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A worker has ended, so nothing is left to do: whoever starts now needs no way to the sink.
    pub(crate) fn close_way(&self) {
        *self.sender.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Gives a reader's buffer back.
    pub(crate) fn release(&self, buffer: AlignedBytes) {
        if !buffer.is_empty() {
            self.holds.give(buffer);
        }
    }

    /// A thread has panicked: all others end, wherever they wait.
    pub(crate) fn fall(&self) {
        self.fallen.store(true, Ordering::Release);
        self.plan.cancel.set();
        self.stop();
    }

    /// Whether a thread has panicked.
    pub(crate) fn has_fallen(&self) -> bool {
        self.fallen.load(Ordering::Acquire)
    }

    /// Nobody gets anything to do any more.
    pub(crate) fn stop(&self) {
        self.queue.stop();
        self.holds.stop();
    }
}
