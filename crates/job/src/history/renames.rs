//! Files and folders of histories that have new names.

use super::list::path_from;
use super::tree::HistoryTree;
use hashmill_digest::Digest;
use hashmill_manifest::{Named, Record};
use hashmill_os::names;
use std::collections::{HashMap, HashSet};
use std::io::ErrorKind;

/// A file that was found under a new name. Both paths are relative to the root of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The path in the history.
    pub from: Box<[u8]>,
    /// The new path.
    pub to: Box<[u8]>,
}

/// Paths of one history, by its place, by a digest that each has.
type ByDigest = HashMap<(usize, &'static str, Digest), Vec<Box<[u8]>>>;

/// The files and folders of histories that are gone. Each has one new name at most.
#[derive(Default)]
pub(super) struct Gone {
    files: ByDigest,
    folders: ByDigest,
    taken: HashSet<(usize, Box<[u8]>)>,
}

impl Gone {
    /// Looks for what is gone.
    pub(super) fn new(tree: &HistoryTree) -> Gone {
        let mut gone = Gone::default();
        for (place, history) in tree.histories.iter().enumerate() {
            let is_gone = |path: &[u8]| {
                let path = tree.root.join(names::path_to_try(&path_from(&history.below, path)));
                path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound)
            };
            for record in history.merged.records().filter(|record| is_gone(&record.path)) {
                add(&mut gone.files, place, &record.path, &record.digests);
            }
            let folders = history.merged.folders().iter();
            for (path, digests) in folders.filter(|(path, _)| !path.is_empty() && is_gone(path)) {
                add(&mut gone.folders, place, path, digests);
            }
        }
        gone
    }

    /// Returns the previous path of a new file.
    pub(super) fn file(&mut self, place: usize, path: &[u8], record: &Record) -> Option<Box<[u8]>> {
        let is_empty = record.size == Some(0);
        take(&self.files, &mut self.taken, (place, path), &record.digests, is_empty)
    }

    /// Returns the previous path of a new folder, by its content digests.
    pub(super) fn folder(&mut self, place: usize, path: &[u8], content: &[Named]) -> Option<Box<[u8]>> {
        let is_empty =
            content.iter().any(|named| named.digest == hashmill_digest::hash(named.algorithm, b""));
        take(&self.folders, &mut self.taken, (place, path), content, is_empty)
    }
}

fn add(by_digest: &mut ByDigest, place: usize, path: &[u8], digests: &[Named]) {
    for named in digests {
        by_digest.entry((place, named.algorithm.name, named.digest)).or_default().push(path.into());
    }
}

/// Takes the path of something that is gone and has one of these digests; one with the same last name if there is one. All
/// empty files are alike, so they must have that.
fn take(
    by_digest: &ByDigest,
    taken: &mut HashSet<(usize, Box<[u8]>)>,
    (place, path): (usize, &[u8]),
    digests: &[Named],
    is_empty: bool,
) -> Option<Box<[u8]>> {
    let last = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next().map(<[u8]>::to_vec);
    let alike =
        digests.iter().filter_map(|named| by_digest.get(&(place, named.algorithm.name, named.digest)));
    let free: Vec<&Box<[u8]>> =
        alike.flatten().filter(|path| !taken.contains(&(place, (*path).clone()))).collect();
    let named = free.iter().find(|known| last(known) == last(path));
    let found = named.or_else(|| free.first().filter(|_| !is_empty)).map(|path| (*path).clone())?;
    taken.insert((place, found.clone()));
    Some(found)
}
