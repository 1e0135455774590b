//! The Merkle tree of RFC 6962, built leaf by leaf in memory proportional to its height.
//!
//! Only the roots of whole subtrees are kept, one for each bit of the number of leaves. For tracked leaves, siblings
//! are noted as they are computed, which gives their inclusion proofs. The same is done for the tree at an earlier
//! size: the siblings of its last whole subtree are the consistency proof.

use hashmill_digest::{Algorithm, Bank, Digest, StreamPart};

/// Concatenated messages, to be hashed in parallel.
#[derive(Debug, Default)]
pub struct Messages {
    /// The bytes of all messages.
    pub bytes: Vec<u8>,
    /// The end of each message.
    pub ends: Vec<usize>,
}

/// Hashes many short messages at once.
pub struct Hasher {
    algorithm: &'static Algorithm,
    many: Box<dyn Bank>,
}

/// A leaf with a requested proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    /// The number of the leaf, from 0.
    pub index: u64,
    /// The siblings on its path to the root.
    pub siblings: Vec<Digest>,
}

/// An earlier state of the tree with fewer leaves, and the proof that the tree extends it (RFC 9162, 2.1.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierTree {
    /// The number of leaves.
    pub count: u64,
    /// The root.
    pub root: Digest,
    /// The consistency proof.
    pub siblings: Vec<Digest>,
    /// The first leaf of the last whole subtree.
    start: u64,
}

/// The result of a complete tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedTree {
    /// The root; that of an empty tree is the hash of no bytes.
    pub root: Digest,
    /// The proofs of the tracked leaves.
    pub tracked: Vec<Tracked>,
    /// The requested earlier tree, if this one has at least as many leaves.
    pub earlier: Option<EarlierTree>,
}

/// The root of a whole subtree.
#[derive(Debug, Clone, Copy)]
struct Peak {
    /// The first leaf of the subtree.
    start: u64,
    height: u32,
    digest: Digest,
}

/// A tree that grows.
pub struct MerkleTree {
    hasher: Hasher,
    peaks: Vec<Peak>,
    count: u64,
    /// The tracked leaves in the order of their numbers.
    tracked: Vec<Tracked>,
    /// The size of the requested earlier tree.
    asked: Option<u64>,
    earlier: Option<EarlierTree>,
}

