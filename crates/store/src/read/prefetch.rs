//! Prefetching: objects are requested before anybody reads them, many at a time, in the order in which they were
//! announced.

use super::opened::{Opened, ReadContext};
use crate::Object;
use crate::client::runtime::runtime;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Larger objects are asked for ahead once somebody opened them: of many that are listed only the sizes are wanted.
pub(crate) const SMALL: u64 = 1 << 20;

/// The memory that an object takes besides its bytes, in bytes.
const BESIDE: u64 = 4 << 10;

/// Requests objects, or the first parts of large ones, ahead of their readers, as far as memory allows.
#[derive(Debug)]
pub struct Prefetcher {
    means: Arc<ReadContext>,
    queue: Queue,
}

type Queue = UnboundedSender<Weak<Coming>>;

/// An object that was announced. Dropping it stops further requests. All readers that open it share the bytes that were
/// received for it.
#[derive(Debug)]
pub struct Coming {
    opened: Opened,
    queue: Queue,
    queued: AtomicBool,
}

impl Prefetcher {
    pub(crate) fn start(means: Arc<ReadContext>, requests: usize) -> Prefetcher {
        let (queue, announced) = unbounded_channel();
        let turns = Arc::new(Semaphore::new(requests.min(Semaphore::MAX_PERMITS)));
        runtime().spawn(go_through(announced, Arc::clone(&means), turns));
        Prefetcher { means, queue }
    }

    /// Announces an object that will be read soon.
    pub fn announce(&self, object: Object) -> Arc<Coming> {
        let coming = self.note(object);
        coming.expect();
        coming
    }

    /// Registers an object that may be read. It is requested once it is expected or opened.
    pub fn note(&self, object: Object) -> Arc<Coming> {
        let opened = Opened::new(Arc::clone(&self.means), object);
        Arc::new(Coming { opened, queue: self.queue.clone(), queued: AtomicBool::new(false) })
    }
}

/// Starts one object after another, once there is memory for it and its turn has come. An object that is read before
/// its turn is requested by its reader, so that nobody waits for memory that only later objects give back.
async fn go_through(
    mut announced: UnboundedReceiver<Weak<Coming>>,
    means: Arc<ReadContext>,
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
    /// Returns the object that was announced.
    pub fn object(&self) -> &Object {
        self.opened.object()
    }

    /// Marks the object as one that will be read soon.
    pub fn expect(self: &Arc<Self>) {
        if self.object().size <= SMALL {
            self.queue();
        }
    }

    /// Returns its reader, without sending a request.
    pub fn opened(&self) -> &Opened {
        &self.opened
    }

    /// Returns its location, as it would be typed.
    pub fn place(&self) -> Box<[u8]> {
        self.opened.location().typed()
    }

    /// Opens it.
    pub fn open(self: &Arc<Self>) -> Opened {
        self.queue();
        self.opened.clone()
    }

    /// Appends the object to the queue, unless it was there before.
    fn queue(self: &Arc<Self>) {
        if !self.queued.swap(true, Ordering::Relaxed) {
            // The receiver may be gone when the process ends.
            let _ = self.queue.send(Arc::downgrade(self));
        }
    }
}
