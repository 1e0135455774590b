//! An algorithm that is a tree: takes the chunks of a file in any order, on any threads.

use crate::event::{Value, named};
use hashloom_digest::{Algorithm, Node, Tree, hash};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The part of a tree that has grown so far.
pub(crate) struct Trunk {
    /// Its place in the plan.
    index: usize,
    algorithm: &'static Algorithm,
    tree: &'static dyn Tree,
    grown: Mutex<Grown>,
}

#[derive(Default)]
struct Grown {
    /// Nodes in the file's order, joined as far as their lengths are equal: a few for any file.
    nodes: Vec<Node>,
    /// The chunk whose node comes next.
    next: u64,
    /// Nodes of chunks that were hashed before their turn.
    early: BTreeMap<u64, Node>,
}

impl Trunk {
    /// The algorithm as a tree, if it is one, and chunks of this size can be its leaves, and the file
    /// has more than one.
    pub(crate) fn new(index: usize, algorithm: &'static Algorithm, chunk: usize, size: u64) -> Option<Self> {
        let tree = algorithm.tree?;
        let (chunk, segment) = (chunk as u64, tree.segment_bytes());
        let fits = chunk.is_multiple_of(segment) && (chunk / segment).is_power_of_two() && size > chunk;
        fits.then(|| Trunk { index, algorithm, tree, grown: Mutex::default() })
    }

    pub(crate) fn leaf(&self, index: u64, offset: u64, bytes: &[u8]) {
        let node = self.tree.leaf(offset, bytes);
        let mut grown = self.grown.lock().unwrap_or_else(PoisonError::into_inner);
        grown.early.insert(index, node);
        while let Some(node) = grown.take_next() {
            grown.push(node, self.tree);
        }
    }

    /// The digest of the whole file, with the algorithm's place in the plan.
    pub(crate) fn finish(&self) -> (usize, Value) {
        let grown = self.grown.lock().unwrap_or_else(PoisonError::into_inner);
        // A file that shrank to one chunk or less is found out by its size, whatever stands here.
        let digest =
            if grown.nodes.len() > 1 { self.tree.join(&grown.nodes) } else { hash(self.algorithm, &[]) };
        (self.index, Value::Digest(named(self.algorithm, digest)))
    }
}

impl Grown {
    fn take_next(&mut self) -> Option<Node> {
        let node = self.early.remove(&self.next)?;
        self.next += 1;
        Some(node)
    }

    /// Adds the next node. Only now is it certain that the nodes before it are not the root.
    fn push(&mut self, node: Node, tree: &dyn Tree) {
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
