//! The hash of the hash: a second run over the digest's bytes hides the length extension of the first.

use crate::Digest;
use crate::bank::{Bank, Pace, Part, Slot, Stream};
use crate::tree::{Node, Tree};
use std::marker::PhantomData;

/// `S` over the digest of `S`.
pub(crate) struct Double<S>(S);

impl<S: Stream> Stream for Double<S> {
    fn new() -> Self {
        Double(S::new())
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        once::<S>(&self.0.finish())
    }
    fn kernel() -> &'static str {
        S::kernel()
    }
}

/// A bank whose digests get the second run, by `S`.
struct Doubled<S> {
    bank: Box<dyn Bank>,
    stream: PhantomData<fn() -> S>,
}

/// Makes a bank for the hash of the hash out of one for the hash.
pub(crate) fn doubled<S: Stream>(bank: Box<dyn Bank>) -> Box<dyn Bank> {
    Box::new(Doubled::<S> { bank, stream: PhantomData })
}

impl<S: Stream> Bank for Doubled<S> {
    fn open(&mut self) -> Slot {
        self.bank.open()
    }
    fn update(&mut self, batch: &[Part<'_>]) {
        self.bank.update(batch);
    }
    fn close(&mut self, slot: Slot) -> Digest {
        once::<S>(&self.bank.close(slot))
    }
    fn abandon(&mut self, slot: Slot) {
        self.bank.abandon(slot);
    }
    fn lanes(&self) -> usize {
        self.bank.lanes()
    }
    fn pace(&self) -> Pace {
        self.bank.pace()
    }
    fn occupancy(&self) -> (u64, u64) {
        self.bank.occupancy()
    }
    fn kernel(&self) -> &'static str {
        self.bank.kernel()
    }
}

/// The tree of `S` with the second run at its root.
pub(crate) struct DoubleTree<S, T> {
    /// The tree of the first run.
    pub tree: T,
    /// Whose second run.
    pub stream: PhantomData<fn() -> S>,
}

impl<S: Stream, T: Tree> Tree for DoubleTree<S, T> {
    fn segment_bytes(&self) -> u64 {
        self.tree.segment_bytes()
    }
    fn leaf(&self, offset: u64, bytes: &[u8]) -> Node {
        self.tree.leaf(offset, bytes)
    }
    fn parent(&self, left: &Node, right: &Node) -> Node {
        self.tree.parent(left, right)
    }
    fn join(&self, nodes: &[Node]) -> Digest {
        once::<S>(&self.tree.join(nodes))
    }
}

fn once<S: Stream>(digest: &Digest) -> Digest {
    let mut second = S::new();
    second.update(digest.as_bytes());
    second.finish()
}
