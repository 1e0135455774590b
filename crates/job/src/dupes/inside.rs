//! Files and what is inside of them, in one read: members come in their order and can't be read again, so that every
//! entry is hashed, and no stage before that tells it apart.

use super::identities::Identities;
use super::sizes::{Asking, look};
use crate::outer::OuterFile;
use hashmill_engine::flow::Entries;
use hashmill_source::{Entry, ParentCache, Reading, WalkItem};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// Names beyond the first of files that were met, by the place of the file among what is hashed.
#[derive(Debug, Default)]
pub(super) struct Links {
    by_place: Mutex<HashMap<usize, Vec<Box<[u8]>>>>,
}

impl Links {
    /// Adds a name, if it isn't there.
    fn add(&self, place: usize, path: Box<[u8]>) {
        let mut all = self.by_place.lock();
        let links = all.entry(place).or_default();
        if !links.contains(&path) {
            links.push(path);
        }
    }

    /// Returns the names of a file but the first.
    pub(super) fn take(&self, place: usize) -> Vec<Box<[u8]>> {
        self.by_place.lock().remove(&place).unwrap_or_default()
    }
}

/// The entries of a walk, each file under one name.
pub(super) struct OncePerFile {
    entries: Entries,
    reading: Reading,
    parents: ParentCache,
    pub(super) min_size: u64,
    pub(super) links: Arc<Links>,
    identities: Identities,
    /// Whether all entries lie on this machine.
    is_here: bool,
    /// The files that entries lie in: where they are one, the first of their names, and the last one with whether it is
    /// another name.
    outers: Identities,
    outer_names: Vec<Box<[u8]>>,
    outer: (OuterFile, bool),
    /// The first name of each file that is no member, by its place.
    names: HashMap<usize, Box<[u8]>>,
    place: usize,
}

impl OncePerFile {
    /// Takes the entries of a walk; files below a size are left out where it is known. `is_here` if none is in a store.
    pub(super) fn new(entries: Entries, reading: Reading, min_size: u64, is_here: bool) -> OncePerFile {
        OncePerFile {
            entries,
            reading,
            parents: ParentCache::default(),
            min_size,
            links: Arc::default(),
            identities: Identities::default(),
            is_here,
            outers: Identities::default(),
            outer_names: Vec::new(),
            outer: (OuterFile::default(), false),
            names: HashMap::new(),
            place: 0,
        }
    }

    /// Returns whether an entry is to be hashed: it is large enough, and no other name of a file that was met.
    fn is_new(&mut self, entry: &Entry) -> bool {
        if entry.content.is_some() {
            // Inodes of entries inside of others tell nothing; those of the others do.
            let is_again = self.is_here && self.is_in_known(&entry.path);
            return !is_again && entry.size.is_none_or(|size| size >= self.min_size);
        }
        // A file that can't be looked up is reported when it is read.
        let asking = Asking { threads: 1, reading: &self.reading };
        let Ok(meta) = look(entry, &mut self.parents, asking) else { return true };
        if meta.size < self.min_size {
            return false;
        }
        let (names, id) = (&self.names, (meta.dev, meta.ino));
        let known = self.identities.known(id, &entry.path, self.place, |place| names[&place].clone());
        match known {
            Some(place) if self.names[&place] != entry.path => self.links.add(place, entry.path.clone()),
            Some(_) => {}
            None => drop(self.names.insert(self.place, entry.path.clone())),
        }
        known.is_none()
    }

    /// Returns whether an entry lies in a file that was met under another name.
    fn is_in_known(&mut self, path: &[u8]) -> bool {
        if !self.outer.0.has(path) {
            let Some(outer) = OuterFile::around(path) else { return false };
            let names = &self.outer_names;
            let known = self.outers.known(outer.id, &outer.path, names.len(), |place| names[place].clone());
            let is_other = known.is_some_and(|place| names[place] != outer.path);
            if known.is_none() {
                self.outer_names.push(outer.path.clone());
            }
            self.outer = (outer, is_other);
        }
        self.outer.1
    }
}

impl Iterator for OncePerFile {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        loop {
            let item = self.entries.next()?;
            let wanted = match &item {
                WalkItem::File(entry) => self.is_new(entry),
                _ => true,
            };
            if wanted {
                self.place += 1;
                return Some(item);
            }
        }
    }
}
