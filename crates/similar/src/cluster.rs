//! Clusters of members that are linked by pairs, directly or through others.

/// Members joined pair by pair (union-find with path halving and union by size).
#[derive(Debug, Clone)]
pub struct Clusters {
    parent: Vec<usize>,
    size: Vec<usize>,
}

impl Clusters {
    /// Creates clusters of one member each.
    pub fn new(members: usize) -> Self {
        Clusters { parent: (0..members).collect(), size: vec![1; members] }
    }

    /// Joins the clusters of two members.
    ///
    /// # Panics
    /// If a member is out of range.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let (small, large) = if self.size[a] < self.size[b] { (a, b) } else { (b, a) };
        self.parent[small] = large;
        self.size[large] += self.size[small];
    }

    fn root(&mut self, mut member: usize) -> usize {
        while self.parent[member] != member {
            self.parent[member] = self.parent[self.parent[member]];
            member = self.parent[member];
        }
        member
    }

    /// Returns the clusters with at least two members, each sorted, in the order of their first members.
    pub fn groups(mut self) -> Vec<Vec<usize>> {
        let (mut groups, mut group_of): (Vec<Vec<usize>>, _) = (Vec::new(), vec![None; self.parent.len()]);
        for member in 0..self.parent.len() {
            let root = self.root(member);
            if self.size[root] > 1 {
                let group = *group_of[root].get_or_insert(groups.len());
                if group == groups.len() {
                    groups.push(Vec::new());
                }
                groups[group].push(member);
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_reach_through_others() {
        let mut clusters = Clusters::new(7);
        for (a, b) in [(5, 1), (2, 6), (1, 3), (5, 3)] {
            clusters.join(a, b);
        }
        assert_eq!(clusters.groups(), [vec![1, 3, 5], vec![2, 6]]);
    }
}
