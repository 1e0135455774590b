//! The objects that index files and links of a store name.

use super::claims::Claims;
use super::place::{joined, read_small};
use super::pointers::Pointer;
use hashmill_content::selection::{Bytes, below};
use hashmill_engine::Cancel;
use hashmill_objects::{MAX_INDEX, References, StoreLayout};
use hashmill_source::{OperandDirectory, Skip, WalkItem, WalkOptions, walk};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::sync::Arc;

/// The most bytes of a file that marks an index.
const MAX_MARK: u64 = 1 << 10;

/// The objects that index files and links of a store name.
#[derive(Default)]
pub(super) struct Wanted {
    /// Objects by their paths below the store.
    objects: BTreeMap<Bytes, Need>,
    /// Other sizes that are said of objects.
    other_sizes: HashMap<Bytes, SaidSize>,
    /// Folders, likewise.
    folders: BTreeMap<Bytes, Need>,
    /// Indexes that are none, or can't be read, with the reason.
    bad: HashMap<Bytes, String>,
    /// Whether a folder could not be listed, so that indexes and links in it are not known.
    unlisted: bool,
}

/// Whether an object must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Demand {
    Optional,
    Required,
}

/// The need for an object.
struct Need {
    /// The index or link that names it.
    by: Arc<[u8]>,
    demand: Demand,
    /// Whether something says that it is elsewhere.
    is_elsewhere: bool,
    met: bool,
    /// The number of its bytes, if that says it.
    size: Option<u64>,
}

/// A number of bytes, and the file that says it of an object.
type SaidSize = (u64, Arc<[u8]>);

impl Wanted {
    /// Takes the entries that a database has.
    pub fn from_claims(claims: &Claims) -> Wanted {
        let by: Arc<[u8]> = (&*claims.database).into();
        let need = |name: &Bytes| (name.clone(), Need::new(&by, Demand::Required));
        Wanted { objects: claims.digests.keys().map(need).collect(), ..Wanted::default() }
    }

    /// Takes the objects that files of a commit stand for.
    pub fn from_pointers(pointers: &[Pointer]) -> Wanted {
        let mut wanted = Wanted::default();
        for Pointer { object, file } in pointers.iter().filter(|pointer| !pointer.object.is_empty) {
            let by: Arc<[u8]> = [b"HEAD:", &**file].concat().into();
            Need::add(&mut wanted.objects, object.path.clone(), &by, Demand::Required);
            wanted.say_size(object.path.clone(), object.size, &by);
        }
        wanted
    }

