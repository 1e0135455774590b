//! The walk of these commands: operands and lists in the order given, directories sorted by path bytes, links followed,
//! and the same remarks as hashdeep's.
//!
//! Each entry becomes one [`Found`] for the engine and one [`Visited`] for the report, in the same order.

use crate::path::below;
use crate::screen::cause;
use crate::sys::{self, SystemPath};
use crate::windows_program;
use hashmill_os::error::{Meaning, make};
use hashmill_os::{self as os, FileId, FileKind, Links, names, names_in, pattern};
use hashmill_source::{Entry, Origin, Skip, WalkItem};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// The options of a walk.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub recursive: bool,
    /// Keeps paths unchanged.
    pub relative: bool,
    /// Restricts the walk to these types of files.
    pub types: Option<FileTypes>,
    /// The treatment of files above a size.
    pub limit: Option<SizeLimit>,
    /// Keeps the path of each file, for display while the file is hashed.
    pub paths: bool,
    /// The files that this run writes.
    pub outputs: Vec<FileId>,
}

/// File types of `-o`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileTypes(u32);

/// A size limit.
#[derive(Debug, Clone, Copy)]
pub struct SizeLimit {
    /// The maximum size of files that are hashed.
    pub bytes: u64,
    pub above: TooLarge,
}

/// The treatment of files above the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLarge {
    Skipped,
    /// They are shown with stars in place of digests.
    Stars,
}

/// The report's information about an entry.
#[derive(Debug)]
pub enum Visited {
    /// A file to be hashed.
    File(Facts),
    /// A file that is shown without being hashed.
    Stars(Facts),
    /// Another entry, with a remark.
    Remark(Remark),
}

/// The metadata of a file when the walk visited it.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The source of its bytes.
    pub origin: Origin,
    /// Its path, if it is shown while the file is hashed.
    pub path: Option<Box<[u8]>>,
    /// Its size; 0 for devices and pipes.
    pub size: u64,
    /// The time of the last modification, in seconds since 1970.
    pub mtime: i64,
    /// The time of the last change of the inode.
    pub ctime: i64,
    /// The time of the last access.
    pub atime: i64,
}

/// A message about a path.
#[derive(Debug)]
pub struct Remark {
    pub text: String,
    pub severity: Severity,
}

/// The severity of a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// Everything that should be hashed is hashed.
    Note,
    /// A requested input could not be examined.
    Failure,
}

/// An ID that no directory has.
const NOWHERE: FileId = (u64::MAX, u128::MAX);

/// Visited entries with results that are not shown yet.
pub type Queue = Arc<Mutex<VecDeque<Visited>>>;

/// The place where an entry was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FoundAt {
    Operand,
    Tree,
}

/// A walk as an iterator.
pub struct Walk {
    operands: VecDeque<Vec<u8>>,
    options: Options,
    /// The directories of the current path.
    path: Vec<OpenDirectory>,
    /// Visited entries that the iterator has not returned yet.
    ready: VecDeque<WalkItem>,
    queue: Queue,
}

/// A directory of the current path.
struct OpenDirectory {
    id: FileId,
    path: Vec<u8>,
    /// The remaining names in it.
    names: std::vec::IntoIter<Vec<u8>>,
}

impl FileTypes {
    /// The letters of `-o`: block and character devices, FIFOs, regular files, links, sockets, doors (which Linux
    /// lacks), and programs for Windows.
    const LETTERS: &[u8] = b"bcpflsde";

    /// Adds a letter's type; returns false if there is no such letter.
    pub fn add(&mut self, letter: u8) -> bool {
        let known = FileTypes::LETTERS.iter().position(|known| *known == letter);
        self.0 |= known.map_or(0, |at| 1 << at);
        known.is_some()
    }

    fn has(self, letter: u8) -> bool {
        FileTypes::LETTERS.iter().position(|known| *known == letter).is_some_and(|at| self.0 & 1 << at != 0)
    }

    fn include(self, kind: FileKind) -> bool {
        match kind {
            FileKind::File => self.has(b'f'),
            FileKind::Block => self.has(b'b'),
            FileKind::Character => self.has(b'c'),
            FileKind::Fifo => self.has(b'p'),
            FileKind::Socket => self.has(b's'),
            FileKind::Folder | FileKind::Link => false,
        }
    }
}

impl Walk {
    /// Creates a walk of these operands. Each entry is queued before the iterator returns it.
    pub fn new(operands: VecDeque<Vec<u8>>, options: Options, queue: Queue) -> Walk {
        Walk { operands, options, path: Vec::new(), ready: VecDeque::new(), queue }
    }

