//! Objects that are asked for before anybody reads them: many at a time, in the order in which they were announced.

use crate::Object;
use crate::opened::{Means, Opened};
use crate::runtime::runtime;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Larger objects are asked for ahead once somebody opened them: of many that are listed only the sizes are wanted.
pub(crate) const SMALL: u64 = 1 << 20;

/// The memory of an object besides its bytes, in bytes.
const BESIDE: u64 = 4 << 10;

/// Asks for objects, or for the first parts of large ones, ahead of those who read them, as far as memory allows.
#[derive(Debug)]
pub struct Ahead {
    means: Arc<Means>,
    queue: Queue,
}

type Queue = UnboundedSender<Weak<Coming>>;

/// An object that was announced. Nothing more is asked for if it is dropped. Whoever opens it reads the same bytes, so what
/// came for one is there for the next.
#[derive(Debug)]
pub struct Coming {
    opened: Opened,
    queue: Queue,
    queued: AtomicBool,
}

impl Ahead {
    pub(crate) fn start(means: Arc<Means>, requests: usize) -> Ahead {
        let (queue, announced) = unbounded_channel();
        let turns = Arc::new(Semaphore::new(requests.min(Semaphore::MAX_PERMITS)));
        runtime().spawn(go_through(announced, Arc::clone(&means), turns));
        Ahead { means, queue }
    }

    /// Announces an object that will be read soon.
    pub fn announce(&self, object: Object) -> Arc<Coming> {
        let coming = self.note(object);
        coming.expect();
        coming
    }

    /// Takes note of an object that may be read. It is asked for once it is expected, or opened.
    pub fn note(&self, object: Object) -> Arc<Coming> {
        let opened = Opened::new(Arc::clone(&self.means), object);
        Arc::new(Coming { opened, queue: self.queue.clone(), queued: AtomicBool::new(false) })
    }
}

/// Begins one object after another, once there is memory for it and it is its turn. What is read before its turn came is
/// read by whoever wants it, so that nobody waits for memory that only later objects give back.
async fn go_through(
    mut announced: UnboundedReceiver<Weak<Coming>>,
    means: Arc<Means>,
    turns: Arc<Semaphore>,
) {
    while let Some(coming) = announced.recv().await {
        let waiting = coming.upgrade().filter(|coming| !coming.opened.is_begun());
        let Some(size) = waiting.map(|coming| coming.opened.first()) else { continue };
        let Some(share) = means.budget.ahead.take((size + BESIDE).min(means.budget.part())).await else {
            continue;
        };
        let Ok(turn) = Arc::clone(&turns).acquire_owned().await else { return };
        if let Some(coming) = coming.upgrade() {
            coming.opened.begin(share, turn);
        }
    }
}

impl Coming {
    /// What was announced.
    pub fn object(&self) -> &Object {
        self.opened.object()
    }

    /// Says that it will be read soon.
    pub fn expect(self: &Arc<Self>) {
        if self.object().size <= SMALL {
            self.queue();
        }
    }

    /// Returns what reads it. Nothing is asked for by that.
    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    /// Its location, as it would be typed.
    pub fn place(&self) -> Box<[u8]> {
        self.opened.location().typed()
    }

    /// Opens it.
    pub fn open(self: &Arc<Self>) -> Opened {
        self.queue();
        self.opened.clone()
    }

    /// Puts it at the end of the queue, if it never was in it.
    fn queue(self: &Arc<Self>) {
        if !self.queued.swap(true, Ordering::Relaxed) {
            // The receiver may be gone when the process ends.
            let _ = self.queue.send(Arc::downgrade(self));
        }
    }
}
