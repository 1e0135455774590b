//! Selection of the entries that an operation works on: paths, lists of paths and filters become one walk.

pub mod counting;
pub mod mixed;
pub mod own;

use crate::chosen::InsideFilter;
use crate::chosen::without_passages;
use crate::entry::facts::EntryFacts;
use crate::entry::stated::Stated;
use crate::entry::unread::NotLookedInto;
use crate::error::{Error, File as Tried, FileError};
use crate::misfit::Misfit;
use crate::operands::archive_operand::as_folder;
use crate::resources::Resources;
use crate::stores::Stores;
use crate::stores::location::Naming;
use crate::wanted::{BackingFiles, Inside, Wanted, cached};
use hashmill_engine::Live;
use hashmill_engine::flow::Entries;
pub use hashmill_os::roots::below;
use hashmill_os::roots::typed;
use hashmill_os::{names, open_to_read};
use hashmill_source::{Entry, Filter, IgnoreRules, Origin, Stdin, WalkItem, WalkOptions};
use own::OwnFiles;
use parking_lot::Mutex;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The path that stands for standard input.
const STDIN: &[u8] = b"-";

/// A path as bytes.
pub type Bytes = Box<[u8]>;

/// Operands in order.
type Operands = Box<dyn Iterator<Item = Bytes> + Send>;

/// The error that ended a list of paths early, if one did. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct ListError(Arc<Mutex<Option<io::Error>>>);

impl ListError {
    /// Takes the error, if there is one.
    pub fn take(&self) -> Option<io::Error> {
        self.slot().take()
    }

    /// Returns the message of the error, without taking it.
    pub fn problem(&self) -> Option<String> {
        self.slot().as_ref().map(|error| format!("cannot read the rest of the list of paths: {error}"))
    }

    fn slot(&self) -> parking_lot::MutexGuard<'_, Option<io::Error>> {
        self.0.lock()
    }
}

/// A list of paths.
#[derive(Debug, Clone)]
pub struct PathList {
    /// The file with the list; `None` is standard input.
    pub file: Option<PathBuf>,
    /// The byte after each path: a line feed or NUL.
    pub end: u8,
}

/// The entries that an operation works on.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Files and folders; `-` is standard input.
    pub paths: Vec<Bytes>,
    /// Another source of paths, which is read as the walk goes on.
    pub list: Option<PathList>,
    /// Whether paths of objects begin with their location also if there is only one.
    pub is_located: bool,
    /// Filter of the files in the folders.
    pub filter: Filter,
    /// Whether symbolic links below the paths are followed.
    pub follow: bool,
    /// Whether other file systems are not entered.
    pub one_file_system: bool,
    /// Whether the streams of files beside their content (NTFS) are entries, too.
    pub streams: bool,
    /// Whether directories without entries are entries, too.
    pub empty_folders: bool,
    /// Depth of the walk in directories: 1 is the files in the named folders, `None` is no limit.
    pub max_depth: Option<usize>,
    /// Rules for skipping files, relative to the named folders.
    pub rules: IgnoreRules,
    /// Names of files in the tree with rules for skipping files.
    pub ignore_files: Vec<Bytes>,
    /// The depth to which forensic images are read.
    pub inside: Inside,
    /// Whether each entry is read as soon as it is met. An object is then fetched once for itself and what is inside.
    pub is_read_at_once: bool,
    /// The files that these images may be layers over.
    pub backing: BackingFiles,
    /// The digests that these images state of their content, as far as the images were read.
    pub stated: Stated,
    /// EntryFacts about entries inside of images beside their content.
    pub facts: EntryFacts,
    /// The files that were not looked into.
    pub unread: NotLookedInto,
    /// Files that are not data: outputs of this run, lists that it reads, and files that belong to these.
    pub own: OwnFiles,
}

/// The entries of a walk, and the error that ended their list early.
pub struct Selected {
    /// The entries below the paths.
    pub entries: Entries,
    /// The error that ended the list of paths early; it is complete once the walk is done.
    pub problem: ListError,
}

impl Selection {
    /// Selects everything below some paths.
    pub fn from_paths<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Selection {
        let bytes = |path: P| names::path_bytes(path.as_ref()).into();
        Selection { paths: paths.into_iter().map(bytes).collect(), ..Selection::default() }
    }

    /// Checks the locations among the paths.
    ///
    /// # Errors
    /// [`Misfit::Place`] if one is not valid.
    pub fn check(&self, stores: &Stores) -> Result<(), Misfit> {
        self.paths.iter().filter(|path| stores.is_location(path)).try_for_each(|path| stores.check(path))
    }

