//! Banks and trees with a last step: what becomes of a digest before it is the message's.

use crate::Digest;
use crate::bank::{Bank, Pace, Part, Slot};
use crate::tree::{Node, Tree};

/// A bank, or a tree, whose digests take the step.
pub(crate) struct After<B, F> {
    /// The one without it.
    pub inner: B,
    /// The step.
    pub step: F,
}

/// Makes a bank whose digests take a step.
pub(crate) fn after(
    inner: Box<dyn Bank>,
    step: impl FnMut(Digest) -> Digest + Clone + Send + 'static,
) -> Box<dyn Bank> {
    Box::new(After { inner, step })
}

/// The first so many bytes of a digest.
pub(crate) fn cut(bytes: usize) -> impl Fn(Digest) -> Digest + Copy + Send + Sync {
    move |digest| Digest::new(&digest.as_bytes()[..bytes])
}

/// The hash of the hash, out of a bank for the hash and the maker of one for the second run, which hides the length
/// extension of the first.
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
        self.bank.update(&[Part { slot, bytes: first.as_bytes(), last: true }]);
        self.bank.close(slot)
    }
}

/// Between two digests it holds nothing.
impl Clone for Second {
    fn clone(&self) -> Self {
        Second { bank: (self.make)(), make: self.make }
    }
}

impl<F: FnMut(Digest) -> Digest + Clone + Send + 'static> Bank for After<Box<dyn Bank>, F> {
    fn open(&mut self) -> Slot {
        self.inner.open()
    }
    fn update(&mut self, batch: &[Part<'_>]) {
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

impl<T: Tree, F: Fn(Digest) -> Digest + Send + Sync> Tree for After<T, F> {
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
