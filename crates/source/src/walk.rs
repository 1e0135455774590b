//! Trees, in the order of their paths' bytes.
//!
//! One directory at a time is listed whole and sorted; of the directories on the way down, the names that
//! are still to come are kept. Nothing stays open between two entries, so depth costs no descriptors, and
//! paths of any length are reached by [`crate::path::Place`].

use crate::crowd::patiently;
use crate::filter::Where;
use crate::list::{Kind, Listing, Names};
use crate::sys::{self, Directory, Links};
use crate::{Entry, Error, Filter, Found, Meta, Origin, Problem, Skip, path};
use std::io;

/// How to walk.
#[derive(Debug, Clone, Default)]
pub struct WalkOptions {
    /// Follow symbolic links below the operands. Operands themselves are always followed.
    pub follow: bool,
    /// Stay on the file systems of the operands.
    pub one_file_system: bool,
    /// Which files.
    pub filter: Filter,
    /// Files (device, inode) that this run writes: they come out as [`crate::Skip::Output`].
    pub leave_out: Vec<(u64, u64)>,
}

/// Walks the operands in the order given; below each, entries come in bytewise order of their whole
/// paths. An operand `-` is standard input.
///
/// Each entry comes out once. Directories that are entered do not come out; one that is skipped, or can't
/// be listed, stands where the paths of what is in it would.
///
/// Filters hold for operands too, but a directory named as an operand is entered whatever its name is.
pub fn walk(
    operands: impl Iterator<Item = Box<[u8]>> + Send + 'static,
    options: WalkOptions,
) -> impl Iterator<Item = Found> + Send {
    Walk { operands, options, way: Vec::new(), path: Vec::new(), operand: Operand::default() }
}

/// A walk under way.
struct Walk<Operands> {
    operands: Operands,
    options: WalkOptions,
    /// The directories from the operand down to where the walk is.
    way: Vec<Level>,
    /// The path of the entry at hand, as it is shown.
    path: Vec<u8>,
    operand: Operand,
}

/// The operand that the walk is below.
#[derive(Debug, Default)]
struct Operand {
    /// Bytes of the path that stand before the way down.
    length: usize,
    /// The device that it is on.
    dev: u64,
}

/// A directory on the way down.
struct Level {
    /// Bytes of the path up to the names of its entries.
    length: usize,
    names: Names,
    id: Id,
}

/// Device and inode number, or zeros where nobody asks.
type Id = (u64, u64);

impl<Operands: Iterator<Item = Box<[u8]>>> Iterator for Walk<Operands> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            let found = if self.way.is_empty() {
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
    fn start(&mut self, operand: &[u8]) -> Option<Found> {
        self.path.clear();
        self.path.extend_from_slice(operand);
        self.operand.length = operand.len() - path::name(operand).len();
        if operand == b"-" {
            return Some(self.entry(Origin::Stdin, None));
        }
        let meta = match sys::stat(operand, Links::Follow) {
            Ok(meta) => meta,
            Err(source) => return Some(self.failed(Problem::Stat(source))),
        };
        self.operand.dev = meta.dev;
        match Kind::of(&meta) {
            Kind::Directory => self.enter(Links::Follow),
            Kind::File => Some(self.file(Origin::Operand, Some(meta), false)),
            // Named by the user, so it is read, or fails to be; the filters of sizes do not apply.
            _ if self.options.filter.wants(self.place()) => Some(self.entry(Origin::Operand, None)),
            _ => Some(self.skipped(Skip::Filtered)),
        }
    }

    /// The next entry of the innermost directory.
    fn go_on(&mut self) -> Option<Found> {
        let level = self.way.last_mut()?;
        self.path.truncate(level.length);
        let Some(item) = level.names.next() else {
            self.way.pop();
            return None;
        };
        self.path.extend_from_slice(item.name);
        let (kind, marked) = (item.kind, item.marked);
        self.visit(kind, marked)
    }

    fn visit(&mut self, kind: Kind, marked: bool) -> Option<Found> {
        let links = self.links();
        match kind {
            Kind::File => Some(self.file(Origin::Path, None, marked)),
            Kind::Directory => self.enter_below(Links::Stay),
            Kind::LinkedDirectory => self.enter_below(Links::Follow),
            Kind::Special(why) => Some(self.skipped(why)),
            Kind::Link if links == Links::Stay => Some(self.skipped(Skip::Link)),
            Kind::Link | Kind::Unknown => match sys::stat(&self.path, links) {
                Ok(meta) => self.visit_seen(meta),
                Err(source) => Some(self.failed(Problem::Stat(source))),
            },
        }
    }

