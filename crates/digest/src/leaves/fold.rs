//! The folds of leaves' digests that several algorithms share.

use crate::Digest;
use crate::bank::StreamState;
use crate::field::saved;

/// Makes one digest of the digests of a message's leaves.
pub trait Fold: Fork + Send {
    /// Takes the digest of the next leaf.
    fn leaf(&mut self, digest: &[u8]);

    /// Returns the digest of the message of this many bytes. Called once.
    fn finish(&mut self, bytes: u64) -> Digest;

    /// Writes the state, and returns whether it can be had.
    fn save(&self, _into: &mut Vec<u8>) -> bool {
        false
    }

    /// Takes a written state up, before the first leaf. `None` if it is none; the fold is of no use then.
    fn load(&mut self, _from: &mut &[u8]) -> Option<()> {
        None
    }
}

/// A fold that can be copied: every one with `Clone`.
pub trait Fork {
    /// Returns an independent copy.
    fn fork(&self) -> Box<dyn Fold>;
}

impl<F: Fold + Clone + 'static> Fork for F {
    fn fork(&self) -> Box<dyn Fold> {
        Box::new(self.clone())
    }
}

/// Hashes the digests one after another.
#[derive(Clone)]
pub(crate) struct Chain<S>(S);

impl<S: StreamState> Chain<S> {
    /// Creates a chain without leaves.
    pub(crate) fn fold() -> Box<dyn Fold> {
        Box::new(Chain(S::new()))
    }
}

impl<S: StreamState> Fold for Chain<S> {
    fn leaf(&mut self, digest: &[u8]) {
        self.0.update(digest);
    }

    fn finish(&mut self, _: u64) -> Digest {
        self.0.finish()
    }

    fn save(&self, into: &mut Vec<u8>) -> bool {
        self.0.save(into)
    }

    fn load(&mut self, from: &mut &[u8]) -> Option<()> {
        self.0.load(from)
    }
}

/// Makes a node of its two children.
pub(crate) type Join = fn(&[u8], &[u8]) -> Digest;

/// A binary tree: neighbours are joined, level by level.
#[derive(Clone)]
pub(crate) struct Pairs {
    join: Join,
    /// The digest of leaves that pad the tree; `None` if a node without a neighbour moves up unchanged.
    filling: Option<Digest>,
    /// Subtrees that wait for their right neighbours, with their levels in descending order.
    waiting: Vec<(u32, Digest)>,
}

impl Pairs {
    pub(crate) fn new(join: Join, filling: Option<Digest>) -> Self {
        Pairs { join, filling, waiting: Vec::new() }
    }

    /// Whether subtrees can wait like that: each is larger than the next.
    fn is_sound(&self) -> bool {
        self.waiting.is_sorted_by(|(left, _), (right, _)| left > right)
            && self.waiting.iter().all(|(level, _)| *level < u64::BITS)
    }

    pub(crate) fn push(&mut self, leaf: &[u8]) {
        let (mut level, mut node) = (0, Digest::new(leaf));
        while let Some((_, left)) = self.waiting.pop_if(|(waiting, _)| *waiting == level) {
            node = (self.join)(left.as_bytes(), node.as_bytes());
            level += 1;
        }
        self.waiting.push((level, node));
    }

    /// Returns the root; that of a padded tree is at least the first node `height` levels above the leaves. `None`
    /// without leaves.
    pub(crate) fn root(&mut self, height: u32) -> Option<Digest> {
        let (mut level, mut node) = self.waiting.pop()?;
        let (mut filled, mut filling) = (0, self.filling);
        loop {
            let left = self.waiting.pop();
            let wanted = left.map_or(height, |(wanted, _)| wanted);
            while let Some(padding) = filling.as_mut().filter(|_| level < wanted) {
                while filled < level {
                    *padding = (self.join)(padding.as_bytes(), padding.as_bytes());
                    filled += 1;
                }
                node = (self.join)(node.as_bytes(), padding.as_bytes());
                level += 1;
            }
            let Some((_, left)) = left else { return Some(node) };
            node = (self.join)(left.as_bytes(), node.as_bytes());
            level += 1;
        }
    }
}

impl Fold for Pairs {
    fn leaf(&mut self, digest: &[u8]) {
        self.push(digest);
    }

    fn finish(&mut self, _: u64) -> Digest {
        // Without a leaf it is the padding. An empty message without padding has a leaf, too.
        self.root(0).or(self.filling).unwrap_or(Digest::new(&[]))
    }

    saved!(waiting; this: this.is_sound());
}

/// Returns the digest of concatenated bytes.
pub(crate) fn hash_parts<S: StreamState>(parts: &[&[u8]]) -> Digest {
    let mut stream = S::new();
    parts.iter().for_each(|part| stream.update(part));
    stream.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::sha256::Sha256;
    use crate::stream::Blocks;

    fn join(left: &[u8], right: &[u8]) -> Digest {
        hash_parts::<Blocks<Sha256>>(&[left, right])
    }

    /// Computes the root level by level, like the definitions.
    fn plain(mut level: Vec<Digest>) -> Digest {
        while level.len() > 1 {
            let pair = |pair: &[Digest]| match pair {
                [left, right] => join(left.as_bytes(), right.as_bytes()),
                _ => pair[0],
            };
            level = level.chunks(2).map(pair).collect();
        }
        level[0]
    }

    #[test]
    fn a_tree_is_what_its_levels_make() {
        for count in 1..70_u8 {
            let leaves: Vec<Digest> = (0..count).map(|leaf| Digest::new(&[leaf; 32])).collect();
            let root = |filling, height| {
                let mut tree = Pairs::new(join, filling);
                leaves.iter().for_each(|leaf| tree.push(leaf.as_bytes()));
                tree.root(height)
            };
            assert_eq!(root(None, 0), Some(plain(leaves.clone())), "{count}");
            let zeros = Some(Digest::new(&[0; 32]));
            let mut filled = leaves.clone();
            filled.resize(leaves.len().next_power_of_two(), Digest::new(&[0; 32]));
            assert_eq!(root(zeros, 0), Some(plain(filled)), "{count}");
            let mut filled = leaves.clone();
            filled.resize(128, Digest::new(&[0; 32]));
            assert_eq!(root(zeros, 7), Some(plain(filled)), "{count}");
        }
    }
}
