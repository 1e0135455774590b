//! Hard links in an archive whose members come one after the other. A link is another name of the member that its target was when a
//! program unpacks the link: of several with that path, the last one before it.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};

/// The most links that are kept.
const LINKS: usize = 1 << 20;

/// The most paths whose hashes are kept.
const HASHES: usize = 1 << 20;

/// The hard links of an archive, and which members they are other names of.
#[derive(Default)]
pub(super) struct Links {
    /// The links by their targets.
    by_target: BTreeMap<Vec<u8>, Vec<Link>>,
    /// The number of links that were added.
    count: usize,
    /// The number of members that were met.
    met: u64,
    /// Hashes of the paths of members that links may be other names of.
    hashes: Vec<u64>,
    hasher: RandomState,
}

/// A hard link.
struct Link {
    path: Vec<u8>,
    /// The place among the members, from 1.
    place: u64,
    /// The place of the member that it is another name of, if several have its path.
    of: Option<u64>,
}

impl Links {
    /// Counts a member of the archive.
    pub(super) fn meet(&mut self) {
        self.met += 1;
    }

    /// Notes that the member that was met last may be the target of links.
    pub(super) fn may_be_target(&mut self, path: &[u8]) {
        // One more than are kept says that there are more.
        if self.hashes.len() <= HASHES {
            self.hashes.push(self.hasher.hash_one(path));
        }
    }

    /// Notes that the member that was met last is a link. Returns false if there are too many.
    pub(super) fn add(&mut self, target: Vec<u8>, path: Vec<u8>) -> bool {
        let has_room = self.count < LINKS;
        if has_room {
            self.count += 1;
            self.by_target.entry(target).or_default().push(Link { path, place: self.met, of: None });
        }
        has_room
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_target.is_empty()
    }

    /// Makes links to links those of the member at the end of the chain.
    pub(super) fn settle(&mut self) {
        /// Longer chains don't end, or were made to take time.
        const STEPS: usize = 40;
        let all = || self.by_target.iter().flat_map(|(to, links)| links.iter().map(move |link| (to, link)));
        let direct: HashMap<Vec<u8>, (Vec<u8>, u64)> =
            all().map(|(to, link)| (link.path.clone(), (to.clone(), link.place))).collect();
        for (mut to, links) in std::mem::take(&mut self.by_target) {
            let mut earlier = None;
            for _ in 0..STEPS {
                let Some((next, place)) = direct.get(&to) else { break };
                (to, earlier) = (next.clone(), Some(*place));
            }
            // It is what the other link was.
            let links = links.into_iter().map(|link| Link { place: earlier.unwrap_or(link.place), ..link });
            self.by_target.entry(to).or_default().extend(links);
        }
    }

    /// Returns whether several members may have the path of a target, so that it matters which one a link is another name of.
    pub(super) fn are_ambiguous(&mut self) -> bool {
        self.hashes.sort_unstable();
        let twice = |target: &Vec<u8>| {
            let hash = self.hasher.hash_one(target.as_slice());
            let first = self.hashes.partition_point(|other| *other < hash);
            self.hashes.get(first + 1) == Some(&hash)
        };
        self.hashes.len() > HASHES || self.by_target.keys().any(twice)
    }

    /// Finds out of which member at this place each link is another name: members are given in their order.
    pub(super) fn find(&mut self, place: u64, path: &[u8]) {
        for link in self.by_target.get_mut(path).into_iter().flatten() {
            if place < link.place || link.of.is_none() {
                link.of = Some(place);
            }
        }
    }

    /// Takes the paths of the links that are other names of a member.
    pub(super) fn take(&mut self, place: u64, path: &[u8]) -> Vec<Vec<u8>> {
        let Some(links) = self.by_target.get_mut(path) else { return Vec::new() };
        let taken = links.extract_if(.., |link| link.of.is_none_or(|of| of == place));
        let taken = taken.map(|link| link.path).collect();
        if links.is_empty() {
            self.by_target.remove(path);
        }
        taken
    }

    /// Takes the links whose targets are not in the archive, by these.
    pub(super) fn take_rest(&mut self) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> + use<> {
        let rest = std::mem::take(&mut self.by_target).into_iter();
        rest.flat_map(|(to, links)| links.into_iter().map(move |link| (to.clone(), link.path)))
    }
}