    fn visit(&mut self, path: Vec<u8>, place: FoundAt) {
        let path = if self.options.relative { sys::tidy_relative(path) } else { sys::tidy(path) };
        let found = match lstat(&path) {
            Err(error) => return self.failed_to_stat(path, &error),
            Ok(found) => found,
        };
        if place == FoundAt::Tree
            && let Some(text) = sys::skipped(&found)
        {
            return self.remark(path, text, Severity::Note);
        }
        match self.options.types {
            _ if found.is_folder() => self.directory(path, &found),
            None => self.take_any_type(path, found, place),
            Some(types) => self.take_by_type(path, found, place, types),
        }
    }

    fn failed_to_stat(&mut self, path: Vec<u8>, error: &io::Error) {
        let again = self.options.types.map(|_| path.clone());
        self.remark(path, cause(error), Severity::Failure);
        if let Some(path) = again {
            self.remark(path, "unknown file type".into(), Severity::Failure);
        }
    }

    /// Takes an entry of any type, if there is no `-o`.
    fn take_any_type(&mut self, path: Vec<u8>, found: os::Facts, place: FoundAt) {
        if found.kind != FileKind::Link {
            return self.take(path, &found, place);
        }
        if let Some((path, target)) = self.target(path, place) {
            self.take(path, &target, place);
        }
    }

    fn take_by_type(&mut self, path: Vec<u8>, found: os::Facts, place: FoundAt, types: FileTypes) {
        if types.has(b'e') && self.is_program(&path, place) {
            // The target of a link is read.
            return match stat(&path) {
                Ok(target) => self.take(path, &target, place),
                Err(error) => self.remark(path, cause(&error), Severity::Failure),
            };
        }
        if found.kind != FileKind::Link {
            if types.include(found.kind) {
                self.take(path, &found, place);
            }
            return;
        }
        if types.has(b'l')
            && let Some((path, target)) = self.target(path, place)
        {
            self.take_by_type(path, target, place, types);
        }
    }

    /// Returns the target of a link if it is a file. Directories are entered.
    fn target(&mut self, path: Vec<u8>, place: FoundAt) -> Option<(Vec<u8>, os::Facts)> {
        match stat(&path) {
            Ok(target) if target.is_folder() => self.directory(path, &target),
            Ok(target) => return Some((path, target)),
            Err(error) => self.remark(path, cause(&error), dangling(place)),
        }
        None
    }

    fn is_program(&mut self, path: &[u8], place: FoundAt) -> bool {
        match read_start(path) {
            Err(error) => {
                let link = lstat(path).is_ok_and(|found| found.kind == FileKind::Link);
                let severity = if link { dangling(place) } else { Severity::Failure };
                self.remark(path.to_vec(), cause(&error), severity);
                false
            }
            Ok(start) => {
                let program = windows_program::is_program(&start);
                if program && !windows_program::has_usual_ending(path) {
                    let text = "Is Windows executable but does not have executable extension";
                    self.remark(path.to_vec(), text.into(), Severity::Note);
                }
                program
            }
        }
    }

    fn directory(&mut self, path: Vec<u8>, found: &os::Facts) {
        let id = found.id;
        if !self.options.recursive {
            return self.remark(path, "Is a directory".into(), Severity::Note);
        }
        if self.path.iter().any(|level| level.id == id) {
            return self.remark(path, "symlink creates cycle".into(), Severity::Note);
        }
        match list(&path) {
            Err(error) => self.remark(path, cause(&error), Severity::Failure),
            Ok((names, end)) => {
                if let Err(error) = end {
                    self.remark(path.clone(), cause(&error), Severity::Failure);
                }
                self.path.push(OpenDirectory { id, path, names: names.into_iter() });
            }
        }
    }

    /// Continues with the names in a folder that fit a pattern.
    fn expand(&mut self, folder: &[u8], pattern: &[u8]) {
        let mut names = list(if folder.is_empty() { b"." } else { folder })
            .map_or_else(|_| Vec::new(), |(names, _)| names);
        names.retain(|name| pattern::fits(pattern, name.strip_suffix(b"/").unwrap_or(name)));
        if names.is_empty() {
            let text = "No such file or directory".into();
            return self.remark(below(folder, pattern), text, Severity::Failure);
        }
        self.path.push(OpenDirectory { id: NOWHERE, path: folder.to_vec(), names: names.into_iter() });
    }

    /// Decides about an entry that is neither directory nor link.
    fn take(&mut self, path: Vec<u8>, found: &os::Facts, place: FoundAt) {
        let kind = found.kind;
        if self.options.outputs.contains(&found.id) {
            self.remark(path, "is the output of this run, skipped".into(), Severity::Note);
        } else if kind == FileKind::Socket {
            let text = cause(&make(Meaning::NoDevice));
            self.remark(path, text, Severity::Note);
        } else if kind == FileKind::Fifo && !(place == FoundAt::Operand && is_unnamed(&path)) {
            self.remark(path, "is a named pipe, skipped".into(), Severity::Note);
        } else if kind == FileKind::Character && !sys::is_null(found, &path) {
            self.remark(path, "is a character device, skipped".into(), Severity::Note);
        } else {
            self.file(path, found);
        }
    }

