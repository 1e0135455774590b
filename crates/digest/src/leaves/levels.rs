//! Trees with many children: up to a number of digests make one digest of the next level, until one is left.

/// A node of a tree in progress.
pub(crate) trait Group: Clone + Default + Send + 'static {
    /// A leaf or a node.
    type Item: Clone + Send;
    /// The maximum number of children of a node.
    const CHILDREN: usize;

    /// Takes the next child, with its index among its siblings.
    fn take(&mut self, place: usize, child: &Self::Item);

    /// Returns the node of the children taken, of which there is at least one.
    fn node(self) -> Self::Item;
}

/// The levels of a tree, starting with the leaves. Each keeps one unfinished node.
#[derive(Clone)]
pub(crate) struct Levels<G: Group>(Vec<Level<G>>);

#[derive(Clone)]
struct Level<G: Group> {
    /// The first item on this level: the root, if no other follows.
    first: G::Item,
    count: u64,
    group: G,
    /// The number of children in the group.
    filled: usize,
}

impl<G: Group> Levels<G> {
    pub(crate) fn new() -> Self {
        Levels(Vec::new())
    }

    pub(crate) fn push(&mut self, leaf: &G::Item) {
        self.push_at(0, leaf);
    }

    fn push_at(&mut self, height: usize, item: &G::Item) {
        if height == self.0.len() {
            self.0.push(Level { first: item.clone(), count: 0, group: G::default(), filled: 0 });
        }
        let level = &mut self.0[height];
        level.group.take(level.filled, item);
        level.count += 1;
        level.filled += 1;
        if level.filled == G::CHILDREN {
            level.filled = 0;
            let node = std::mem::take(&mut level.group).node();
            self.push_at(height + 1, &node);
        }
    }

    /// Returns the root, the first single item of a level. `None` without leaves.
    pub(crate) fn root(&mut self) -> Option<G::Item> {
        let mut height = 0;
        loop {
            let level = self.0.get_mut(height)?;
            if level.count == 1 {
                return Some(level.first.clone());
            }
            if level.filled > 0 {
                level.filled = 0;
                let node = std::mem::take(&mut level.group).node();
                self.push_at(height + 1, &node);
            }
            height += 1;
        }
    }
}
