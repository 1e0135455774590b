//! Trees with many children: so many digests make the one above them, level by level, until one is left.

/// What a node is made of and how.
pub(crate) trait Group: Clone + Default + Send + 'static {
    /// What stands for a leaf or a node.
    type Item: Clone + Send;
    /// The most children of a node.
    const CHILDREN: usize;

    /// Takes the next child, with its place among its siblings.
    fn take(&mut self, place: usize, child: &Self::Item);

    /// The node of the children taken, of which there is at least one.
    fn node(self) -> Self::Item;
}

/// The levels of a tree, the leaves' first. Each keeps one unfinished node.
#[derive(Clone)]
pub(crate) struct Levels<G: Group>(Vec<Level<G>>);

#[derive(Clone)]
struct Level<G: Group> {
    /// The first item on this level: the root, if no other comes.
    first: G::Item,
    count: u64,
    group: G,
    /// Children in the group.
    filled: usize,
}

impl<G: Group> Levels<G> {
    pub(crate) fn new() -> Self {
        Levels(Vec::new())
    }

    /// Takes the next leaf.
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

    /// The root: the first level with one item alone has it. None without leaves.
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