    /// Returns whether any path is an object in a bucket: such objects may have versions.
    pub fn has_buckets(&self, stores: &Stores) -> bool {
        self.paths.iter().any(|path| stores.is_in_bucket(path))
    }

    /// Begins the walk. `timeout` limits the time for examining an entry.
    ///
    /// # Errors
    /// If the list can't be opened, if standard input would have to be both list and data, or if images are to be read
    /// and this build can't read them.
    pub fn open(self, resources: &Resources) -> Result<Selected, Error> {
        self.walk(resources.walk(), resources.memory, resources.threads().get(), &resources.stores)
    }

    /// Counts the entries of the walk in parallel to it. Nothing is counted where a second walk could not meet the same
    /// entries or would cost requests: with a list from a pipe, stores (their listings have sizes), and images
    /// (likewise).
    pub fn count(&self, resources: &Resources, live: &Arc<Live>) {
        let list = self.list.as_ref().map(|list| list.file.as_deref());
        let is_twice = list.is_none_or(|file| file.is_some_and(Path::is_file));
        let stores = resources.stores.clone();
        if !is_twice || self.inside.is_any() || self.paths.iter().any(|path| stores.is_location(path)) {
            return;
        }
        let options = counting::options(resources.walk());
        let selection = self.clone();
        counting::count(live, move || Some(selection.walk(options, 0, 0, &stores).ok()?.entries));
    }

    /// Returns options with the filters for paths, sizes and times.
    fn filters(&self, options: WalkOptions) -> WalkOptions {
        let (max_depth, rules, filter) = (self.max_depth, self.rules.clone(), self.filter.clone());
        WalkOptions { max_depth, rules, filter, ..options }
    }

    /// Returns the members of an archive in the place of a folder, as far as they are wanted; none if it is none.
    pub fn members(&self, archive: &[u8], resources: &Resources) -> Option<Entries> {
        as_folder(archive, resources, None, self.filters(resources.walk()))
    }

    /// Returns the files of an archive or image in the place of a folder, as far as they are wanted, with what is inside of
    /// them.
    pub fn chosen(&self, files: Entries, root: &[u8], resources: &Resources) -> Entries {
        let options = self.within(self.filters(resources.walk()));
        let filter = InsideFilter::new(Arc::new(options));
        let files = filter.clone().chosen_below(files, root);
        #[cfg(feature = "images")]
        let files = {
            let threads = resources.threads().get();
            let wanted = self.clone().wanted(filter, resources.memory, threads, &resources.stores);
            let is_far = resources.stores.is_location(root);
            crate::images::opened_below(files, root, is_far, &wanted)
        };
        Box::new(files.map(without_passages))
    }

    /// Returns options by which files that may contain others are met.
    fn within(&self, options: WalkOptions) -> WalkOptions {
        WalkOptions {
            #[cfg(feature = "images")]
            may_contain: crate::images::may_contain(&self.inside),
            ..options
        }
    }

    /// Returns what is to be looked into, and how.
    fn wanted(self, filter: InsideFilter, memory: usize, threads: usize, stores: &Stores) -> Wanted {
        let Selection { inside, backing, stated, facts, unread, is_read_at_once, .. } = self;
        let (memory, backing) = (cached(memory), backing.with_stores(stores));
        Wanted { inside, backing, stated, facts, unread, filter, memory, threads, is_read_at_once }
    }

    fn walk(
        mut self,
        options: WalkOptions,
        memory: usize,
        threads: usize,
        stores: &Stores,
    ) -> Result<Selected, Error> {
        self.check(stores)?;
        let problem = ListError::default();
        let locations = self.paths.iter().filter(|path| stores.is_location(path)).count();
        let options = WalkOptions {
            follow: self.follow,
            one_file_system: self.one_file_system,
            streams: self.streams,
            empty_folders: self.empty_folders,
            ignore_files: self.ignore_files.clone(),
            leave_out: self.own.identities().to_vec(),
            ..self.within(self.filters(options))
        };
        let is_listed = Arc::new(AtomicBool::default());
        let paths = std::mem::take(&mut self.paths);
        let operands = operands(paths, self.list.as_ref(), &problem, &is_listed, stores)?;
        // Paths of several begin with the location, to tell equal keys apart.
        let naming = match locations {
            0 => None,
            1 if !self.is_located => Some(Naming::Below),
            _ => Some(Naming::Located),
        };
        let filter = InsideFilter::new(Arc::new(options.clone()));
        let found = mixed::walk_all(operands, naming, options, stores);
        let found = Box::new(found.map(move |item| as_listed(item, &is_listed)));
        let wanted = self.wanted(filter, memory, threads, stores);
        #[cfg(feature = "images")]
        let entries = crate::images::opened(found, wanted);
        // The image files would pass for their content.
        #[cfg(not(feature = "images"))]
        let entries = match wanted.inside.is_any() {
            true => {
                let what = "forensic images and archives";
                return Err(Misfit::LeftOut { what, feature: "images" }.into());
            }
            false => found,
        };
        Ok(Selected { entries, problem })
    }

