//! Small objects, asked for before anybody reads them: many at a time, in the order in which they were announced.

use crate::Object;
use crate::opened::{Means, Opened};
use crate::part::Part;
use crate::reading::Reading;
use crate::runtime::runtime;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Larger objects are asked for when they are opened, by parts.
const SMALL: u64 = 1 << 20;

/// Asks for small objects ahead of those who read them, as far as memory allows.
#[derive(Debug)]
pub struct Ahead {
    means: Means,
    queue: UnboundedSender<Weak<Coming>>,
}

/// An object that was announced. Nothing more is asked for if it is dropped.
#[derive(Debug)]
pub struct Coming {
    means: Means,
    object: Arc<Reading>,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    Waiting,
    Begun(Arc<Part>),
    /// It was opened once; who opens it again reads it again.
    Opened,
}

impl Ahead {
    pub(crate) fn start(means: Means, requests: usize) -> Ahead {
        let (queue, announced) = unbounded_channel();
        let turns = Arc::new(Semaphore::new(requests.min(Semaphore::MAX_PERMITS)));
        runtime().spawn(go_through(announced, means.clone(), turns));
        Ahead { means, queue }
    }

    /// Announces an object that will be read soon.
    pub fn announce(&self, object: Object) -> Arc<Coming> {
        let state = Mutex::new(State::Waiting);
        let coming =
            Arc::new(Coming { means: self.means.clone(), object: Arc::new(Reading::new(object)), state });
        if coming.object().size <= SMALL {
            // Who goes through the queue may be gone as the process ends.
            let _ = self.queue.send(Arc::downgrade(&coming));
        }
        coming
    }
}

/// Begins one object after another, once there is memory for it and it is its turn. What is read before its turn came is
/// read by whoever wants it, so that nobody waits for memory that only later objects give back.
async fn go_through(mut announced: UnboundedReceiver<Weak<Coming>>, means: Means, turns: Arc<Semaphore>) {
    while let Some(coming) = announced.recv().await {
        let Some(size) = coming.upgrade().map(|coming| coming.object().size as usize) else { continue };
        let Some(share) = means.budget.take(size).await else { continue };
        let Ok(turn) = Arc::clone(&turns).acquire_owned().await else { return };
        if let Some(coming) = coming.upgrade() {
            coming.begin(share, turn);
        }
    }
}

impl Coming {
    /// What was announced.
    pub fn object(&self) -> &Object {
        &self.object.object
    }

    /// Its location, as it would be typed.
    pub fn place(&self) -> Box<[u8]> {
        self.means.location.with_key(&self.object().key).typed()
    }

    /// Opens it.
    pub fn open(&self) -> Opened {
        let state = std::mem::replace(&mut *self.state.lock(), State::Opened);
        let begun = match state {
            State::Begun(part) => Some(part),
            State::Waiting | State::Opened => None,
        };
        Opened::new(self.means.clone(), Arc::clone(&self.object), begun)
    }

    fn begin(&self, share: crate::budget::Share, turn: OwnedSemaphorePermit) {
        let mut state = self.state.lock();
        if matches!(*state, State::Waiting) {
            let (client, object) = (Arc::clone(&self.means.client), Arc::clone(&self.object));
            let range = 0..object.object.size;
            *state = State::Begun(Part::fetch(client, object, range, Some(share), Some(turn)));
        }
    }
}
