//! Which names are of one file: those with one device and inode number, where the file system can be believed.

use hashmill_content::output::directory;
use hashmill_os::{Links, facts_at, names};
use hashmill_source::{Identity, tells_identities};
use std::collections::{HashMap, hash_map};
use std::path::PathBuf;

/// The files that were met, by device and inode number, and their places.
#[derive(Debug, Default)]
pub(super) struct Identities {
    first: HashMap<Identity, usize>,
    /// Files with the numbers of another one that are no links, by their whole paths.
    alike: HashMap<PathBuf, usize>,
}

impl Identities {
    /// Makes room for so many files.
    pub(super) fn with_capacity(files: usize) -> Identities {
        Identities { first: HashMap::with_capacity(files), ..Identities::default() }
    }

    /// Returns the place of the file that this is another name of, or notes that it is at `place`. `path_of` returns the path
    /// of the file at a place.
    pub(super) fn known(
        &mut self,
        id: Identity,
        path: &[u8],
        place: usize,
        path_of: impl FnOnce(usize) -> Box<[u8]>,
    ) -> Option<usize> {
        let first = match self.first.entry(id) {
            hash_map::Entry::Vacant(vacant) => {
                vacant.insert(place);
                return None;
            }
            hash_map::Entry::Occupied(first) => *first.get(),
        };
        if is_link(path) {
            return Some(first);
        }
        self.alike.entry(whole(&path_of(first))).or_insert(first);
        match self.alike.entry(whole(path)) {
            hash_map::Entry::Occupied(known) => Some(*known.get()),
            hash_map::Entry::Vacant(vacant) => {
                vacant.insert(place);
                None
            }
        }
    }
}

/// Returns whether a file with the numbers of another one is that file. Without a second link, it can be on file systems
/// of the kernel alone, by another mount.
fn is_link(path: &[u8]) -> bool {
    let path = names::path_to_try(path);
    // One that is gone is reported when it is read.
    facts_at(&path, Links::Stay).map_or(true, |facts| facts.links > 1) || tells_identities(directory(&path))
}

fn whole(path: &[u8]) -> PathBuf {
    let path = names::path_to_try(path);
    names::canonical(&path).unwrap_or_else(|_| path.into_owned())
}
