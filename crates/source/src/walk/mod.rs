//! Walks of trees in the byte order of paths.
//!
//! Each directory is listed as a whole and sorted. For the directories above the current one, the remaining names are
//! kept. Between two entries only the operand and the last examined directory stay open, so depth costs no descriptors.
//! Unless links are followed, everything is opened from the operand, so that a symbolic link that is created during the
//! walk is not followed ([`OperandDirectory`]).

pub(crate) mod ahead;
pub(crate) mod directory;
pub(crate) mod filter;
pub(crate) mod ignore;
pub(crate) mod list;
pub(crate) mod options;
pub(crate) mod parent_cache;

use crate::deadline::{Pulse, while_alive};
use crate::meta::Identity;
use crate::meta::listed::EntryType;
use crate::{Entry, Error, IgnoreRules, Meta, Origin, ParentCache, Problem, Skip, WalkItem, path, sys};
use ahead::{ListAhead, Operand};
use directory::{DirectoryPlace, ListedDirectory};
use filter::EntryPath;
use hashmill_os::Links;
use ignore::RulesOf;
use list::{ListOptions, Names};
use options::WalkOptions;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Walks the operands in the given order; below each, entries come in the byte order of their whole paths. An operand
/// `-` is standard input.
///
/// Each entry is returned once. Directories that are entered are not returned. One that is skipped, or can't be listed,
/// comes where its entries would.
///
/// Filters also apply to operands, but a directory named as an operand is entered whatever its name is.
pub fn walk(
    operands: impl Iterator<Item = Box<[u8]>> + Send + 'static,
    options: WalkOptions,
) -> impl Iterator<Item = WalkItem> + Send {
    let options = Arc::new(options);
    let ahead = ListAhead::new(Arc::clone(&options));
    Walk {
        operands,
        options,
        levels: Vec::new(),
        path: Vec::new(),
        operand: Operand::default(),
        parents: ParentCache::default(),
        ahead,
    }
}

struct Walk<Operands> {
    operands: Operands,
    options: Arc<WalkOptions>,
    /// The directories from the operand down to the current one.
    levels: Vec<Level>,
    /// The path of the current entry, as it is shown.
    path: Vec<u8>,
    operand: Operand,
    parents: ParentCache,
    ahead: ListAhead,
}

/// A directory above the current entry.
struct Level {
    /// The length of the path up to the names of its entries.
    length: usize,
    names: Names,
    id: Identity,
    /// The rules of ignore files in it.
    rules: Option<IgnoreRules>,
}

