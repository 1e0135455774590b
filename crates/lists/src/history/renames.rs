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

/// Paths by the place of their history, a digest that each has, and the last name, or none for any: the first comes last.
type ByDigest = HashMap<(usize, &'static str, Digest, Option<Box<[u8]>>), Vec<Box<[u8]>>>;

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
        gone.files.values_mut().chain(gone.folders.values_mut()).for_each(|paths| paths.reverse());
        gone
    }

    /// Returns the previous path of a new file.
    pub(super) fn file(&mut self, place: usize, path: &[u8], record: &Record) -> Option<Box<[u8]>> {
        let is_empty = record.size == Some(0);
        take(&mut self.files, &mut self.taken, place, path, &record.digests, is_empty)
    }

    /// Returns the previous path of a new folder, by its content digests.
    pub(super) fn folder(&mut self, place: usize, path: &[u8], content: &[Named]) -> Option<Box<[u8]>> {
        let is_empty = false;
        take(&mut self.folders, &mut self.taken, place, path, content, is_empty)
    }
}

fn add(by_digest: &mut ByDigest, place: usize, path: &[u8], digests: &[Named]) {
    for Named { algorithm, digest, .. } in digests {
        for name in [Some(last(path).into()), None] {
            by_digest.entry((place, algorithm.name, *digest, name)).or_default().push(path.into());
        }
    }
}

/// Takes the path of something that is gone and has one of these digests; one with the same last name if there is one. All
/// empty files are alike, so they must have that.
fn take(
    by_digest: &mut ByDigest,
    taken: &mut HashSet<(usize, Box<[u8]>)>,
    place: usize,
    path: &[u8],
    digests: &[Named],
    is_empty: bool,
) -> Option<Box<[u8]>> {
    for name in [Some(Box::from(last(path))), None].into_iter().take(if is_empty { 1 } else { 2 }) {
        for Named { algorithm, digest, .. } in digests {
            let key = (place, algorithm.name, *digest, name.clone());
            let free = by_digest.get_mut(&key).and_then(|paths| {
                std::iter::from_fn(|| paths.pop()).find(|path| !taken.contains(&(place, path.clone())))
            });
            if let Some(path) = free {
                taken.insert((place, path.clone()));
                return Some(path);
            }
        }
    }
    None
}

fn last(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}
