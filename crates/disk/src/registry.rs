//! The table of file systems: how each is recognised and opened.
//!
//! To add one: a folder with a type that implements [`FileSystem`], a row here, kinds in `info.rs`, and a fuzz target.

use crate::cache::Cached;
use crate::foreign::{Foreign, foreign};
use crate::{FileSystem, Medium, Problem, exfat, ext, fat, iso9660, ntfs};
use std::sync::Arc;

/// A way to recognise and open one format.
#[derive(Debug)]
pub struct FileSystemFormat {
    /// The name of the format.
    pub name: &'static str,
    /// Returns whether the medium looks like it. It reads a few sectors.
    pub recognizes: fn(&dyn Medium) -> bool,
    /// Opens it. The medium keeps what was read last: it is for metadata.
    pub open: Open,
}

/// A function that opens one format.
pub type Open = fn(Arc<dyn Medium>) -> Result<Box<dyn FileSystem>, Problem>;

/// All formats, in the order in which they are tried. Copies of boot sectors and superblocks may be left of an earlier file
/// system: they come last.
pub static FILE_SYSTEMS: &[FileSystemFormat] = &[
    FileSystemFormat { name: "ntfs", recognizes: ntfs::recognizes, open: ntfs::open },
    FileSystemFormat { name: "ext", recognizes: ext::recognizes, open: ext::open },
    FileSystemFormat { name: "exfat", recognizes: exfat::recognizes, open: exfat::open },
    FileSystemFormat { name: "fat", recognizes: fat::recognizes, open: fat::open },
    FileSystemFormat { name: "iso9660", recognizes: iso9660::recognizes, open: iso9660::open },
    FileSystemFormat { name: "ntfs by its copy", recognizes: ntfs::recognizes_by_copy, open: ntfs::open },
    FileSystemFormat { name: "ext by its copy", recognizes: ext::recognizes_damaged, open: ext::open },
    FileSystemFormat { name: "exfat by its copy", recognizes: exfat::recognizes_copy, open: exfat::open },
    FileSystemFormat { name: "fat by its copy", recognizes: fat::recognizes_copy, open: fat::open },
];

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

/// Recognises and opens the file system on a medium.
///
/// # Errors
/// If it is one that can be read, but is damaged too much.
pub fn file_system(medium: &Arc<dyn Medium>) -> Result<DiskContent, Problem> {
    let medium: Arc<dyn Medium> = Arc::new(Cached::new(Arc::clone(medium)));
    let Some(row) = FILE_SYSTEMS.iter().find(|row| (row.recognizes)(&*medium)) else {
        let told = |foreign: &Foreign| DiskContent::Foreign {
            name: foreign.name,
            is_encrypted: foreign.is_encrypted,
        };
        return Ok(foreign(&*medium).map_or(DiskContent::Nothing, told));
    };
    (row.open)(medium).map(DiskContent::FileSystem)
}

/// Returns whether a medium holds something that is known by its name.
pub(crate) fn is_known(medium: &dyn Medium) -> bool {
    FILE_SYSTEMS.iter().any(|row| (row.recognizes)(medium)) || foreign(medium).is_some()
}
