//! The first bytes of a digest.

use crate::Digest;
use crate::bank::{Bank, Pace, Part, Slot};
use crate::tree::{Node, Tree};

/// A bank whose digests are cut.
struct Truncated {
    bank: Box<dyn Bank>,
    bytes: usize,
}

/// Makes a bank for the first so many bytes out of one for all of them.
pub(crate) fn truncated(bank: Box<dyn Bank>, bytes: usize) -> Box<dyn Bank> {
    Box::new(Truncated { bank, bytes })
}

impl Bank for Truncated {
    fn open(&mut self) -> Slot {
        self.bank.open()
    }
    fn update(&mut self, batch: &[Part<'_>]) {
        self.bank.update(batch);
    }
    fn close(&mut self, slot: Slot) -> Digest {
        cut(&self.bank.close(slot), self.bytes)
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

/// A tree whose digests are cut.
pub(crate) struct TruncatedTree<T> {
    /// The tree of all bytes.
    pub tree: T,
    /// Bytes that are kept.
    pub bytes: usize,
}

impl<T: Tree> Tree for TruncatedTree<T> {
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
        cut(&self.tree.join(nodes), self.bytes)
    }
}

fn cut(digest: &Digest, bytes: usize) -> Digest {
    Digest::new(&digest.as_bytes()[..bytes])
}