impl Messages {
    /// Ends the current message.
    pub fn end(&mut self) {
        self.ends.push(self.bytes.len());
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no messages.
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
    /// Creates a hasher by this algorithm.
    pub fn new(algorithm: &'static Algorithm) -> Hasher {
        Hasher { algorithm, many: (algorithm.bank)() }
    }

    /// Returns the digest of each message.
    pub fn hash(&mut self, messages: &Messages) -> Vec<Digest> {
        let many = &mut self.many;
        let parts: Vec<StreamPart<'_>> =
            messages.iter().map(|bytes| StreamPart { slot: many.open(), bytes, last: true }).collect();
        many.update(&parts);
        parts.iter().map(|part| many.close(part.slot)).collect()
    }

    /// Returns the digest of one message.
    pub fn one(&self, message: &[u8]) -> Digest {
        hashmill_digest::hash(self.algorithm, message)
    }

    /// Returns whether a hash has the length of the algorithm's digests.
    pub fn has_length(&self, hash: &Digest) -> bool {
        hash.as_bytes().len() * 8 == self.algorithm.bits as usize
    }

    /// Returns the hash of a node.
    pub fn node(&self, left: &Digest, right: &Digest) -> Digest {
        self.one(&[&[1], left.as_bytes(), right.as_bytes()].concat())
    }

    /// Returns the hashes of the nodes above these, which are paired.
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

impl MerkleTree {
    /// Creates an empty tree.
    pub fn new(algorithm: &'static Algorithm) -> MerkleTree {
        let hasher = Hasher::new(algorithm);
        MerkleTree { hasher, peaks: Vec::new(), count: 0, tracked: Vec::new(), asked: None, earlier: None }
    }

    /// Like [`MerkleTree::new`], but also remembers the state with `earlier` leaves, if given.
    pub fn since(algorithm: &'static Algorithm, earlier: Option<u64>) -> MerkleTree {
        let mut tree = MerkleTree { asked: earlier, ..MerkleTree::new(algorithm) };
        tree.remember();
        tree
    }

    /// Returns the number of leaves.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds leaves by their messages, which it clears; tracks those at the ascending indices `wanted`. Returns the
    /// hashes.
    pub fn add(&mut self, messages: &mut Messages, wanted: &[usize]) -> Vec<Digest> {
        let leaves = self.hasher.hash(messages);
        messages.clear();
        self.add_hashes(&leaves, wanted);
        leaves
    }

    /// Like [`MerkleTree::add`], for leaves with known hashes.
    pub fn add_hashes(&mut self, leaves: &[Digest], wanted: &[usize]) {
        let first = self.count;
        let track = |at: &usize| Tracked { index: first + *at as u64, siblings: Vec::new() };
        self.tracked.extend(wanted.iter().map(track));
        let (before, behind) = leaves.split_at(self.until_asked(leaves.len()));
        self.grow(before);
        self.remember();
        self.grow(behind);
    }

    /// Returns how many of the next leaves belong to the earlier tree.
    fn until_asked(&self, leaves: usize) -> usize {
        let until = self.asked.map_or(0, |asked| asked.saturating_sub(self.count));
        usize::try_from(until).unwrap_or(usize::MAX).min(leaves)
    }

    /// Remembers the current state, if it is the requested one.
    fn remember(&mut self) {
        if self.asked != Some(self.count) || self.earlier.is_some() {
            return;
        }
        let root = self.root();
        let last = self.peaks.last();
        // A verifier already knows the hash of a whole tree, which is its root.
        let siblings = last.filter(|_| self.peaks.len() > 1).map(|peak| peak.digest).into_iter().collect();
        let start = last.map_or(0, |peak| peak.start);
        self.earlier = Some(EarlierTree { count: self.count, root, siblings, start });
    }

    /// Returns the root of the current state.
    fn root(&self) -> Digest {
        let mut peaks = self.peaks.iter().rev().map(|peak| peak.digest);
        match peaks.next() {
            Some(last) => peaks.fold(last, |right, left| self.hasher.node(&left, &right)),
            None => self.hasher.one(b""),
        }
    }

    fn grow(&mut self, mut leaves: &[Digest]) {
        while !leaves.is_empty() {
            // The longest run that makes one whole subtree at this position.
            let fits = 1 << leaves.len().ilog2();
            let aligned = 1_u64.checked_shl(self.count.trailing_zeros()).unwrap_or(u64::MAX);
            let length = aligned.min(fits) as usize;
            let (run, rest) = leaves.split_at(length);
            self.subtree(run);
            leaves = rest;
        }
    }

    /// Returns the root and the requested proofs.
    pub fn finish(mut self) -> FinishedTree {
        let root = match self.peaks.pop() {
            None => self.hasher.one(b""),
            Some(mut right) => {
                while let Some(left) = self.peaks.pop() {
                    right = self.join(left, right, self.count);
                }
                right.digest
            }
        };
        if let Some(earlier) = self.earlier.as_mut().filter(|earlier| earlier.count == self.count) {
            // The same tree needs no proof.
            earlier.siblings.clear();
        }
        FinishedTree { root, tracked: self.tracked, earlier: self.earlier }
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
                // Tracked leaves of later runs are already in the list.
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

    /// Joins two adjacent nodes to the node above; the right one ends before leaf `end`.
    fn join(&mut self, left: Peak, right: Peak, end: u64) -> Peak {
        let place = |index: u64| self.tracked.partition_point(|tracked| tracked.index < index);
        let (from, middle, to) = (place(left.start), place(right.start), place(end));
        self.tracked[from..middle].iter_mut().for_each(|tracked| tracked.siblings.push(right.digest));
        self.tracked[middle..to].iter_mut().for_each(|tracked| tracked.siblings.push(left.digest));
        // An empty tree is the beginning of any other and needs no proof.
        if let Some(earlier) = self.earlier.as_mut().filter(|earlier| earlier.count > 0) {
            if (left.start..right.start).contains(&earlier.start) {
                earlier.siblings.push(right.digest);
            } else if (right.start..end).contains(&earlier.start) {
                earlier.siblings.push(left.digest);
            }
        }
        let digest = self.hasher.node(&left.digest, &right.digest);
        Peak { start: left.start, height: left.height.max(right.height) + 1, digest }
    }
}

/// The head of a tree: what stands for all its leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeHead {
    /// The number of leaves.
    pub count: u64,
    /// The digest at the top.
    pub root: Digest,
}

/// Computes the root from a leaf's hash and its siblings in a tree of `count` leaves; returns `None` if the number of
/// siblings is wrong (RFC 9162, 2.1.3.2).
pub fn root_of_inclusion(
    hasher: &Hasher,
    leaf: Digest,
    index: u64,
    count: u64,
    siblings: &[Digest],
) -> Option<Digest> {
    let mut last = count.checked_sub(1)?;
    let mut at = (index <= last).then_some(index)?;
    let mut hash = leaf;
    for sibling in siblings {
        if last == 0 || !hasher.has_length(sibling) {
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

/// Returns whether a consistency proof is valid for the heads of a tree and of one that extends it (RFC 9162, 2.1.4.2).
pub fn is_extension(hasher: &Hasher, old: TreeHead, new: TreeHead, siblings: &[Digest]) -> bool {
    let TreeHead { count: first, root: old_root } = old;
    let TreeHead { count, root: new_root } = new;
    if first == 0 || first >= count {
        let same = if first == 0 { old_root == hasher.one(b"") } else { old_root == new_root };
        return same && first <= count && siblings.is_empty() && (count > 0 || old_root == new_root);
    }
    let split = || siblings.split_first().map(|(start, rest)| (*start, rest));
    let known = first.is_power_of_two().then_some((old_root, siblings));
    let Some((start, siblings)) = known.or_else(split) else { return false };
    let whole = (first - 1).trailing_ones();
    let (mut at, mut last) = ((first - 1) >> whole, (count - 1) >> whole);
    let (mut old, mut new) = (start, start);
    for sibling in siblings {
        if last == 0 {
            return false;
        }
        if at % 2 == 1 || at == last {
            (old, new) = (hasher.node(sibling, &old), hasher.node(sibling, &new));
            while at.is_multiple_of(2) && at != 0 {
                (at, last) = (at / 2, last / 2);
            }
        } else {
            new = hasher.node(&new, sibling);
        }
        (at, last) = (at / 2, last / 2);
    }
    let fits = hasher.has_length(&start) && siblings.iter().all(|sibling| hasher.has_length(sibling));
    last == 0 && fits && old == old_root && new == new_root
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The leaves in the tests of Certificate Transparency, and the root of each prefix.
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

    /// Inclusion proofs in the same tests: the leaf's number, the tree's size, siblings.
    const INCLUDED: [(u64, u64, &[&str]); 5] = [
        (0, 1, &[]),
        (
            0,
            8,
            &[
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
        ),
        (
            5,
            8,
            &[
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        (2, 3, &["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
        (
            1,
            5,
            &[
                "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ],
        ),
    ];
    /// Consistency proofs in the same tests: both sizes, the proof.
    const GREW: [(u64, u64, &[&str]); 4] = [
        (1, 1, &[]),
        (
            1,
            8,
            &[
                "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
            ],
        ),
        (
            6,
            8,
            &[
                "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            ],
        ),
        (
            2,
            5,
            &[
                "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            ],
        ),
    ];

    fn sha256() -> &'static Algorithm {
        hashmill_digest::find("sha256").unwrap()
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
                let mut tree = MerkleTree::new(sha256());
                tree.add(&mut messages(&LEAVES[..cut]), &[]);
                tree.add(&mut messages(&LEAVES[cut..count]), &[]);
                assert_eq!(tree.finish().root.to_string(), *root, "{count} leaves, cut at {cut}");
            }
        }
    }

    fn hashes(texts: &[&str]) -> Vec<Digest> {
        texts.iter().map(|text| Digest::from_hex(text.as_bytes()).unwrap()).collect()
    }

    #[test]
    fn proofs_are_those_of_certificate_transparency() {
        let hasher = Hasher::new(sha256());
        let root = |count: u64| hashes(&[ROOTS[count as usize]])[0];
        let head = |count: u64| TreeHead { count, root: root(count) };
        for (index, count, siblings) in INCLUDED {
            let mut tree = MerkleTree::new(sha256());
            let leaves = tree.add(&mut messages(&LEAVES[..count as usize]), &[index as usize]);
            let finished = tree.finish();
            assert_eq!(finished.tracked[0].siblings, hashes(siblings));
            assert_eq!(
                root_of_inclusion(&hasher, leaves[index as usize], index, count, &hashes(siblings)),
                Some(root(count))
            );
        }
        for (first, count, siblings) in GREW {
            let mut tree = MerkleTree::since(sha256(), Some(first));
            tree.add(&mut messages(&LEAVES[..count as usize]), &[]);
            let earlier = tree.finish().earlier.unwrap();
            assert_eq!((earlier.root, earlier.siblings), (root(first), hashes(siblings)));
            assert!(is_extension(&hasher, head(first), head(count), &hashes(siblings)));
        }
    }

    /// The definition of RFC 6962, 2.1.2.
    fn plain_growth(hasher: &Hasher, first: usize, leaves: &[Digest], known: bool) -> Vec<Digest> {
        if first == leaves.len() {
            return if known { Vec::new() } else { vec![plain(hasher, leaves)] };
        }
        let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
        if first <= left.len() {
            [plain_growth(hasher, first, left, known), vec![plain(hasher, right)]].concat()
        } else {
            [plain_growth(hasher, first - left.len(), right, false), vec![plain(hasher, left)]].concat()
        }
    }

    #[test]
    fn any_tree_is_proven_to_begin_with_any_smaller_one_and_with_no_other() {
        let hasher = Hasher::new(sha256());
        let leaves: Vec<Digest> = (0..40_u32).map(|number| hasher.one(&number.to_be_bytes())).collect();
        let root = |count: usize| plain(&hasher, &leaves[..count]);
        for count in 0..leaves.len() {
            for (first, part) in (0..=count).flat_map(|first| [(first, 1), (first, 7), (first, 40)]) {
                let mut tree = MerkleTree::since(sha256(), Some(first as u64));
                leaves[..count].chunks(part).for_each(|part| tree.add_hashes(part, &[]));
                let finished = tree.finish();
                let earlier = finished.earlier.unwrap();
                assert_eq!((finished.root, earlier.root), (root(count), root(first)));
                if first > 0 {
                    assert_eq!(earlier.siblings, plain_growth(&hasher, first, &leaves[..count], true));
                }
                let proof = |old, new, siblings: &[Digest]| is_extension(&hasher, old, new, siblings);
                let head = |count: usize| TreeHead { count: count as u64, root: root(count) };
                let (old, new) = (head(first), head(count));
                assert!(proof(old, new, &earlier.siblings), "{first} of {count}");
                assert!(!proof(TreeHead { root: leaves[39], ..old }, new, &earlier.siblings));
                assert!(!proof(old, new, &[&earlier.siblings[..], &[leaves[0]]].concat()));
                assert!(!proof(TreeHead { count: old.count + 1, ..old }, new, &earlier.siblings));
                assert!(first == 0 || !proof(old, TreeHead { root: leaves[39], ..new }, &earlier.siblings));
                if let Some((_, fewer)) = earlier.siblings.split_last() {
                    assert!(!proof(old, new, fewer) && !proof(new, old, &earlier.siblings));
                }
            }
            let mut short = MerkleTree::since(sha256(), Some(count as u64 + 1));
            short.add_hashes(&leaves[..count], &[]);
            assert_eq!(short.finish().earlier, None);
        }
    }

    /// The definition of RFC 6962, 2.1.
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
                let mut tree = MerkleTree::new(sha256());
                for part in leaves[..count].chunks(part) {
                    tree.add_hashes(part, &(0..part.len()).collect::<Vec<_>>());
                }
                let FinishedTree { root, tracked: proofs, .. } = tree.finish();
                assert_eq!(root, plain(&hasher, &leaves[..count]));
                assert_eq!(proofs.len(), count);
                for (index, proof) in proofs.iter().enumerate() {
                    assert_eq!(proof.index, index as u64);
                    let root_of = |leaf: Digest, siblings: &[Digest]| {
                        root_of_inclusion(&hasher, leaf, index as u64, count as u64, siblings)
                    };
                    assert_eq!(root_of(leaves[index], &proof.siblings), Some(root));
                    let other = leaves[(index + 1) % leaves.len()];
                    assert_ne!(root_of(other, &proof.siblings), Some(root));
                    let longer = [&proof.siblings[..], &[root]].concat();
                    assert_eq!(root_of(leaves[index], &longer), None);
                    let shorter = proof.siblings.split_last().map(|(_, rest)| rest);
                    let short = shorter.and_then(|rest| root_of(leaves[index], rest));
                    assert_eq!(short, None);
                    assert_eq!(
                        root_of_inclusion(&hasher, leaves[index], count as u64, count as u64, &[]),
                        None
                    );
                }
            }
        }
    }
}
