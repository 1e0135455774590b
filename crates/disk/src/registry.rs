//! The table of file systems: how each is recognised and opened.
//!
//! To add one: a folder with a type that implements [`FileSystem`], a row here, kinds in `info.rs`, and a fuzz target.

use crate::foreign::{Foreign, beside, foreign};
use crate::medium::cache::Cached;
use crate::{FileSystem, Medium, Problem, exfat, ext, fat, iso9660, ntfs};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// A way to recognise and open one format.
#[derive(Debug)]
pub struct FileSystemFormat {
    /// The name of the format.
    pub name: &'static str,
    /// Returns whether the medium looks like it. It reads a few sectors.
    pub recognizes: fn(&dyn Medium) -> bool,
    /// Opens it. The medium keeps what was read last: it is for metadata.
    pub open: Open,
    /// Whether it is recognised by a copy of what it begins with. That may be left of an earlier file system.
    pub is_by_copy: bool,
}

/// A function that opens one format.
pub type Open = fn(Arc<dyn Medium>) -> Result<Box<dyn FileSystem>, Problem>;

/// All formats, in the order in which they are tried.
pub static FILE_SYSTEMS: &[FileSystemFormat] = &[
    first("ntfs", ntfs::recognizes, ntfs::open),
    first("ext", ext::recognizes, ext::open),
    first("exfat", exfat::recognizes, exfat::open),
    first("fat", fat::recognizes, fat::open),
    first("iso9660", iso9660::recognizes, iso9660::open),
    by_copy("ntfs by its copy", ntfs::recognizes_by_copy, ntfs::open),
    by_copy("ext by its copy", ext::recognizes_damaged, ext::open),
    by_copy("exfat by its copy", exfat::recognizes_copy, exfat::open),
    by_copy("fat by its copy", fat::recognizes_copy, fat::open),
];

const fn first(name: &'static str, recognizes: fn(&dyn Medium) -> bool, open: Open) -> FileSystemFormat {
    FileSystemFormat { name, recognizes, open, is_by_copy: false }
}

const fn by_copy(name: &'static str, recognizes: fn(&dyn Medium) -> bool, open: Open) -> FileSystemFormat {
    FileSystemFormat { name, recognizes, open, is_by_copy: true }
}

/// The content of a medium.
#[derive(Debug)]
pub enum DiskContent {
    /// A file system that can be read.
    FileSystem(Box<dyn FileSystem>),
    /// Something that is known by its name, but can't be read: an encrypted volume, another file system.
    Foreign {
        /// Its name.
        name: &'static str,
        /// Whether it is encrypted: no program reads it without its key.
        is_encrypted: bool,
    },
    /// Nothing that is known.
    Nothing,
}

/// Recognises and opens the file system on a medium. What else it may be taken for is among the doubts of the file system.
///
/// # Errors
/// If it is one that can be read, but is damaged too much, or nothing is recognised and a part of the medium that would
/// tell can't be read.
pub fn file_system(medium: &Arc<dyn Medium>) -> Result<DiskContent, Problem> {
    let watched = Arc::new(Watched { medium: Arc::clone(medium), failed: Mutex::default() });
    let medium: Arc<dyn Medium> = Arc::new(Cached::new(Arc::clone(&watched) as _));
    let Some(row) = FILE_SYSTEMS.iter().find(|row| (row.recognizes)(&*medium)) else {
        let told = |foreign: &Foreign| DiskContent::Foreign {
            name: foreign.name,
            is_encrypted: foreign.is_encrypted,
        };
        return match (foreign(&*medium), watched.take()) {
            (Some(foreign), _) => Ok(told(foreign)),
            (None, Some(failed)) => Err(failed),
            (None, None) => Ok(DiskContent::Nothing),
        };
    };
    let failed = watched.take().filter(|_| row.is_by_copy);
    let mut system = (row.open)(Arc::clone(&medium))?;
    let doubts = system.doubts();
    doubts.extend(failed);
    doubts.extend(names(&*medium).filter(|name| *name != row.name).map(|name| {
        Problem::ambiguous(format!("the same place has the beginning of another file system, {name}"))
    }));
    Ok(DiskContent::FileSystem(system))
}

/// Opens the file systems that a medium may be taken for beside the one that [`file_system`] returns, with the names of
/// their formats. One that can't be opened is none.
pub fn other_file_systems(medium: &Arc<dyn Medium>) -> Vec<(&'static str, Box<dyn FileSystem>)> {
    let medium: Arc<dyn Medium> = Arc::new(Cached::new(Arc::clone(medium)));
    let rows = FILE_SYSTEMS.iter().filter(|row| !row.is_by_copy && (row.recognizes)(&*medium)).skip(1);
    rows.filter_map(|row| Some((row.name, (row.open)(Arc::clone(&medium)).ok()?))).collect()
}

/// Returns the names of what a medium may be taken for by its beginning.
pub(crate) fn names(medium: &dyn Medium) -> impl Iterator<Item = &'static str> + '_ {
    let own = FILE_SYSTEMS.iter().filter(move |row| !row.is_by_copy && (row.recognizes)(medium));
    own.map(|row| row.name).chain(beside(medium).map(|foreign| foreign.name))
}

/// Returns whether a medium holds something that is known by its name.
pub(crate) fn is_known(medium: &dyn Medium) -> bool {
    FILE_SYSTEMS.iter().any(|row| (row.recognizes)(medium)) || foreign(medium).is_some()
}

/// A medium that keeps why it could not be read, as those who only look whether something is there don't tell.
#[derive(Debug)]
struct Watched {
    medium: Arc<dyn Medium>,
    failed: Mutex<Option<Problem>>,
}

impl Watched {
    fn take(&self) -> Option<Problem> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Medium for Watched {
    fn size(&self) -> u64 {
        self.medium.size()
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.medium.read_at(position, buffer).inspect_err(|error| {
            // A place beyond the end can't be there.
            if error.kind() != io::ErrorKind::UnexpectedEof {
                let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
                failed.get_or_insert_with(|| io::Error::new(error.kind(), error.to_string()).into());
            }
        })
    }

    fn limited_to(&self, range: std::ops::Range<u64>) -> Option<Arc<dyn Medium>> {
        self.medium.limited_to(range)
    }
}
