//! Banks and trees with a final step that changes each digest.

use crate::Digest;
use crate::bank::{Bank, Pace, Slot, StreamPart};
use crate::tree::{Node, SegmentTree};

/// A bank or tree with a final step.
pub(crate) struct After<B, F> {
    /// The bank or tree without the step.
    pub inner: B,
    /// The final step.
    pub step: F,
}

/// Adds a final step to a bank.
pub(crate) fn after(
    inner: Box<dyn Bank>,
    step: impl FnMut(Digest) -> Digest + Clone + Send + 'static,
) -> Box<dyn Bank> {
    Box::new(After { inner, step })
}

/// Returns a step that keeps the first bytes of a digest.
pub(crate) fn cut(bytes: usize) -> impl Fn(Digest) -> Digest + Copy + Send + Sync {
    move |digest| Digest::new(&digest.as_bytes()[..bytes])
}

/// Makes a bank for the hash of the hash, which prevents length extension. `make` makes the bank for the second run.
pub(crate) fn doubled(bank: Box<dyn Bank>, make: fn() -> Box<dyn Bank>) -> Box<dyn Bank> {
    let mut second = Second { bank: make(), make };
    after(bank, move |first| second.hash(&first))
}

/// The bank for the second run.
struct Second {
    bank: Box<dyn Bank>,
    make: fn() -> Box<dyn Bank>,
}

impl Second {
    fn hash(&mut self, first: &Digest) -> Digest {
        let slot = self.bank.open();
        self.bank.update(&[StreamPart { slot, bytes: first.as_bytes(), last: true }]);
        self.bank.close(slot)
    }
}

/// A fresh bank is a clone, as nothing is held between two digests.
impl Clone for Second {
    fn clone(&self) -> Self {
        Second { bank: (self.make)(), make: self.make }
    }
}

impl<F: FnMut(Digest) -> Digest + Clone + Send + 'static> Bank for After<Box<dyn Bank>, F> {
    fn open(&mut self) -> Slot {
        self.inner.open()
    }
    fn update(&mut self, batch: &[StreamPart<'_>]) {
        self.inner.update(batch);
    }
    fn close(&mut self, slot: Slot) -> Digest {
        let digest = self.inner.close(slot);
        (self.step)(digest)
    }
    fn abandon(&mut self, slot: Slot) {
        self.inner.abandon(slot);
    }
    fn peek(&self, slot: Slot) -> Digest {
        (self.step.clone())(self.inner.peek(slot))
    }
    fn fork(&self, slot: Slot) -> Box<dyn Bank> {
        Box::new(After { inner: self.inner.fork(slot), step: self.step.clone() })
    }
    fn save(&self, slot: Slot) -> Option<Vec<u8>> {
        self.inner.save(slot)
    }
    fn restore(&mut self, state: &[u8]) -> Option<Slot> {
        self.inner.restore(state)
    }
    fn lanes(&self) -> usize {
        self.inner.lanes()
    }
    fn pace(&self) -> Pace {
        self.inner.pace()
    }
    fn occupancy(&self) -> (u64, u64) {
        self.inner.occupancy()
    }
    fn kernel(&self) -> &'static str {
        self.inner.kernel()
    }
}

impl<T: SegmentTree, F: Fn(Digest) -> Digest + Send + Sync> SegmentTree for After<T, F> {
    fn segment_bytes(&self) -> u64 {
        self.inner.segment_bytes()
    }
    fn unit(&self) -> u64 {
        self.inner.unit()
    }
    fn leaf(&self, offset: u64, bytes: &[u8]) -> Node {
        self.inner.leaf(offset, bytes)
    }
    fn parent(&self, left: &Node, right: &Node) -> Node {
        self.inner.parent(left, right)
    }
    fn join(&self, nodes: &[Node]) -> Digest {
        (self.step)(self.inner.join(nodes))
    }
}
