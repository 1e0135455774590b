//! Hard links in an archive whose members come one after the other. A link is another name of what its target is when a program
//! unpacks the link: of several members with that path, the last one before it.

use super::overlaps::plain;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// The most links that are kept.
const LINKS: usize = 1 << 20;

/// The most paths that are followed in the first pass. Of longer archives, a further pass follows the targets of links alone.
const PATHS: usize = 1 << 18;

/// The hard links of an archive, and which members they are other names of.
#[derive(Default)]
pub(super) struct Links {
    /// The place among the members, from 1, of the content that each path has so far, by the hash of the path.
    now: HashMap<u64, u64>,
    /// The paths to follow, if not all are.
    only: Option<HashSet<u64>>,
    /// The targets of links.
    targets: HashSet<u64>,
    /// The links by the places of the members that they are other names of.
    found: BTreeMap<u64, Vec<Vec<u8>>>,
    /// The links whose targets are not before them, with these.
    lost: Vec<(Vec<u8>, Vec<u8>)>,
    count: usize,
    /// Whether there were more paths than were followed.
    is_partial: bool,
    hasher: RandomState,
}

impl Links {
    /// Notes a member at this place that links may be other names of.
    pub(super) fn member(&mut self, place: u64, path: &[u8]) {
        let path = self.hash(path);
        self.has(path, place);
    }

    /// Notes a link. Returns false if there are too many.
    pub(super) fn link(&mut self, target: Vec<u8>, path: Vec<u8>) -> bool {
        if self.count == LINKS {
            return false;
        }
        self.count += 1;
        let (to, name) = (self.hash(&target), self.hash(&path));
        self.targets.insert(to);
        match self.now.get(&to).copied() {
            Some(place) => {
                self.has(name, place);
                self.found.entry(place).or_default().push(path);
            }
            None => self.lost.push((target, path)),
        }
        true
    }

    /// Returns whether a further pass has to find the targets, and begins it.
    pub(super) fn again(&mut self) -> bool {
        let is_needed = self.is_partial && self.count > 0;
        if is_needed {
            let only = Some(std::mem::take(&mut self.targets));
            *self = Links { only, hasher: self.hasher.clone(), ..Links::default() };
        }
        is_needed
    }

    /// Returns whether any link is another name of a member.
    pub(super) fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// Takes the paths of the links that are other names of the member at this place.
    pub(super) fn take(&mut self, place: u64) -> Vec<Vec<u8>> {
        self.found.remove(&place).unwrap_or_default()
    }

    /// Takes the links whose targets are not in the archive before them, with these.
    pub(super) fn take_lost(&mut self) -> Vec<(Vec<u8>, Vec<u8>)> {
        std::mem::take(&mut self.lost)
    }

    fn has(&mut self, path: u64, place: u64) {
        if self.only.as_ref().is_some_and(|only| !only.contains(&path)) {
            return;
        }
        if self.only.is_some() || self.now.len() < PATHS {
            self.now.insert(path, place);
        } else {
            self.is_partial = true;
        }
    }

    fn hash(&self, path: &[u8]) -> u64 {
        self.hasher.hash_one(&*plain(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes members; a name with a target is a link.
    fn feed(links: &mut Links, members: &[(&str, &str)]) {
        for (place, (name, target)) in (1..).zip(members) {
            match target.is_empty() {
                true => links.member(place, name.as_bytes()),
                false => assert!(links.link((*target).into(), (*name).into())),
            }
        }
    }

    #[test]
    fn a_link_is_the_last_member_before_it_however_its_path_is_written() {
        let mut links = Links::default();
        let members = [
            ("a", ""),
            ("x", "./a"),
            (".//a", ""),
            ("y", "/a"),
            ("a", "x"),
            ("z", "a"),
            ("early", "late"),
            ("late", ""),
        ];
        feed(&mut links, &members);
        assert!(!links.again());
        assert_eq!(links.take(1), [b"x".to_vec(), b"a".to_vec(), b"z".to_vec()]);
        assert_eq!(links.take(3), [b"y".to_vec()]);
        assert_eq!(links.take_lost(), [(b"late".to_vec(), b"early".to_vec())]);
    }

    #[test]
    fn a_further_pass_finds_the_same_in_a_long_archive() {
        let names: Vec<String> = (0..PATHS).map(|number| number.to_string()).collect();
        let mut members: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        members.extend([("a", ""), ("a", ""), ("x", "a"), ("y", "x"), ("z", "7")]);
        let mut links = Links::default();
        feed(&mut links, &members);
        assert!(links.again());
        feed(&mut links, &members);
        let place = PATHS as u64 + 2;
        assert_eq!(
            (links.take(place), links.take(8)),
            (vec![b"x".to_vec(), b"y".to_vec()], vec![b"z".to_vec()])
        );
        assert!(links.take_lost().is_empty() && !links.has_found());
    }
}
