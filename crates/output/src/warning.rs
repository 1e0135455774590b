//! Warnings that can't be returned to a caller, such as a file that is left behind as the process ends.

use hashmill_terminal::Shown;
use std::fmt;
use std::io;
use std::path::Path;

/// An unexpected event that does not stop anything.
#[derive(Debug)]
#[non_exhaustive]
pub enum Warning<'a> {
    /// A useless file can't be removed.
    Left {
        /// The file.
        path: &'a Path,
        /// The reason.
        why: &'a io::Error,
    },
    /// Something other than a regular file had the name of a file that this run writes; it was removed.
    Replaced {
        /// Its path.
        path: &'a Path,
        /// The noun for it, with an article.
        kind: &'static str,
    },
    /// The file system has no locks: runs that write the same output can't detect each other.
    Unlocked {
        /// A folder of the file system.
        folder: &'a Path,
    },
    /// A secret can be read or written by others than its owner.
    OpenSecret {
        /// The file.
        path: &'a Path,
        /// Its permissions.
        mode: u32,
    },
    /// The file is complete, but its folder can't be synchronised to the disk.
    PowerCut {
        /// The file, as it was named.
        path: &'a [u8],
        /// Its folder.
        folder: &'a Path,
        /// The reason.
        why: &'a io::Error,
    },
}

impl fmt::Display for Warning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Left { path, why } => {
                write!(f, "{}: can't be removed, but is useless: {why}", Shown::path(path))
            }
            Warning::Replaced { path, kind } => {
                write!(f, "{}: was {kind}, which was removed and not used", Shown::path(path))
            }
            Warning::Unlocked { folder } => {
                let folder = Shown::path(folder);
                write!(
                    f,
                    "{folder}: this file system has no locks; start no second run that writes the same output"
                )
            }
            Warning::OpenSecret { path, mode } => {
                let path = Shown::path(path);
                write!(f, "{path}: others may use this secret (mode {mode:04o}; chmod 600 keeps it yours)")
            }
            Warning::PowerCut { path, folder, why } => {
                let (path, folder) = (Shown(path), Shown::path(folder));
                write!(f, "{path}: was written, but a power cut may undo it: {folder}: {why}")
            }
        }
    }
}
