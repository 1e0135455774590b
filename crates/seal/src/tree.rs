//! The Merkle tree of RFC 6962, grown leaf by leaf in memory that its height bounds.
//!
//! Only the roots of whole subtrees are kept, one for each bit of the number of leaves. For leaves that are
//! tracked, siblings are noted as they come up: that is their inclusion proof.

use hashloom_digest::{Algorithm, Bank, Digest, Part};

/// Messages one behind the other, to be hashed side by side.
#[derive(Debug, Default)]
pub struct Messages {
    /// Their bytes.
    pub bytes: Vec<u8>,
    /// Where each ends.
    pub ends: Vec<usize>,
}

/// Hashes many short messages at once.
pub struct Hasher {
    algorithm: &'static Algorithm,
    many: Box<dyn Bank>,
}

/// A leaf whose proof is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    /// Its number, from 0.
    pub index: u64,
    /// The hashes beside its way up to the root.
    pub siblings: Vec<Digest>,
}

/// The root of a whole subtree.
#[derive(Debug, Clone, Copy)]
struct Peak {
    /// Its first leaf.
    start: u64,
    height: u32,
    digest: Digest,
}

/// A tree that grows.
pub struct Tree {
    hasher: Hasher,
    peaks: Vec<Peak>,
    count: u64,
    /// In the order of their numbers.
    tracked: Vec<Tracked>,
}

impl Messages {
    /// The end of a message is here.
    pub fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.bytes[start..*end])
    }
}

impl Hasher {
    /// A hasher by this algorithm.
    pub fn new(algorithm: &'static Algorithm) -> Hasher {
        Hasher { algorithm, many: (algorithm.bank)() }
    }

    /// The digest of each message.
    pub fn hash(&mut self, messages: &Messages) -> Vec<Digest> {
        let many = &mut self.many;
        let parts: Vec<Part<'_>> =
            messages.iter().map(|bytes| Part { slot: many.open(), bytes, last: true }).collect();
        many.update(&parts);
        parts.iter().map(|part| many.close(part.slot)).collect()
    }

    /// The digest of one message.
    pub fn one(&self, message: &[u8]) -> Digest {
        hashloom_digest::hash(self.algorithm, message)
    }

    /// Whether the hash has the length of this algorithm's.
    pub fn gives(&self, hash: &Digest) -> bool {
        hash.as_bytes().len() * 8 == self.algorithm.bits as usize
    }

    /// The hash of a node.
    pub fn node(&self, left: &Digest, right: &Digest) -> Digest {
        self.one(&[&[1], left.as_bytes(), right.as_bytes()].concat())
    }

    /// The hashes of the nodes above these, which are paired: one less for each two.
    fn above(&mut self, level: &[Digest]) -> Vec<Digest> {
        let mut messages = Messages::default();
        for pair in level.chunks_exact(2) {
            messages.bytes.push(1);
            pair.iter().for_each(|digest| messages.bytes.extend_from_slice(digest.as_bytes()));
            messages.end();
        }
        self.hash(&messages)
    }
}

impl Tree {
    /// A tree without leaves.
    pub fn new(algorithm: &'static Algorithm) -> Tree {
        Tree { hasher: Hasher::new(algorithm), peaks: Vec::new(), count: 0, tracked: Vec::new() }
    }

    /// The number of leaves.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds leaves by their messages; those at the `wanted` places among them, which ascend, are tracked. Says
    /// their hashes, and takes the messages.
    pub fn add(&mut self, messages: &mut Messages, wanted: &[usize]) -> Vec<Digest> {
        let leaves = self.hasher.hash(messages);
        messages.clear();
        self.add_hashes(&leaves, wanted);
        leaves
    }

    /// Adds leaves by their hashes; likewise.
    pub fn add_hashes(&mut self, mut leaves: &[Digest], wanted: &[usize]) {
        let first = self.count;
        let track = |at: &usize| Tracked { index: first + *at as u64, siblings: Vec::new() };
        self.tracked.extend(wanted.iter().map(track));
        while !leaves.is_empty() {
            // The longest run that makes one whole subtree here.
            let fits = 1 << leaves.len().ilog2();
            let aligned = 1_u64.checked_shl(self.count.trailing_zeros()).unwrap_or(u64::MAX);
            let length = aligned.min(fits) as usize;
            let (run, rest) = leaves.split_at(length);
            self.subtree(run);
            leaves = rest;
        }
    }

    /// The root, and the proofs of the tracked leaves. The root of no leaves is the hash of nothing.
    pub fn finish(mut self) -> (Digest, Vec<Tracked>) {
        let Some(mut right) = self.peaks.pop() else { return (self.hasher.one(b""), self.tracked) };
        while let Some(left) = self.peaks.pop() {
            right = self.join(left, right, self.count);
        }
        (right.digest, self.tracked)
    }

    /// Adds the leaves of one whole subtree.
    fn subtree(&mut self, leaves: &[Digest]) {
        let start = self.count;
        let first = self.tracked.partition_point(|tracked| tracked.index < start);
        let mut level = leaves.to_vec();
        let mut height = 0;
        while level.len() > 1 {
            for tracked in &mut self.tracked[first..] {
                let at = (tracked.index - start) >> height;
                // Tracked leaves of later runs are in the list already.
                if let Some(sibling) = usize::try_from(at ^ 1).ok().and_then(|at| level.get(at)) {
                    tracked.siblings.push(*sibling);
                }
            }
            level = self.hasher.above(&level);
            height += 1;
        }
        self.count += leaves.len() as u64;
        self.push(Peak { start, height, digest: level[0] });
    }

