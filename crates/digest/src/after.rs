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
    step: impl FnMut(Digest) -> Digest + Send + 'static,
) -> Box<dyn Bank> {
    Box::new(After { inner, step })
}

/// The first so many bytes of a digest.
pub(crate) fn cut(bytes: usize) -> impl Fn(Digest) -> Digest + Copy + Send + Sync {
    move |digest| Digest::new(&digest.as_bytes()[..bytes])
}

/// The hash of the hash, out of a bank for the hash and one for the second run, which hides the length extension of the
/// first.
pub(crate) fn doubled(bank: Box<dyn Bank>, mut second: Box<dyn Bank>) -> Box<dyn Bank> {
    after(bank, move |first| {
        let slot = second.open();
        second.update(&[Part { slot, bytes: first.as_bytes(), last: true }]);
        second.close(slot)
    })
}

impl<F: FnMut(Digest) -> Digest + Send> Bank for After<Box<dyn Bank>, F> {
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
