//! Members that fall together where an archive is unpacked: the last one of them is what is there, or what they were, depending
//! on the program.

use hashmill_archive::MemberKind;
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

/// The bytes that each path takes.
const TAKEN: usize = 32;

/// The entry at a path so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Folder,
    /// A link, or something special without bytes.
    Other,
    /// A file, with the hash of its path as the archive has it.
    File(u64),
}

/// The paths that were met.
pub(super) struct Overlaps {
    met: HashMap<u64, Place>,
    hasher: RandomState,
    /// The number of paths that may be kept.
    most: usize,
    /// Whether two files with the same path are told. Programs that add to a tar write newer ones behind older ones.
    is_strict: bool,
    is_full: bool,
}

impl Overlaps {
    /// Creates an empty set that takes at most so much memory.
    pub(super) fn new(memory: usize, is_strict: bool) -> Overlaps {
        let most = memory / TAKEN;
        Overlaps { met: HashMap::new(), hasher: RandomState::new(), most, is_strict, is_full: false }
    }

    /// Takes a member. Returns why it is not clear what is at its path, if it isn't.
    pub(super) fn meet(&mut self, path: &[u8], kind: &MemberKind, has_bytes: bool) -> Option<&'static str> {
        if self.met.len() >= self.most {
            let is_first = !std::mem::replace(&mut self.is_full, true);
            return (is_first && self.is_strict).then_some(
                "it and members after it are too many to compare their paths (allow more with -m)",
            );
        }
        let plain = resolved(path);
        if plain.is_empty() {
            return None;
        }
        let written = self.hasher.hash_one(path.strip_prefix(b"./").unwrap_or(path));
        let place = match kind {
            MemberKind::Directory => Place::Folder,
            _ if has_bytes || matches!(kind, MemberKind::File | MemberKind::HardLink(_)) => {
                Place::File(written)
            }
            _ => Place::Other,
        };
        let mut is_below_other = false;
        for (at, _) in plain.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            let above = self.hasher.hash_one(&plain[..at]);
            is_below_other |= *self.met.entry(above).or_insert(Place::Folder) != Place::Folder;
        }
        let before = self.met.insert(self.hasher.hash_one(&*plain), place);
        match before {
            _ if is_below_other => {
                Some("the archive has something else than a folder in the place of a folder above it")
            }
            None | Some(Place::Folder) if place == Place::Folder => None,
            None => None,
            Some(Place::Folder) => Some("the archive has it as a folder, too"),
            Some(before) if before == place && !self.is_strict => None,
            Some(_) => Some(
                "the archive has another member with this path: which of them is unpacked depends on the program",
            ),
        }
    }
}

/// Returns a path as programs unpack it, with its `..` resolved. Some programs take a backslash for a slash.
fn resolved(path: &[u8]) -> Cow<'_, [u8]> {
    let is_odd = |part: &[u8]| part == b".." || part.contains(&b'\\');
    if !path.split(|byte| *byte == b'/').any(is_odd) {
        return plain(path);
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| matches!(*byte, b'/' | b'\\')) {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    Cow::Owned(parts.join(&b'/'))
}

/// Returns a path without empty and `.` parts: `a/b` for `./a//b` and `/a/b`.
pub fn plain(path: &[u8]) -> Cow<'_, [u8]> {
    let is_plain = |part: &[u8]| !part.is_empty() && part != b".";
    let parts = path.split(|byte| *byte == b'/');
    match parts.clone().all(is_plain) {
        true => Cow::Borrowed(path),
        false => Cow::Owned(parts.filter(|part| is_plain(part)).collect::<Vec<_>>().join(&b'/')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes members; a path that ends with `/` is a folder's, one that ends with `@` a link's. Returns which are told.
    fn told(is_strict: bool, paths: &[&str]) -> Vec<usize> {
        let mut overlaps = Overlaps::new(1 << 20, is_strict);
        let kind = |path: &str| match path.as_bytes().last() {
            Some(b'/') => MemberKind::Directory,
            Some(b'@') => MemberKind::Link(Vec::new()),
            _ => MemberKind::File,
        };
        let mut meet =
            |path: &str| overlaps.meet(path.trim_end_matches('@').as_bytes(), &kind(path), false).is_some();
        paths.iter().enumerate().filter(|(_, path)| meet(path)).map(|(at, _)| at).collect()
    }

    #[test]
    fn members_fall_together_however_their_paths_are_written() {
        for is_strict in [false, true] {
            assert_eq!(told(is_strict, &["d/", "./d/", "d/a", "b", "./", "c@"]), [0; 0]);
            for other in [".//d/a", "d/./a", "d//a", "/d/a", "d/x/../a", "d\\a", "d/a@", "d/a/"] {
                assert_eq!(told(is_strict, &["d/a", other]), [1], "{other}");
            }
            assert_eq!(told(is_strict, &["d@", "d/f"]), [1]);
            assert_eq!(told(is_strict, &["d/f", "d@"]), [1]);
            assert_eq!(told(is_strict, &["d/f", "d"]), [1]);
        }
        assert_eq!(told(true, &["d/a", "d/a", "./d/a"]), [1, 2]);
        assert_eq!(told(false, &["d/a", "d/a", "./d/a"]), [0; 0]);
    }

    #[test]
    fn too_many_paths_are_told_once() {
        let mut overlaps = Overlaps::new(64, true);
        let met = [b"a", b"b", b"c", b"d"].map(|path| overlaps.meet(path, &MemberKind::File, true).is_some());
        assert_eq!(met, [false, false, true, false]);
    }
}