    fn file(&mut self, path: Vec<u8>, found: &os::Facts) {
        let regular = found.kind == FileKind::File;
        let device = found.kind == FileKind::Block;
        let facts = Facts {
            origin: if regular { Origin::Path } else { Origin::Operand },
            path: self.options.paths.then(|| path.as_slice().into()),
            size: if device { device_size(&path) } else { found.size },
            mtime: found.mtime.0,
            ctime: sys::ctime(found),
            atime: found.atime.0,
        };
        match self.options.limit.filter(|limit| facts.size > limit.bytes) {
            Some(limit) => self.too_large(path, facts, limit.above),
            None => {
                let size = regular.then_some(facts.size);
                let number = if device { found.device } else { found.id.0 };
                let entry = Entry {
                    size,
                    device: number,
                    ino: found.id.1 as u64,
                    ..Entry::new(path.into(), facts.origin)
                };
                self.emit(WalkItem::File(entry), Visited::File(facts));
            }
        }
    }

    /// Checks a file above the limit, which must be readable.
    fn too_large(&mut self, path: Vec<u8>, facts: Facts, above: TooLarge) {
        match open(&path) {
            Err(error) => self.remark(path, cause(&error), Severity::Failure),
            Ok(_) if above == TooLarge::Skipped => {}
            Ok(_) => {
                self.emit(WalkItem::Skipped { path: path.into(), why: Skip::Filtered }, Visited::Stars(facts))
            }
        }
    }

    fn remark(&mut self, path: Vec<u8>, text: String, severity: Severity) {
        let found = WalkItem::Skipped { path: path.into(), why: Skip::Filtered };
        self.emit(found, Visited::Remark(Remark { text, severity }));
    }

    fn emit(&mut self, found: WalkItem, met: Visited) {
        self.queue.lock().push_back(met);
        self.ready.push_back(found);
    }
}

impl Iterator for Walk {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        loop {
            if let Some(found) = self.ready.pop_front() {
                return Some(found);
            }
            if let Some(level) = self.path.last_mut() {
                match level.names.next() {
                    Some(name) => {
                        let path = below(&level.path, name.strip_suffix(b"/").unwrap_or(&name));
                        self.visit(path, FoundAt::Tree);
                    }
                    None => drop(self.path.pop()),
                }
            } else {
                let operand = self.operands.pop_front()?;
                match pattern::pattern(&operand) {
                    Some((folder, pattern)) => self.expand(folder, pattern),
                    None => self.visit(operand, FoundAt::Operand),
                }
            }
        }
    }
}

/// Returns the metadata of a path without following links.
fn lstat(path: &[u8]) -> io::Result<os::Facts> {
    os::facts_at(SystemPath::open(path)?.path(), Links::Stay)
}

/// Returns the metadata of a path, following links.
fn stat(path: &[u8]) -> io::Result<os::Facts> {
    os::facts_at(SystemPath::open(path)?.path(), Links::Follow)
}

/// Opens a file for reading, without waiting for the other end of a FIFO.
fn open(path: &[u8]) -> io::Result<File> {
    os::open_now(SystemPath::open(path)?.path(), Links::Follow)
}

/// Returns the severity of a dangling link: a note in a tree, where it hides no file, a failure for an operand.
fn dangling(place: FoundAt) -> Severity {
    if place == FoundAt::Operand { Severity::Failure } else { Severity::Note }
}

/// Returns whether a pipe has no name, like those of `<(...)` and `|`, so that opening it never blocks.
fn is_unnamed(path: &[u8]) -> bool {
    SystemPath::open(path).is_ok_and(|reach| names::canonical(reach.path()).is_err())
}

/// Returns the start of a file; empty if it is not a regular file.
fn read_start(path: &[u8]) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut start = Vec::new();
    if os::facts(&file)?.is_file() {
        file.take(windows_program::ENOUGH as u64).read_to_end(&mut start)?;
    }
    Ok(start)
}

fn device_size(path: &[u8]) -> u64 {
    open(path).and_then(|device| os::device_size(&device)).unwrap_or(0)
}

/// Returns the names in a directory, sorted by the bytes of their paths, with a slash after those of directories, and
/// the result of the listing.
fn list(path: &[u8]) -> io::Result<(Vec<Vec<u8>>, io::Result<()>)> {
    let reach = SystemPath::open(path)?;
    let (listed, end) = names_in(reach.path())?;
    let mut found: Vec<Vec<u8>> = listed.into_iter().map(|found| name(reach.path(), found)).collect();
    found.sort_unstable();
    Ok((found, end))
}

fn name(folder: &Path, name: OsString) -> Vec<u8> {
    let leads = folder.join(&name).is_dir();
    let mut name = names::into_bytes(name);
    if leads {
        name.push(b'/');
    }
    name
}
