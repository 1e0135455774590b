//! The hash of the hash: a second run over the digest's bytes hides the length extension of the first.

use crate::Digest;
use crate::bank::Stream;
use crate::tree::{Node, Tree};

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

/// The tree of `S` with the second run at its root.
pub(crate) struct DoubleTree<S, T> {
    /// The tree of the first run.
    pub tree: T,
    /// Whose second run.
    pub stream: std::marker::PhantomData<fn() -> S>,
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
