//! The hash of the hash: a second run over the digest's bytes hides the length extension of the first.

use crate::Digest;
use crate::bank::{Bank, Pace, Part, Slot};
use crate::tree::{Node, Tree};

/// A bank whose digests get the second run.
struct Doubled {
    bank: Box<dyn Bank>,
    second: Box<dyn Bank>,
}

/// Makes a bank for the hash of the hash out of one for the hash and one for the second run.
pub(crate) fn doubled(bank: Box<dyn Bank>, second: Box<dyn Bank>) -> Box<dyn Bank> {
    Box::new(Doubled { bank, second })
}

impl Bank for Doubled {
    fn open(&mut self) -> Slot {
        self.bank.open()
    }
    fn update(&mut self, batch: &[Part<'_>]) {
        self.bank.update(batch);
    }
    fn close(&mut self, slot: Slot) -> Digest {
        let first = self.bank.close(slot);
        again(&mut *self.second, &first)
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

/// A tree with the second run at its root.
pub(crate) struct DoubledTree<T> {
    /// The tree of the first run.
    pub tree: T,
    /// Makes the bank of the second.
    pub second: fn() -> Box<dyn Bank>,
}

impl<T: Tree> Tree for DoubledTree<T> {
    fn segment_bytes(&self) -> u64 {
        self.tree.segment_bytes()
    }
    fn unit(&self) -> u64 {
        self.tree.unit()
    }
    fn leaf(&self, offset: u64, bytes: &[u8]) -> Node {
        self.tree.leaf(offset, bytes)
    }
    fn parent(&self, left: &Node, right: &Node) -> Node {
        self.tree.parent(left, right)
    }
    fn join(&self, nodes: &[Node]) -> Digest {
        again(&mut *(self.second)(), &self.tree.join(nodes))
    }
}

fn again(bank: &mut dyn Bank, first: &Digest) -> Digest {
    let slot = bank.open();
    bank.update(&[Part { slot, bytes: first.as_bytes(), last: true }]);
    bank.close(slot)
}
