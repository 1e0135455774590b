//! Whole messages: their leaves, and a fold for each message.

use super::{Folding, LeafBank, Leaves, Shape};
use crate::Digest;
use crate::bank::{Bank, Pace, Slot, StreamPart};

/// The maximum size of leaves for which one message's leaves fill the lanes.
const SHORT: u64 = 64 << 10;

/// Hashes messages made of leaves.
pub(super) struct Messages {
    leaves: LeafBank,
    /// The fold for each slot of `leaves`.
    folds: Vec<Option<Folding>>,
    folding: fn(Leaves) -> Folding,
}

/// Makes a bank for many messages.
pub(crate) fn bank(shape: Leaves) -> Box<dyn Bank> {
    Box::new(Messages::new(shape))
}

/// Makes a bank for one message after another. Long leaves are then hashed one after another as well.
pub(crate) fn alone(shape: Leaves) -> Box<dyn Bank> {
    Box::new(Messages::alone(shape))
}

fn leaves_alone(shape: Leaves) -> LeafBank {
    if shape.bytes > SHORT { LeafBank::alone(shape) } else { LeafBank::new(shape) }
}

/// Makes a bank for many messages that keeps digests of leaves: [`Bank::close_kept`] returns them.
pub fn keeping(shape: Leaves) -> Box<dyn Bank> {
    Box::new(Messages { folding: Folding::keeping, ..Messages::new(shape) })
}

/// Like [`keeping`], for one message after another.
pub fn keeping_alone(shape: Leaves) -> Box<dyn Bank> {
    Box::new(Messages { leaves: leaves_alone(shape), folding: Folding::keeping, ..Messages::new(shape) })
}

/// Makes [`bank`] of a shape, for a registry row.
pub(crate) fn bank_of<S: Shape>() -> Box<dyn Bank> {
    bank(S::LEAVES)
}

/// Makes [`alone`] of a shape.
pub(crate) fn alone_of<S: Shape>() -> Box<dyn Bank> {
    alone(S::LEAVES)
}

impl Messages {
    /// Creates it for many messages.
    pub(super) fn new(shape: Leaves) -> Self {
        Messages { leaves: LeafBank::new(shape), folds: Vec::new(), folding: Folding::new }
    }

    /// Creates it for one message after another.
    pub(super) fn alone(shape: Leaves) -> Self {
        Messages { leaves: leaves_alone(shape), ..Messages::new(shape) }
    }

    /// Returns the shape of the messages.
    pub(super) fn shape(&self) -> &Leaves {
        self.leaves.shape()
    }

    /// Opens a message with this fold, which must have leaves of this shape.
    pub(super) fn open_with(&mut self, folding: Folding) -> Slot {
        let slot = self.leaves.open(0);
        if slot.0 == self.folds.len() {
            self.folds.push(None);
        }
        self.folds[slot.0] = Some(folding);
        slot
    }

    /// Copies one message, which continues in the first slot.
    pub(super) fn copy(&self, slot: Slot) -> Messages {
        let folds = vec![self.folds[slot.0].as_ref().map(Folding::fork)];
        Messages { leaves: self.leaves.fork(slot), folds, folding: self.folding }
    }

    /// Passes the finished leaves of a message to its fold.
    fn fold(&mut self, slot: Slot) {
        let done = self.leaves.take(slot);
        if let Some(fold) = &mut self.folds[slot.0] {
            fold.take(&done);
        }
    }
}

impl Bank for Messages {
    fn open(&mut self) -> Slot {
        self.open_with((self.folding)(*self.leaves.shape()))
    }

    fn update(&mut self, batch: &[StreamPart<'_>]) {
        self.leaves.update(batch);
        batch.iter().for_each(|part| self.fold(part.slot));
    }

    fn close(&mut self, slot: Slot) -> Digest {
        self.close_kept(slot).0
    }

    fn close_kept(&mut self, slot: Slot) -> (Digest, Option<Box<[u8]>>) {
        let bytes = self.leaves.end(slot);
        let rest = self.leaves.close(slot);
        let fold = self.folds[slot.0].take();
        let mut fold = fold.unwrap_or_else(|| (self.folding)(*self.leaves.shape()));
        fold.take(&rest);
        fold.finish_kept(bytes)
    }

    fn abandon(&mut self, slot: Slot) {
        self.leaves.abandon(slot);
        self.folds[slot.0] = None;
    }

    fn fork(&self, slot: Slot) -> Box<dyn Bank> {
        Box::new(self.copy(slot))
    }

    fn save(&self, slot: Slot) -> Option<Vec<u8>> {
        let mut state = Vec::new();
        let folded = self.folds[slot.0].as_ref()?.save(&mut state);
        (self.leaves.save(slot, &mut state) && folded).then_some(state)
    }

    fn restore(&mut self, mut state: &[u8]) -> Option<Slot> {
        let folding = (self.folding)(*self.leaves.shape()).load(&mut state)?;
        let slot = self.leaves.load(&mut state)?;
        if slot.0 == self.folds.len() {
            self.folds.push(None);
        }
        self.folds[slot.0] = Some(folding);
        if !state.is_empty() {
            self.abandon(slot);
            return None;
        }
        Some(slot)
    }

    fn lanes(&self) -> usize {
        if self.leaves.shape().bytes <= SHORT { 1 } else { self.leaves.lanes() }
    }

    /// Short leaves fill the lanes even if there is only one message.
    fn pace(&self) -> Pace {
        let Pace { alone, beside } = self.leaves.pace();
        if self.leaves.shape().bytes > SHORT {
            return Pace { alone, beside };
        }
        let filled = beside / self.leaves.lanes() as f64;
        let pace = if filled > 0.0 { filled.min(alone) } else { alone };
        Pace { alone: pace, beside: pace }
    }

    fn occupancy(&self) -> (u64, u64) {
        self.leaves.occupancy()
    }

    fn kernel(&self) -> &'static str {
        self.leaves.kernel()
    }
}
