//! The adapter for the algorithms of `hashmill_digest`.

use super::hasher::{Occupancy, StreamHasher};
use super::value::Value;
use hashmill_digest::{About, Algorithm, Bank, Pace, Saved, Slot, StreamPart};

/// Computes one digest for many streams, side by side if its bank has lanes.
pub(crate) struct DigestHasher {
    algorithm: &'static Algorithm,
    bank: Box<dyn Bank>,
}

impl DigestHasher {
    /// Creates a hasher with one of the algorithm's banks.
    pub(crate) fn new(algorithm: &'static Algorithm, bank: Box<dyn Bank>) -> Self {
        DigestHasher { algorithm, bank }
    }
}

impl StreamHasher for DigestHasher {
    fn open(&mut self, about: &About<'_>) -> Slot {
        if self.algorithm.wants_size { self.bank.open_about(about) } else { self.bank.open() }
    }

    fn update(&mut self, parts: &[StreamPart<'_>]) {
        self.bank.update(parts);
    }

    fn close(&mut self, slot: Slot) -> Value {
        let (digest, leaves) = self.bank.close_kept(slot);
        Value::with_leaves(self.algorithm, digest, leaves)
    }

    fn abandon(&mut self, slot: Slot) {
        self.bank.abandon(slot);
    }

    fn save(&self, slot: Slot, bytes: u64) -> Option<Saved> {
        Saved::from_stream(self.algorithm, bytes, &*self.bank, slot)
    }

    fn restore(&mut self, state: &Saved) -> Option<Slot> {
        state.open(&mut *self.bank)
    }

    /// A bank that is as fast for one stream as for several gains nothing from lanes.
    fn lanes(&self) -> usize {
        let Pace { alone, beside } = self.bank.pace();
        if beside > alone { self.bank.lanes() } else { 1 }
    }

    fn pace(&self) -> Option<Pace> {
        Some(self.bank.pace())
    }

    fn occupancy(&self) -> Occupancy {
        let (used, offered) = self.bank.occupancy();
        Occupancy { used, offered }
    }
}
