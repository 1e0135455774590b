//! The objects that index files and links of a store name.

use super::claims::Claims;
use super::place::{joined, read_small};
use crate::selection::{Bytes, below};
use hashloom_engine::Cancel;
use hashloom_objects::{MAX_INDEX, References, StoreLayout};
use hashloom_source::{OperandDirectory, Skip, WalkItem, WalkOptions, walk};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::Arc;

/// The objects that index files and links of a store name.
#[derive(Default)]
pub(super) struct Wanted {
    /// Objects by their paths below the store.
    objects: BTreeMap<Bytes, Need>,
    /// Folders, likewise.
    folders: BTreeMap<Bytes, Need>,
    /// Indexes that are none, or can't be read, with the reason.
    bad: HashMap<Bytes, String>,
}

/// The need for an object.
struct Need {
    /// The index or link that names it.
    by: Arc<[u8]>,
    met: bool,
}

impl Wanted {
    /// Takes the entries that a database has.
    pub fn from_claims(claims: &Claims) -> Wanted {
        let by: Arc<[u8]> = (&*claims.database).into();
        let need = |name: &Bytes| (name.clone(), Need { by: Arc::clone(&by), met: false });
        Wanted { objects: claims.digests.keys().map(need).collect(), ..Wanted::default() }
    }

    /// Reads the indexes and links of a store.
    pub fn find(root: &[u8], layout: StoreLayout, options: &WalkOptions, cancel: &Cancel) -> Wanted {
        let mut search = Search { root, layout, wanted: Wanted::default(), queue: Vec::new() };
        let Ok(operand) = OperandDirectory::open(root) else { return search.wanted };
        for item in walk(std::iter::once(root.into()), options.clone()) {
            if cancel.is_set() {
                break;
            }
            if let WalkItem::File(entry) = &item {
                let inside = below(&entry.path, root);
                search.add(inside, layout.companions(inside));
            }
            match item {
                WalkItem::File(entry) if layout.is_index(below(&entry.path, root)) => {
                    search.queue.push(below(&entry.path, root).into());
                }
                WalkItem::Skipped { path, why: Skip::Link } => search.link(&operand, &path),
                _ => {}
            }
        }
        let mut seen: HashSet<Bytes> = HashSet::new();
        while let Some(path) = search.queue.pop().filter(|_| !cancel.is_set()) {
            if seen.insert(path.clone()) {
                search.index(&operand, path);
            }
        }
        search.wanted
    }

    /// Returns whether anything names the object, and remembers that it was met.
    pub fn meet(&mut self, path: &[u8]) -> bool {
        self.meet_folders(path);
        let need = self.objects.get_mut(path);
        need.map(|need| need.met = true).is_some()
    }

    /// Remembers the folders above a path.
    pub fn meet_folders(&mut self, path: &[u8]) {
        if self.folders.is_empty() {
            return;
        }
        for (end, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            if let Some(need) = self.folders.get_mut(&path[..end]) {
                need.met = true;
            }
        }
    }

    /// Returns whether all indexes could be read.
    pub fn is_whole(&self) -> bool {
        self.bad.is_empty()
    }

    /// Returns the reason why an index could not be read.
    pub fn problem(&self, path: &[u8]) -> Option<&str> {
        self.bad.get(path).map(String::as_str)
    }

    /// Returns what was not met, and what names it, in the order of paths.
    pub fn missing(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let missing = |(path, need): (&'_ Bytes, &'_ Need)| !need.met && !path.is_empty();
        let mut all: Vec<_> =
            self.objects.iter().chain(&self.folders).filter(|(path, need)| missing((path, need))).collect();
        all.sort_unstable_by_key(|(path, _)| *path);
        all.into_iter().map(|(path, need)| (&**path, &*need.by))
    }
}

/// A search for the objects that indexes and links name.
struct Search<'a> {
    root: &'a [u8],
    layout: StoreLayout,
    wanted: Wanted,
    /// Indexes that were not read yet.
    queue: Vec<Bytes>,
}

impl Search<'_> {
    fn link(&mut self, operand: &OperandDirectory, path: &[u8]) {
        let Ok(text) = operand.read_link(path) else { return };
        let inside = below(path, self.root);
        if let Some(references) = self.layout.link(inside, &text) {
            self.add(inside, references);
        }
    }

    /// Reads an index. One that is not there is missing, which is told later.
    fn index(&mut self, operand: &OperandDirectory, path: Bytes) {
        let StoreLayout::Kind(kind) = self.layout else { return };
        let read = match read_small(operand, &joined(self.root, &path), MAX_INDEX) {
            Ok(bytes) => kind.references(&path, &bytes).map_err(|bad| bad.to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => Err(format!("cannot read: {error}")),
        };
        match read {
            Ok(references) => self.add(&path, references),
            Err(why) => drop(self.wanted.bad.insert(path, why)),
        }
    }

    fn add(&mut self, by: &[u8], references: References) {
        if references == References::default() {
            return;
        }
        let References { objects, indexes, folders } = references;
        let by: Arc<[u8]> = by.into();
        let need = || Need { by: Arc::clone(&by), met: false };
        for path in objects {
            self.wanted.objects.entry(path).or_insert_with(need);
        }
        for path in folders {
            self.wanted.folders.entry(path).or_insert_with(need);
        }
        self.queue.extend(indexes);
    }
}