    /// Returns the name of the list, if there is one.
    pub fn list_name(&self) -> Option<&Path> {
        Some(self.list.as_ref()?.file.as_deref().unwrap_or(Path::new("-")))
    }
}

impl PathList {
    /// Makes a list of this name; `-` is standard input.
    pub fn named(name: &Path, end: u8) -> PathList {
        let file = (*names::path_bytes(name) != *STDIN).then(|| name.to_path_buf());
        PathList { file, end }
    }
}

/// Returns the paths, then those of the list.
fn operands(
    paths: Vec<Bytes>,
    list: Option<&PathList>,
    error: &ListError,
    is_listed: &Arc<AtomicBool>,
    stores: &Stores,
) -> Result<Operands, Error> {
    let Some(PathList { file, end }) = list else { return Ok(Box::new(paths.into_iter())) };
    let listed: Operands = match file {
        None if paths.iter().any(|path| **path == *STDIN) => return Err(Misfit::Stdin.into()),
        None => {
            let stdin = Stdin::open().map_err(FileError::of(STDIN, Tried::Open))?;
            let stdin = Box::new(BufReader::new(stdin));
            // Standard input is the list, so `-` in it is a file of this name.
            Box::new(
                lines(stdin, *end, error.clone())
                    .map(|path| if *path == *STDIN { b"./-".as_slice().into() } else { path }),
            )
        }
        Some(list) => {
            let file = open_to_read(list).map_err(FileError::at(list, Tried::Open))?;
            Box::new(lines(Box::new(BufReader::new(file)), *end, error.clone()))
        }
    };
    let (stores, is_listed) = (stores.clone(), Arc::clone(is_listed));
    let listed = listed.map(move |path| {
        is_listed.store(true, Ordering::Relaxed);
        as_file(path, &stores)
    });
    Ok(Box::new(paths.into_iter().chain(listed)))
}

/// Makes a path of a list one that is not waited for: a FIFO that a search found may never have a writer.
fn as_listed(item: WalkItem, is_listed: &AtomicBool) -> WalkItem {
    match item {
        WalkItem::File(entry) if entry.origin == Origin::Operand && is_listed.load(Ordering::Relaxed) => {
            WalkItem::File(Entry { origin: Origin::Listed, ..entry })
        }
        item => item,
    }
}

/// Makes a path of a list the path of a file: others may have written the list, and only typed locations may cause
/// requests.
fn as_file(path: Bytes, stores: &Stores) -> Bytes {
    if stores.is_location(&path) { [b"./", &*path].concat().into() } else { path }
}

/// Returns the parts of a list. Empty ones are skipped, as they name nothing.
fn lines(mut list: Box<dyn BufRead + Send>, end: u8, error: ListError) -> impl Iterator<Item = Bytes> + Send {
    let next = move || {
        let mut line = Vec::new();
        match list.read_until(end, &mut line) {
            Ok(0) => None,
            Ok(_) => Some(line),
            Err(source) => {
                *error.slot() = Some(source);
                None
            }
        }
    };
    let without_end = move |mut line: Vec<u8>| {
        if line.last() == Some(&end) {
            line.pop();
        }
        Bytes::from(typed(line))
    };
    std::iter::from_fn(next).map(without_end).filter(|path| !path.is_empty())
}

/// Converts bytes to a path. Those that no path has here give one that can't be looked up.
pub fn path_of(bytes: &[u8]) -> PathBuf {
    names::path_to_try(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &'static [u8], end: u8) -> Vec<Bytes> {
        lines(Box::new(text), end, ListError::default()).collect()
    }

    #[test]
    fn lists_are_bytes_between_ends() {
        let wanted: Vec<Bytes> =
            vec![b"a b".as_slice().into(), typed(b"\xff\r".to_vec()).into(), b"last".as_slice().into()];
        assert_eq!(parts(b"a b\n\n\xff\r\nlast", b'\n'), wanted);
        assert_eq!(parts(b"a\nb\0", 0), vec![Bytes::from(b"a\nb".as_slice())]);
    }
}
