//! Search for files that no list names, below the directories of files that lists name.

use super::CheckEvent;
use super::list::Window;
use hashmill_content::selection::own::OwnFiles;
use hashmill_content::stores::Stores;
use hashmill_content::stores::location::Naming;
use hashmill_engine::flow::Flow;
use hashmill_lists::history::{Below, Ignored, Patterns};
use hashmill_os::names;
use hashmill_os::roots::{plain, root};
use hashmill_source::{Skip, WalkItem, WalkOptions, walk};
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::mem;
use std::path::Path;

/// The names in all lists, and the directories of these files. Each name takes 16 bytes in a table, which is 17 to 40
/// bytes with the overhead of the table.
#[derive(Default)]
pub(super) struct Names {
    stores: Stores,
    /// Two keyed hashes of 64 bits for each name. The authors of names don't know the keys, so they can't make a name
    /// that passes for another.
    seen: HashSet<(u64, u64)>,
    /// The same for links, FIFOs and the like, and whether a list can have none.
    others: HashSet<(u64, u64)>,
    pub is_silent: bool,
    keys: [RandomState; 2],
    directories: BTreeSet<Vec<u8>>,
    /// The locations that listed paths are relative to.
    locations: BTreeSet<Box<[u8]>>,
    /// The patterns by which lists exclude files.
    patterns: Vec<Patterns>,
}

impl Names {
    /// Creates an empty set of names.
    pub fn new(stores: &Stores) -> Names {
        Names { stores: stores.clone(), ..Names::default() }
    }

    /// Adds the files that the lines of a window name.
    pub fn add_all(&mut self, window: &Window) {
        for path in &window.others {
            self.others.insert(self.mark(&plain(path)));
        }
        match &window.remote {
            Some((base, _)) => {
                // A web server can't be listed.
                self.locations.extend(Some(base.clone()).filter(|base| self.stores.is_in_bucket(base)));
                window.paths().for_each(|path| self.add_object(path));
            }
            None => window.paths().for_each(|path| self.add(path)),
        }
    }

    /// Adds a list in a store, which is not new if it lies beside the objects that it names.
    pub fn add_list(&mut self, name: &[u8]) {
        if self.stores.is_location(name) {
            self.add_object(&self.stores.clone().without_secrets(name));
        }
    }

    /// Adds an object. Its path is its key, which can't be written in any other way.
    fn add_object(&mut self, path: &[u8]) {
        self.seen.insert(self.mark(path));
    }

    /// Adds a file that a list names.
    fn add(&mut self, path: &[u8]) {
        let path = plain(path);
        self.seen.insert(self.mark(&path));
        let directory = directory(&path);
        if !self.directories.contains(&directory) {
            self.directories.insert(directory);
        }
    }