impl<Operands: Iterator<Item = Box<[u8]>>> Iterator for Walk<Operands> {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        loop {
            let found = if self.levels.is_empty() {
                let operand = self.operands.next()?;
                self.start(&operand)
            } else {
                self.go_on()
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

impl<Operands> Walk<Operands> {
    fn start(&mut self, operand: &[u8]) -> Option<WalkItem> {
        self.path.clear();
        self.path.extend_from_slice(operand);
        self.operand = Operand { length: operand.len() - path::name(operand).len(), ..Operand::default() };
        self.parents = ParentCache::default();
        self.ahead.start(&self.operand);
        if operand == b"-" {
            return Some(self.entry(Origin::Stdin, None, (0, 0)));
        }
        let meta = match self.options.stat(operand, Links::Follow) {
            Ok(meta) => meta,
            Err(source) => return Some(self.failed(Problem::Stat(source))),
        };
        self.operand.dev = meta.dev;
        match EntryType::from_meta(&meta) {
            EntryType::Directory if self.options.max_depth == Some(0) => Some(self.skipped(Skip::Filtered)),
            EntryType::Directory => self.enter_operand(),
            EntryType::File => Some(self.file_known(Origin::Operand, meta)),
            EntryType::Elsewhere => Some(self.file_elsewhere(Origin::Operand, meta)),
            // The user named it, so it is read, or fails. Size filters do not apply.
            _ if self.options.filter.wants(self.place()) => {
                Some(self.entry(Origin::Operand, None, (sys::device_number(operand, &meta), meta.ino)))
            }
            _ => Some(self.skipped(Skip::Filtered)),
        }
    }

    fn enter_operand(&mut self) -> Option<WalkItem> {
        if !self.options.follow {
            match self.options.open_operand(&self.path) {
                Ok(directory) => {
                    self.operand.dev = directory.id().0;
                    self.operand.directory = Some(Arc::new(directory));
                }
                Err(source) => return Some(self.failed(Problem::List(source))),
            }
        }
        self.enter(Links::Follow)
    }

    /// Visits the next entry of the innermost directory.
    fn go_on(&mut self) -> Option<WalkItem> {
        let level = self.levels.last_mut()?;
        self.path.truncate(level.length);
        let Some(item) = level.names.next() else {
            self.levels.pop();
            return None;
        };
        self.path.extend_from_slice(item.name);
        let (kind, id, marked) = (item.kind, (level.id.0, item.ino), item.marked);
        self.visit(kind, id, marked)
    }

    /// Visits an entry, with the kind from its listing.
    fn visit(&mut self, kind: EntryType, id: Identity, marked: bool) -> Option<WalkItem> {
        let links = self.options.links();
        match kind {
            EntryType::File => Some(self.file_listed(id, marked)),
            EntryType::Elsewhere if self.options.hydrate => Some(self.file_listed(id, marked)),
            EntryType::Elsewhere => Some(self.skipped(self.unwanted().unwrap_or(Skip::Cloud))),
            EntryType::Directory => self.enter_below(Links::Stay),
            EntryType::LinkedDirectory => self.enter_below(Links::Follow),
            EntryType::Special(why) => Some(self.skipped(self.unwanted().unwrap_or(why))),
            EntryType::Link if links == Links::Stay => {
                // A link is no passage.
                let is_included = self.options.filter.includes(self.place());
                let why = self.unwanted().unwrap_or(if is_included { Skip::Link } else { Skip::Filtered });
                Some(self.skipped(why))
            }
            EntryType::Link | EntryType::Unknown => match self.stat() {
                Ok(meta) => self.visit_seen(meta),
                Err(problem) => Some(self.failed(problem)),
            },
        }
    }

    /// Visits an entry whose kind the listing does not tell.
    fn visit_seen(&mut self, meta: Meta) -> Option<WalkItem> {
        match EntryType::from_meta(&meta) {
            EntryType::File => Some(self.file_known(Origin::Path, meta)),
            EntryType::Elsewhere => Some(self.file_elsewhere(Origin::Path, meta)),
            EntryType::Directory => self.enter_below(self.options.links()),
            EntryType::Special(why) => Some(self.skipped(why)),
            // Files of an unknown type are not opened.
            EntryType::Unknown | EntryType::LinkedDirectory => Some(self.skipped(Skip::Device)),
            EntryType::Link => Some(self.skipped(Skip::Link)),
        }
    }

    /// Returns a regular file, according to its listing. Its metadata are read only if they decide something.
    fn file_listed(&mut self, id: Identity, marked: bool) -> WalkItem {
        if let Some(why) = self.unwanted() {
            return self.skipped(why);
        }
        let options = &self.options;
        if !marked && !options.one_file_system && !options.sizes && !options.filter.needs_meta() {
            return self.entry(Origin::Path, None, id);
        }
        match self.stat() {
            Ok(meta) if meta.is_file() => self.file_seen(Origin::Path, meta),
            // It was a file when it was listed.
            Ok(meta) if meta.is_link() => self.failed(Problem::Swapped),
            Ok(Meta { mode, .. }) => self.failed(Problem::Replaced { mode }),
            Err(problem) => self.failed(problem),
        }
    }

    /// Returns the metadata of the current entry; of a link's target only if links are followed.
    fn stat(&mut self) -> Result<Meta, Problem> {
        match &self.operand.directory {
            None => self.options.stat(&self.path, self.options.links()).map_err(Problem::Stat),
            Some(operand) => {
                let seen = self.options.stat_below(&mut self.parents, operand, &self.path);
                seen.map_err(|source| Problem::of_walked(source, Problem::Stat))
            }
        }
    }

    /// Returns a regular file whose metadata are known.
    fn file_known(&self, origin: Origin, meta: Meta) -> WalkItem {
        match self.unwanted() {
            None => self.file_seen(origin, meta),
            Some(why) => self.skipped(why),
        }
    }

    /// Returns a regular file whose content a cloud has.
    fn file_elsewhere(&self, origin: Origin, meta: Meta) -> WalkItem {
        match self.unwanted() {
            None if !self.options.hydrate => self.skipped(Skip::Cloud),
            _ => self.file_known(origin, meta),
        }
    }

    fn file_seen(&self, origin: Origin, meta: Meta) -> WalkItem {
        if self.options.leave_out.contains(&(meta.dev, meta.ino)) {
            self.skipped(Skip::Output)
        } else if self.options.one_file_system && meta.dev != self.operand.dev {
            self.skipped(Skip::OtherFileSystem)
        } else if !self.options.filter.wants_meta(&meta) {
            self.skipped(Skip::Filtered)
        } else {
            self.entry(origin, Some(meta.size), (meta.dev, meta.ino))
        }
    }

    fn enter_below(&mut self, links: Links) -> Option<WalkItem> {
        let deep = self.options.max_depth.is_some_and(|most| self.levels.len() >= most);
        if deep || !self.options.filter.enters(self.place()) {
            return Some(self.skipped(Skip::Filtered));
        }
        if let Some(why) = self.ruled_out(RulesOf::Directories) {
            return Some(self.skipped(why));
        }
        if let Some(level) = self.levels.last_mut() {
            self.ahead.offer(&self.path[..level.length], &mut level.names, &self.operand);
        }
        self.enter(links)
    }

    /// Lists the current directory, so that the walk continues in it.
    fn enter(&mut self, links: Links) -> Option<WalkItem> {
        let listed = match self.ahead.take(&self.path) {
            Some(listed) => listed,
            None => self.list(links),
        };
        let ListedDirectory { id, names, error } = match listed {
            Ok(listed) => listed,
            Err(source) if self.operand.directory.is_none() => {
                return Some(self.failed(Problem::List(source)));
            }
            Err(source) => return Some(self.failed(Problem::of_walked(source, Problem::List))),
        };
        match self.refused(id) {
            // No link leads to it: its file system is damaged, or shows one directory in several places.
            Some(Skip::Loop) if self.options.links() == Links::Stay => {
                return Some(self.failed(Problem::Loop));
            }
            Some(why) => return Some(self.skipped(why)),
            None => {}
        }
        let failed = error.map(|source| self.failed(Problem::List(source)));
        if self.options.empty_folders && names.len() == 0 && failed.is_none() {
            return Some(self.skipped(Skip::EmptyFolder));
        }
        self.go_down(names, id);
        failed
    }

    fn list(&mut self, links: Links) -> io::Result<ListedDirectory> {
        let start = Instant::now();
        let listed = match self.options.timeout {
            Some(limit) => self.list_within(limit, links)?,
            None => {
                let place =
                    DirectoryPlace { operand: self.operand.directory.as_deref(), path: &self.path, links };
                ListedDirectory::list(place, self.options.list_options(), |id| self.refused(id).is_none())?
            }
        };
        self.ahead.note(start.elapsed(), listed.names.len(), &self.operand);
        Ok(listed)
    }

    /// Lists the current directory on another thread, which can be abandoned. A directory that is refused only because
    /// it leads back to a directory above it is listed all the same.
    fn list_within(&self, limit: Duration, links: Links) -> io::Result<ListedDirectory> {
        let (path, options, operand) = (self.shown(), Arc::clone(&self.options), self.operand.clone());
        let pulse = Pulse::default();
        let beating = pulse.clone();
        while_alive(limit, &pulse, move || {
            let list_options = ListOptions { pulse: Some(&beating), ..options.list_options() };
            let place = DirectoryPlace { operand: operand.directory.as_deref(), path: &path, links };
            ListedDirectory::list(place, list_options, |id| ahead::wanted(id, &options, operand.dev))
        })?
    }

    fn go_down(&mut self, names: Names, id: Identity) {
        path::end_in_slash(&mut self.path);
        if self.levels.is_empty() {
            self.operand.length = self.path.len();
            self.ahead.start(&self.operand);
        }
        let operand = self.operand.directory.as_deref();
        let rules = IgnoreRules::of_directory(&self.path, operand, &self.options.ignore_files);
        self.levels.push(Level { length: self.path.len(), names, id, rules });
    }

    /// Returns why a file at the current path is not wanted, whatever it contains.
    fn unwanted(&self) -> Option<Skip> {
        let filter = &self.options.filter;
        if filter.excludes(self.place()) || !(filter.includes(self.place()) || self.options.may_contain) {
            return Some(Skip::Filtered);
        }
        self.ruled_out(RulesOf::Files)
    }

    /// Returns why rules ignore the current entry. The innermost directory with a matching rule decides; the rules of
    /// the operands only apply if there is none.
    fn ruled_out(&self, of: RulesOf) -> Option<Skip> {
        let inner = self
            .levels
            .iter()
            .rev()
            .find_map(|level| level.rules.as_ref()?.leave_out(&self.path[level.length..], of));
        let leave_out = |leave_out: bool, why| leave_out.then_some(why);
        match inner {
            Some(says) => leave_out(says, Skip::Ignored),
            None => {
                let below = self.place().below;
                leave_out(self.options.rules.leave_out(below, of)?, Skip::Filtered)
            }
        }
    }

    fn refused(&self, id: Identity) -> Option<Skip> {
        if self.options.one_file_system && id.0 != self.operand.dev {
            return Some(Skip::OtherFileSystem);
        }
        self.levels.iter().any(|level| level.id == id).then_some(Skip::Loop)
    }

    fn place(&self) -> EntryPath<'_> {
        EntryPath { shown: &self.path, below: &self.path[self.operand.length..] }
    }

    fn shown(&self) -> Box<[u8]> {
        self.path.as_slice().into()
    }

    fn entry(&self, origin: Origin, size: Option<u64>, (device, ino): Identity) -> WalkItem {
        let operand = self.operand.directory.clone().filter(|_| origin == Origin::Path);
        let is_passage = self.options.may_contain
            && origin != Origin::Stdin
            && !self.options.filter.includes(self.place());
        WalkItem::File(Entry { size, device, ino, operand, is_passage, ..Entry::new(self.shown(), origin) })
    }

    fn skipped(&self, why: Skip) -> WalkItem {
        WalkItem::Skipped { path: self.shown(), why }
    }

    fn failed(&self, problem: Problem) -> WalkItem {
        WalkItem::Failed(Error { path: self.shown(), problem })
    }
}