    /// Reads the indexes and links of a store.
    pub fn find(root: &[u8], layout: StoreLayout, options: &WalkOptions, cancel: &Cancel) -> Wanted {
        let mut search =
            Search { root, layout, wanted: Wanted::default(), queue: Vec::new(), partial: HashSet::new() };
        let Ok(operand) = OperandDirectory::open(root) else { return search.wanted };
        for item in walk(std::iter::once(root.into()), options.clone()) {
            if cancel.is_set() {
                break;
            }
            if let WalkItem::File(entry) = &item {
                let inside = below(&entry.path, root);
                search.add(inside, layout.companions(inside), Demand::Required);
                search.mark(&operand, inside);
            }
            match item {
                WalkItem::File(entry) if layout.is_index(below(&entry.path, root)) => {
                    search.queue.push((below(&entry.path, root).into(), Demand::Required));
                }
                WalkItem::Skipped { path, why: Skip::Link } if layout.has_links() => {
                    search.link(&operand, &path)
                }
                WalkItem::Failed(_) => search.wanted.unlisted = true,
                _ => {}
            }
        }
        // One whose objects need not be there is read again where they must.
        let mut seen: HashMap<Bytes, Demand> = HashMap::new();
        while let Some((path, demand)) = search.queue.pop().filter(|_| !cancel.is_set()) {
            let demand = if search.partial.contains(&path) { Demand::Optional } else { demand };
            if seen.get(&path).is_none_or(|before| demand > *before) {
                seen.insert(path.clone(), demand);
                search.index(&operand, path, demand);
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

    /// Remembers the size that a file says of an object.
    fn say_size(&mut self, path: Bytes, size: u64, by: &Arc<[u8]>) {
        let Some(need) = self.objects.get_mut(&path) else { return };
        match need.size {
            None if need.by == *by => need.size = Some(size),
            Some(said) if said == size => {}
            // If two differ, one of both is wrong, so a third one need not be known.
            _ => drop(self.other_sizes.insert(path, (size, Arc::clone(by)))),
        }
    }

    /// Returns another size that is said of an object that has this one, and the file that says it.
    pub fn other_size(&self, path: &[u8], size: u64) -> Option<(u64, &[u8])> {
        let need = self.objects.get(path)?;
        let first = need.size.map(|said| (said, &*need.by));
        let other = self.other_sizes.get(path).map(|(said, by)| (*said, &**by));
        first.into_iter().chain(other).find(|(said, _)| *said != size)
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
        self.bad.is_empty() && !self.unlisted
    }

    /// Returns the reason why an index could not be read.
    pub fn problem(&self, path: &[u8]) -> Option<&str> {
        self.bad.get(path).map(String::as_str)
    }

    /// Returns the objects that were not met and are elsewhere, and what says so, in the order of paths.
    pub fn elsewhere(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let is_left = |need: &Need| need.is_elsewhere && need.demand == Demand::Optional && !need.met;
        self.objects.iter().filter(move |(_, need)| is_left(need)).map(|(path, need)| (&**path, &*need.by))
    }

    /// Returns what was not met, and what names it, in the order of paths.
    pub fn missing(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let all = self.objects.iter().chain(&self.folders);
        let mut all: Vec<_> = all.filter(|(_, need)| need.demand == Demand::Required && !need.met).collect();
        all.sort_unstable_by_key(|(path, _)| *path);
        all.into_iter().map(|(path, need)| (&**path, &*need.by))
    }
}

/// A search for the objects that indexes and links name.
struct Search<'a> {
    root: &'a [u8],
    layout: StoreLayout,
    wanted: Wanted,
    /// Indexes that were not read yet, with the demand for their objects.
    queue: Vec<(Bytes, Demand)>,
    /// Indexes whose objects may be absent.
    partial: HashSet<Bytes>,
}

impl Search<'_> {
    fn link(&mut self, operand: &OperandDirectory, path: &[u8]) {
        let Ok(text) = operand.read_link(path) else { return };
        let inside = below(path, self.root);
        if let Some(references) = self.layout.link(inside, &text) {
            self.add(inside, references, Demand::Required);
        }
    }

    /// Remembers an index whose objects may be absent, if this file says so.
    fn mark(&mut self, operand: &OperandDirectory, path: &[u8]) {
        if self.layout.partial(path, b"").is_some()
            && let Ok(content) = read_small(operand, &joined(self.root, path), MAX_MARK)
        {
            self.partial.extend(self.layout.partial(path, &content).map(Bytes::from));
        }
    }

    /// Reads an index. One that is not there is missing, which is told later.
    fn index(&mut self, operand: &OperandDirectory, path: Bytes, demand: Demand) {
        let StoreLayout::Kind(kind) = self.layout else { return };
        let read = match read_small(operand, &joined(self.root, &path), MAX_INDEX) {
            Ok(bytes) => kind.references(&path, &bytes).map_err(|bad| bad.to_string()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => Err(format!("cannot read: {error}")),
        };
        match read {
            Ok(references) => self.add(&path, references, demand),
            Err(why) => drop(self.wanted.bad.insert(path, why)),
        }
    }

    fn add(&mut self, by: &[u8], references: References, demand: Demand) {
        if references == References::default() {
            return;
        }
        let References { objects, indexes, optional, elsewhere, sizes, folders } = references;
        let by: Arc<[u8]> = by.into();
        for path in objects {
            Need::add(&mut self.wanted.objects, path, &by, demand);
        }
        for path in folders {
            Need::add(&mut self.wanted.folders, path, &by, demand);
        }
        for path in &optional {
            Need::add(&mut self.wanted.objects, path.clone(), &by, Demand::Optional);
        }
        for path in elsewhere {
            Need::add(&mut self.wanted.objects, path, &by, Demand::Optional).is_elsewhere = true;
        }
        for (path, size) in sizes {
            self.wanted.say_size(path, size, &by);
        }
        self.queue.extend(indexes.into_iter().chain(optional).map(|path| (path, demand)));
    }
}

impl Need {
    fn new(by: &Arc<[u8]>, demand: Demand) -> Need {
        Need { by: Arc::clone(by), demand, is_elsewhere: false, met: false, size: None }
    }

    fn add<'n>(
        needs: &'n mut BTreeMap<Bytes, Need>,
        path: Bytes,
        by: &Arc<[u8]>,
        demand: Demand,
    ) -> &'n mut Need {
        let need = needs.entry(path).or_insert_with(|| Need::new(by, demand));
        need.demand = need.demand.max(demand);
        need
    }
}