    /// An entry whose kind its listing did not tell.
    fn visit_seen(&mut self, meta: Meta) -> Option<Found> {
        match Kind::of(&meta) {
            Kind::File => Some(self.file(Origin::Path, Some(meta), false)),
            Kind::Directory => self.enter_below(self.links()),
            Kind::Special(why) => Some(self.skipped(why)),
            // A type of file that is not known is nothing to open.
            Kind::Unknown | Kind::LinkedDirectory => Some(self.skipped(Skip::Device)),
            Kind::Link => Some(self.skipped(Skip::Link)),
        }
    }

    fn links(&self) -> Links {
        if self.options.follow { Links::Follow } else { Links::Stay }
    }

    /// A regular file. It is looked at only if something has to be known of it.
    fn file(&mut self, origin: Origin, meta: Option<Meta>, marked: bool) -> Found {
        if !self.options.filter.wants(self.place()) {
            return self.skipped(Skip::Filtered);
        }
        if meta.is_none() && (marked || self.options.one_file_system || self.options.filter.needs_meta()) {
            return match sys::stat(&self.path, self.links()) {
                Ok(meta) if meta.is_file() => self.file_seen(origin, meta),
                // It was one when it was listed.
                Ok(Meta { mode, .. }) => self.failed(Problem::Replaced { mode }),
                Err(source) => self.failed(Problem::Stat(source)),
            };
        }
        match meta {
            Some(meta) => self.file_seen(origin, meta),
            None => self.entry(origin, None),
        }
    }

    fn file_seen(&mut self, origin: Origin, meta: Meta) -> Found {
        if self.options.leave_out.contains(&(meta.dev, meta.ino)) {
            self.skipped(Skip::Output)
        } else if self.options.one_file_system && meta.dev != self.operand.dev {
            self.skipped(Skip::OtherFileSystem)
        } else if !self.options.filter.wants_meta(&meta) {
            self.skipped(Skip::Filtered)
        } else {
            self.entry(origin, Some(meta.size))
        }
    }

    fn enter_below(&mut self, links: Links) -> Option<Found> {
        if !self.options.filter.enters(self.place()) {
            return Some(self.skipped(Skip::Filtered));
        }
        self.enter(links)
    }

    /// Lists the directory at hand, so that the walk goes on in it.
    fn enter(&mut self, links: Links) -> Option<Found> {
        let (directory, id) = match self.open(links) {
            Ok(opened) => opened,
            Err(source) => return Some(self.failed(Problem::List(source))),
        };
        if let Some(why) = self.refused(id) {
            return Some(self.skipped(why));
        }
        let how = Listing { links: self.links(), marked: &self.options.leave_out };
        let (names, listed) = Names::list(directory, how);
        let failed = listed.err().map(|source| self.failed(Problem::List(source)));
        self.go_down(names, id);
        failed
    }

    fn open(&self, links: Links) -> io::Result<(Directory, Id)> {
        let no_link = if links == Links::Stay { libc::O_NOFOLLOW } else { 0 };
        // A directory may have been replaced by a FIFO; O_DIRECTORY refuses it without waiting.
        let directory =
            Directory::new(patiently(|| sys::open_quietly(&self.path, libc::O_DIRECTORY | no_link))?)?;
        if !self.options.follow && !self.options.one_file_system {
            return Ok((directory, (0, 0)));
        }
        let meta = sys::stat_open(directory.fd())?;
        Ok((directory, (meta.dev, meta.ino)))
    }

    fn go_down(&mut self, names: Names, id: Id) {
        path::end_in_slash(&mut self.path);
        if self.way.is_empty() {
            self.operand.length = self.path.len();
        }
        self.way.push(Level { length: self.path.len(), names, id });
    }

    fn refused(&self, id: Id) -> Option<Skip> {
        if self.options.one_file_system && id.0 != self.operand.dev {
            return Some(Skip::OtherFileSystem);
        }
        let returns = self.options.follow && self.way.iter().any(|level| level.id == id);
        returns.then_some(Skip::Loop)
    }

    fn place(&self) -> Where<'_> {
        Where { shown: &self.path, below: &self.path[self.operand.length..] }
    }

    fn shown(&self) -> Box<[u8]> {
        self.path.as_slice().into()
    }

    fn entry(&self, origin: Origin, size: Option<u64>) -> Found {
        Found::File(Entry { path: self.shown(), origin, size })
    }

    fn skipped(&self, why: Skip) -> Found {
        Found::Skipped { path: self.shown(), why }
    }

    fn failed(&self, problem: Problem) -> Found {
        Found::Failed(Error { path: self.shown(), problem })
    }
}
