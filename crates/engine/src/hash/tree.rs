//! Tree digests: the chunks of a file can be hashed in any order, on any threads.

use super::hasher::UnorderedHasher;
use super::value::Value;
use hashmill_digest::{Algorithm, Node, Saved, SegmentTree, hash};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Computes a tree digest. Each chunk becomes a node, and neighbouring nodes are joined as they arrive.
pub(crate) struct TreeHasher {
    algorithm: &'static Algorithm,
    tree: &'static dyn SegmentTree,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Nodes in the file's order. Neighbours of equal length are joined, so there are few.
    nodes: Vec<Node>,
    /// The next chunk to add.
    next: u64,
    /// Nodes of chunks that were hashed before their turn.
    early: BTreeMap<u64, Node>,
    /// The number of chunks from one saved state to the next, if they are saved, and the newest states.
    every: Option<u64>,
    saved: Vec<Saved>,
}

impl TreeHasher {
    /// Returns `None` if the algorithm is no tree, the file has only one chunk, or chunks of this size are no subtrees.
    pub(crate) fn new(algorithm: &'static Algorithm, chunk: usize, size: u64) -> Option<Self> {
        let tree = algorithm.tree?;
        let (chunk, segment) = (chunk as u64, tree.segment_bytes());
        let fits = chunk.is_multiple_of(segment) && (chunk / segment).is_power_of_two() && size > chunk;
        fits.then(|| TreeHasher { algorithm, tree, state: Mutex::default() })
    }
}

impl UnorderedHasher for TreeHasher {
    fn update(&self, chunk: u64, offset: u64, bytes: &[u8]) {
        let node = self.tree.leaf(offset, bytes);
        let mut state = self.state.lock();
        state.early.insert(chunk, node);
        while let Some(node) = state.take_next() {
            state.push(node, self.tree);
            if state.every.is_some_and(|every| state.next.is_multiple_of(every)) {
                let saved = Saved::from_nodes(self.algorithm, &state.nodes);
                state.saved.push(saved);
            }
        }
    }

    fn restore(&mut self, state: &Saved, chunk: u64) -> bool {
        let Some(nodes) = state.nodes() else { return false };
        let own = self.state.get_mut();
        (own.nodes, own.next) = (nodes.to_vec(), state.bytes / chunk);
        true
    }

    fn save_every(&mut self, chunks: u64) -> bool {
        self.state.get_mut().every = Some(chunks);
        true
    }

    fn take_saved(&self) -> Vec<Saved> {
        std::mem::take(&mut self.state.lock().saved)
    }

    fn finish(&self) -> Value {
        let state = self.state.lock();
        // A file that shrank to one chunk is rejected later because of its size, so any digest will do here.
        let digest =
            if state.nodes.len() > 1 { self.tree.join(&state.nodes) } else { hash(self.algorithm, &[]) };
        Value::digest(self.algorithm, digest)
    }
}

impl State {
    fn take_next(&mut self) -> Option<Node> {
        let node = self.early.remove(&self.next)?;
        self.next += 1;
        Some(node)
    }

    /// Adds the next node. Only now is it certain that the nodes before it are not the root.
    fn push(&mut self, node: Node, tree: &dyn SegmentTree) {
        while let [.., left, right] = self.nodes[..] {
            if left.bytes() != right.bytes() {
                break;
            }
            self.nodes.truncate(self.nodes.len() - 2);
            self.nodes.push(tree.parent(&left, &right));
        }
        self.nodes.push(node);
    }
}
