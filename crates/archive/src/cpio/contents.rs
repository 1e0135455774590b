//! The names at which contents of files with several names came.

use super::links::InodeNumber;
use std::collections::HashMap;

/// The bytes that a name takes besides its own.
const OVERHEAD: u64 = 128;

/// The names with contents, by inode, as far as there is room for them.
#[derive(Debug)]
pub(super) struct ContentNames {
    names: HashMap<InodeNumber, ContentName>,
    /// The number of files of which no further name is awaited.
    complete: usize,
    left: u64,
    limit: u64,
    /// Whether a name was forgotten of which others are awaited.
    pub(super) forgot: bool,
}

#[derive(Debug)]
struct ContentName {
    path: Vec<u8>,
    /// The number of other names that are still to come, as the headers state it.
    awaited: u32,
}

impl ContentNames {
    pub(super) fn new(bytes: u64) -> ContentNames {
        ContentNames { names: HashMap::new(), complete: 0, left: bytes, limit: bytes, forgot: false }
    }

    /// Returns the name with the content of a file of which another name was met.
    pub(super) fn meet(&mut self, inode: InodeNumber) -> Option<&[u8]> {
        let name = self.names.get_mut(&inode)?;
        self.complete += usize::from(name.awaited == 1);
        name.awaited = name.awaited.saturating_sub(1);
        Some(&name.path)
    }

    /// Remembers the name with the content of a file of which so many others are still to come.
    pub(super) fn insert(&mut self, inode: InodeNumber, path: &[u8], awaited: u32) {
        let mut awaited = awaited;
        if let Some(before) = self.names.remove(&inode) {
            self.complete -= usize::from(before.awaited == 0);
            self.left += taken(&before.path);
            awaited = awaited.min(before.awaited.saturating_sub(1));
        }
        // To make room takes as long as there are names: it must be worth it.
        if self.left < taken(path) && self.complete > self.names.len() / 2 {
            self.names.retain(|_, name| name.awaited > 0);
            self.complete = 0;
            self.left = self.limit - self.names.values().map(|name| taken(&name.path)).sum::<u64>();
        }
        match self.left.checked_sub(taken(path)) {
            Some(left) => {
                self.left = left;
                self.complete += usize::from(awaited == 0);
                self.names.insert(inode, ContentName { path: path.to_vec(), awaited });
            }
            None => self.forgot |= awaited > 0,
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = ContentNames::new(self.limit);
    }
}

fn taken(path: &[u8]) -> u64 {
    path.len() as u64 + OVERHEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_complete_files_make_room() {
        let mut names = ContentNames::new(4 * (OVERHEAD + 1));
        for inode in 0..100 {
            names.insert([0, 0, inode], b"a", 1);
            assert_eq!(names.meet([0, 0, inode]), Some(b"a".as_slice()));
        }
        assert!(!names.forgot);
        for inode in 100..105 {
            names.insert([0, 0, inode], b"b", 1);
        }
        assert!(names.forgot);
        assert_eq!(names.meet([0, 0, 103]), Some(b"b".as_slice()));
        assert_eq!(names.meet([0, 0, 104]), None);
        names.clear();
        assert_eq!((names.left, names.forgot), (names.limit, false));
    }

    #[test]
    fn a_name_may_have_content_again() {
        let mut names = ContentNames::new(1000);
        for _ in 0..100 {
            names.insert([1, 2, 3], b"a", 2);
        }
        assert_eq!((names.names.len(), names.complete, names.left), (1, 1, 1000 - OVERHEAD - 1));
    }
}