    fn push(&mut self, mut peak: Peak) {
        while let Some(left) = self.peaks.pop_if(|left| left.height == peak.height) {
            peak = self.join(left, peak, self.count);
        }
        self.peaks.push(peak);
    }

    /// The node above two adjacent ones, of which the right one ends before leaf `end`.
    fn join(&mut self, left: Peak, right: Peak, end: u64) -> Peak {
        let place = |index: u64| self.tracked.partition_point(|tracked| tracked.index < index);
        let (from, middle, to) = (place(left.start), place(right.start), place(end));
        self.tracked[from..middle].iter_mut().for_each(|tracked| tracked.siblings.push(right.digest));
        self.tracked[middle..to].iter_mut().for_each(|tracked| tracked.siblings.push(left.digest));
        let digest = self.hasher.node(&left.digest, &right.digest);
        Peak { start: left.start, height: left.height.max(right.height) + 1, digest }
    }
}

/// The root that a leaf's hash and its siblings lead to in a tree of so many leaves; none if these can't be the
/// siblings of that leaf (RFC 9162, 2.1.3.2).
pub fn climb(
    hasher: &Hasher,
    leaf: Digest,
    (index, count): (u64, u64),
    siblings: &[Digest],
) -> Option<Digest> {
    let mut last = count.checked_sub(1)?;
    let mut at = (index <= last).then_some(index)?;
    let mut hash = leaf;
    for sibling in siblings {
        if last == 0 || !hasher.gives(sibling) {
            return None;
        }
        if at % 2 == 1 || at == last {
            hash = hasher.node(sibling, &hash);
            while at.is_multiple_of(2) && at != 0 {
                (at, last) = (at / 2, last / 2);
            }
        } else {
            hash = hasher.node(&hash, sibling);
        }
        (at, last) = (at / 2, last / 2);
    }
    (last == 0).then_some(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The leaves of the tests of Certificate Transparency, and the roots of the first so many.
    const LEAVES: [&[u8]; 8] = [
        b"",
        b"\x00",
        b"\x10",
        b"\x20\x21",
        b"\x30\x31",
        b"\x40\x41\x42\x43",
        b"\x50\x51\x52\x53\x54\x55\x56\x57",
        b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
    ];
    const ROOTS: [&str; 9] = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];

    fn sha256() -> &'static Algorithm {
        hashloom_digest::find("sha256").unwrap()
    }

    fn messages(leaves: &[&[u8]]) -> Messages {
        let mut messages = Messages::default();
        for leaf in leaves {
            messages.bytes.push(0);
            messages.bytes.extend_from_slice(leaf);
            messages.end();
        }
        messages
    }

    #[test]
    fn roots_are_those_of_certificate_transparency() {
        for (count, root) in ROOTS.iter().enumerate() {
            for cut in 0..=count {
                let mut tree = Tree::new(sha256());
                tree.add(&mut messages(&LEAVES[..cut]), &[]);
                tree.add(&mut messages(&LEAVES[cut..count]), &[]);
                assert_eq!(tree.finish().0.to_string(), *root, "{count} leaves, cut at {cut}");
            }
        }
    }

    /// RFC 6962, 2.1, word for word.
    fn plain(hasher: &Hasher, leaves: &[Digest]) -> Digest {
        match leaves {
            [] => hasher.one(b""),
            [leaf] => *leaf,
            _ => {
                let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
                hasher.node(&plain(hasher, left), &plain(hasher, right))
            }
        }
    }

    #[test]
    fn any_number_of_leaves_in_any_parts_gives_the_plain_root_and_proofs_that_lead_to_it() {
        let hasher = Hasher::new(sha256());
        let leaves: Vec<Digest> = (0..70_u32).map(|number| hasher.one(&number.to_be_bytes())).collect();
        for count in 1..leaves.len() {
            for part in [1, 3, 16, 70] {
                let mut tree = Tree::new(sha256());
                for part in leaves[..count].chunks(part) {
                    tree.add_hashes(part, &(0..part.len()).collect::<Vec<_>>());
                }
                let (root, proofs) = tree.finish();
                assert_eq!(root, plain(&hasher, &leaves[..count]));
                assert_eq!(proofs.len(), count);
                for (index, proof) in proofs.iter().enumerate() {
                    let place = (index as u64, count as u64);
                    assert_eq!(proof.index, index as u64);
                    assert_eq!(climb(&hasher, leaves[index], place, &proof.siblings), Some(root));
                    let other = leaves[(index + 1) % leaves.len()];
                    assert_ne!(climb(&hasher, other, place, &proof.siblings), Some(root));
                    let longer = [&proof.siblings[..], &[root]].concat();
                    assert_eq!(climb(&hasher, leaves[index], place, &longer), None);
                    let shorter = proof.siblings.split_last().map(|(_, rest)| rest);
                    let short = shorter.and_then(|rest| climb(&hasher, leaves[index], place, rest));
                    assert_eq!(short, None);
                    assert_eq!(climb(&hasher, leaves[index], (count as u64, count as u64), &[]), None);
                }
            }
        }
    }
}