    /// Adds the patterns of files that a list excludes, and the folder that they are relative to. That folder is
    /// searched completely.
    pub fn leave_out(&mut self, patterns: &[Box<[u8]>], base: Option<&Path>) {
        if patterns.is_empty() {
            return;
        }
        let base = base.filter(|base| !base.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // A folder that does not exist is not searched.
        if let Ok((below, _)) = Below::new(base, &[]) {
            let folder = plain(&names::path_bytes(&base));
            self.directories.insert(if folder.is_empty() { b".".to_vec() } else { folder });
            self.patterns.push(Patterns::new(patterns, below));
        }
    }

    fn mark(&self, path: &[u8]) -> (u64, u64) {
        (self.keys[0].hash_one(path), self.keys[1].hash_one(path))
    }

    /// Reports the files that no list names, until the observer wants no more events.
    pub fn report(mut self, own: &OwnFiles, observer: &mut dyn FnMut(CheckEvent<'_>) -> Flow) -> Added {
        let roots = roots(self.directories.iter());
        let mut added = Added::default();
        let options = WalkOptions { leave_out: own.identities().to_vec(), ..WalkOptions::default() };
        let locations = mem::take(&mut self.locations).into_iter();
        let (objects, stores) = (options.clone(), self.stores.clone());
        let objects = locations.flat_map(move |base| stores.entries(&base, &objects, Naming::Located));
        for found in walk(roots.into_iter(), options).chain(objects) {
            let flow = match found {
                WalkItem::File(entry) => {
                    let is_object = entry.content.is_some();
                    let path = if is_object { entry.path.to_vec() } else { plain(&entry.path) };
                    if self.seen.contains(&self.mark(&path)) {
                        continue;
                    }
                    let mut patterns = self.patterns.iter();
                    if let Some(pattern) = patterns.find_map(|patterns| patterns.leaving_out(&path)) {
                        added.ignored.add(pattern);
                        continue;
                    }
                    added.new += 1;
                    observer(CheckEvent::New(&path))
                }
                WalkItem::Failed(error) => {
                    added.failed += 1;
                    observer(CheckEvent::Failed(&error))
                }
                // A link, a FIFO or the like, or another name of a file of the check itself.
                WalkItem::Skipped { path, why }
                    if !why.has_bytes()
                        || why == Skip::Output && !own.is_at(&path) && !own.is_unfinished(&path) =>
                {
                    let (path, is_silent) = (plain(&path), self.is_silent && !why.has_bytes());
                    let mark = self.mark(&path);
                    if self.seen.contains(&mark) || self.others.contains(&mark) {
                        continue;
                    }
                    *if is_silent { &mut added.unlisted } else { &mut added.new } += 1;
                    if is_silent {
                        continue;
                    }
                    let _ = observer(CheckEvent::Other(&path, why));
                    observer(CheckEvent::New(&path))
                }
                WalkItem::Skipped { .. } => continue,
            };
            if flow.is_break() {
                break;
            }
        }
        added
    }
}

/// The result of the search for files that no list names.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Added {
    /// Files that no list names.
    pub new: u64,
    /// Links, FIFOs and the like, where a list can't have any.
    pub unlisted: u64,
    /// Entries that could not be read.
    pub failed: u64,
    /// Files that no list names and that patterns of lists exclude.
    pub ignored: Ignored,
}

/// Returns the directories without those that lie below another. In the input, each directory comes after those above
/// it.
fn roots<'a>(sorted: impl Iterator<Item = &'a Vec<u8>>) -> Vec<Box<[u8]>> {
    let mut roots: Vec<Box<[u8]>> = Vec::new();
    let mut known: HashSet<&[u8]> = HashSet::new();
    for directory in sorted {
        if !above(directory).any(|root| known.contains(root)) {
            known.insert(directory);
            roots.push(directory.as_slice().into());
        }
    }
    roots
}

/// Returns the directories above a directory, beginning where the paths of a list start.
fn above(directory: &[u8]) -> impl Iterator<Item = &[u8]> {
    let start: &[u8] = match (root(directory), directory) {
        (b"", [b'.', b'.', ..]) => b"..",
        (b"", _) => b".",
        (root, _) => root,
    };
    let ends = directory.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end);
    std::iter::once(start).chain(ends.map(|end| &directory[..end]))
}

/// Returns the directory of a path; `.` for a bare name.
fn directory(path: &[u8]) -> Vec<u8> {
    let path = plain(path);
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(end) if end < root(&path).len() => root(&path).to_vec(),
        Some(end) => path[..end].to_vec(),
        None => b".".to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(paths: &[&str]) -> Vec<String> {
        let sorted: BTreeSet<Vec<u8>> = paths.iter().map(|path| directory(path.as_bytes())).collect();
        let roots = roots(sorted.iter());
        roots.iter().map(|root| String::from_utf8_lossy(root).into_owned()).collect()
    }

    #[test]
    fn roots_are_the_topmost_directories() {
        assert_eq!(texts(&["a/x", "a/b/y", "c/z"]), ["a", "c"]);
        assert_eq!(texts(&["./x", "a/b/y", "/c/z"]), [".", "/c"]);
        assert_eq!(texts(&["ab/x", "a/y"]), ["a", "ab"]);
        assert_eq!(texts(&["../x", "y"]), [".", ".."]);
    }
}
