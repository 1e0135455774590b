//! A walk through a file system: each entry once, in the order of the bytes of the paths.

use crate::name::{is_plain, shown};
use crate::{Allocation, DeletedEntries, DirectoryListing, FileSystem, Named, Node, NodeKind, Problem};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt;

/// The folder below which entries are shown that no directory names.
const ORPHANS: &[u8] = b"$OrphanFiles";

/// The bounds of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most directories that an entry may lie in.
    pub depth: usize,
    /// The most entries.
    pub entries: u64,
    /// The most names that may wait at a time, of all directories on the way. Each takes some 100 bytes.
    pub names: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { depth: 255, entries: 10_000_000, names: 2 << 20 }
    }
}

/// One entry of a walk.
#[derive(Debug)]
pub struct WalkEntry {
    /// The path below the root, as bytes; the name of an alternate stream follows that of its file and `:`. Empty for the
    /// root, of which only problems are told.
    pub path: Vec<u8>,
    /// The facts about it; why they can't be read. A directory that was met may be followed by problems with the same path.
    pub node: Result<Node, Problem>,
    /// Whether an earlier entry of the walk is the same file under another name.
    pub is_repeated: bool,
}

/// A walk through a file system. Directories come before what is in them; what is deleted comes among the rest, and
/// orphans after all.
#[derive(Debug)]
pub struct Walk<'a> {
    system: &'a dyn FileSystem,
    limits: Limits,
    deleted: DeletedEntries,
    /// The directories on the way to the next entry.
    open: Vec<Level>,
    /// Entries that were read.
    ready: VecDeque<WalkEntry>,
    /// The directories that were listed, with whether as one in use, and the files with several names: none is taken for
    /// new twice.
    listed: HashSet<(u64, bool)>,
    linked: HashSet<u64>,
    /// The entries that were met.
    met: Met,
    orphans: Orphans<'a>,
    count: u64,
    /// The names that were listed and not met yet.
    waiting: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Root,
    Tree,
    Orphans,
    Ended,
}

/// The entries that no directory names, once they are asked for.
struct Orphans<'a>(Option<Box<dyn Iterator<Item = Result<Named, Problem>> + Send + 'a>>);

/// A directory on the way to the next entry.
#[derive(Debug)]
struct Level {
    /// The path of the directory, with `/` unless it is the root.
    path: Vec<u8>,
    /// The names that were not met yet, the next one last.
    names: Vec<Named>,
}

impl<'a> Walk<'a> {
    /// Begins a walk. Where deleted entries are listed, orphans are met, too.
    pub fn new(system: &'a dyn FileSystem, deleted: DeletedEntries, limits: Limits) -> Walk<'a> {
        Walk {
            system,
            limits,
            deleted,
            open: Vec::new(),
            ready: VecDeque::new(),
            listed: HashSet::new(),
            linked: HashSet::new(),
            met: Met::default(),
            orphans: Orphans(None),
            count: 0,
            waiting: 0,
            state: State::Root,
        }
    }

    fn advance(&mut self) {
        let state = self.state;
        self.state = match state {
            State::Root => {
                self.start();
                State::Tree
            }
            State::Tree if self.step() => State::Tree,
            State::Tree if self.finds_unnamed() || self.deleted == DeletedEntries::Listed => State::Orphans,
            // The entries of an orphaned directory are met before the next orphan.
            State::Orphans if self.step() || self.orphan() => State::Orphans,
            _ => State::Ended,
        };
    }

    /// Looks for entries in use that no directory names. They are met below [`ORPHANS`], and told, as other programs may
    /// show them elsewhere, or not at all.
    fn finds_unnamed(&mut self) -> bool {
        let found = self.system.has_unnamed(&|number| self.met.has(number));
        if found {
            let what = Problem::incomplete("no directory in use leads to files that are in use");
            self.fail(ORPHANS, vec![what]);
        }
        found
    }

    fn start(&mut self) {
        match self.system.root() {
            Ok(root) => {
                let problems = self.enter(&root, &[]);
                self.fail(b"", problems);
            }
            Err(problem) => self.fail(b"", vec![problem]),
        }
    }

    /// Meets the next name of the tree; returns false after the last.
    fn step(&mut self) -> bool {
        let Some(level) = self.open.last_mut() else { return false };
        match level.names.pop() {
            None => drop(self.open.pop()),
            Some(named) => {
                self.waiting -= 1;
                let path = [&level.path, &*shown(&named.name)].concat();
                self.meet(path, &named);
            }
        }
        true
    }

    /// Meets the next orphan; returns false after the last.
    fn orphan(&mut self) -> bool {
        let system = self.system;
        let orphans = self.orphans.0.get_or_insert_with(|| system.orphans());
        match orphans.next() {
            None => return false,
            Some(Ok(named))
                if self.met.has(named.number)
                    || named.is_deleted && self.deleted == DeletedEntries::LeftOut => {}
            Some(Ok(named)) if self.is_own(&named) => self.meet(shown(&named.name).to_vec(), &named),
            Some(Ok(named)) => self.meet([ORPHANS, b"/", &*shown(&named.name)].concat(), &named),
            Some(Err(problem)) => self.fail(ORPHANS, vec![problem]),
        }
        true
    }

    /// Returns whether an entry that no directory names is one of the file system's own, as a journal is.
    fn is_own(&self, named: &Named) -> bool {
        let is_metadata =
            |node: &Node| node.kind == NodeKind::Metadata && node.allocation == Allocation::Live;
        !named.is_deleted
            && self.system.nodes(named).is_ok_and(|nodes| nodes.first().is_some_and(is_metadata))
    }

    /// Reads an entry with its streams, and goes into it if it is a directory.
    fn meet(&mut self, path: Vec<u8>, named: &Named) {
        let nodes = match self.system.nodes(named) {
            Ok(nodes) => nodes,
            Err(problem) => return self.fail(&path, vec![problem]),
        };
        self.met.add(named.number);
        let is_repeated = nodes.first().is_some_and(|node| {
            node.links > 1 && node.kind != NodeKind::Directory && !self.linked.insert(node.number)
        });
        for node in nodes {
            let is_directory = node.kind == NodeKind::Directory && node.stream.is_none();
            let problems = if is_directory { self.enter(&node, &path) } else { Vec::new() };
            let path = match &node.stream {
                Some(stream) => [&path, &b":"[..], &*shown(stream)].concat(),
                None => path.clone(),
            };
            let is_plain = is_plain(&named.name) && node.stream.as_deref().is_none_or(is_plain);
            let node = if is_plain { Ok(node) } else { Err(Problem::Name) };
            self.ready.push_back(WalkEntry { path: path.clone(), node, is_repeated });
            self.fail(&path, problems);
        }
    }

    /// Goes into a directory, unless the walk was in it before. Returns what is wrong with it.
    fn enter(&mut self, directory: &Node, path: &[u8]) -> Vec<Problem> {
        // A deleted name may have the number of a directory that is in use.
        let is_live = directory.allocation == Allocation::Live;
        if !self.listed.insert((directory.number, is_live)) {
            return if is_live { vec![Problem::Loop] } else { Vec::new() };
        }
        if self.open.len() > self.limits.depth {
            return vec![Problem::TooDeep];
        }
        let DirectoryListing { mut names, mut problems } = self.system.list(directory, self.deleted);
        self.waiting += names.len();
        if self.waiting > self.limits.names {
            self.waiting -= names.len();
            names.clear();
            problems.push(Problem::TooMany("names in directories"));
        }
        // Equal ones are the same. A stable sort would take half as much memory as all names.
        names.sort_unstable_by(|one, other| in_order(other, one));
        let separator: &[u8] = if path.is_empty() { b"" } else { b"/" };
        self.open.push(Level { path: [path, separator].concat(), names });
        problems
    }

    fn fail(&mut self, path: &[u8], problems: Vec<Problem>) {
        let failed = |problem| WalkEntry { path: path.to_vec(), node: Err(problem), is_repeated: false };
        self.ready.extend(problems.into_iter().map(failed));
    }
}

/// Numbers of entries, most of which follow each other: a bit each.
#[derive(Debug, Default)]
struct Met(HashMap<u64, u64>);

impl Met {
    fn add(&mut self, number: u64) {
        *self.0.entry(number / 64).or_default() |= 1 << (number % 64);
    }

    fn has(&self, number: u64) -> bool {
        self.0.get(&(number / 64)).is_some_and(|bits| bits >> (number % 64) & 1 != 0)
    }
}

impl Iterator for Walk<'_> {
    type Item = WalkEntry;

    fn next(&mut self) -> Option<WalkEntry> {
        while self.ready.is_empty() && self.state != State::Ended {
            self.advance();
        }
        let next = self.ready.pop_front()?;
        self.count += 1;
        if self.count > self.limits.entries {
            self.state = State::Ended;
            self.ready.clear();
            return (self.count == self.limits.entries + 1).then(|| WalkEntry {
                path: next.path,
                node: Err(Problem::TooMany("entries")),
                is_repeated: false,
            });
        }
        Some(next)
    }
}

/// Compares names so that whole paths come in the order of their bytes: that of a directory goes on with `/`. Of equal
/// ones, that in use comes first.
fn in_order(one: &Named, other: &Named) -> Ordering {
    sorted_by(one)
        .cmp(sorted_by(other))
        .then(one.is_deleted.cmp(&other.is_deleted))
        .then(one.number.cmp(&other.number))
        .then(one.generation.cmp(&other.generation))
}

fn sorted_by(named: &Named) -> impl Iterator<Item = u8> + '_ {
    let slash = (named.is_directory == Some(true)).then_some(b'/');
    named.name.iter().copied().chain(slash)
}

impl fmt::Debug for Orphans<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Orphans(begun)" } else { "Orphans" })
    }
}
