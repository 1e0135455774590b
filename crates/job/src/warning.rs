//! Warnings that no caller can be told, such as a file that is left behind as the process ends.

use crate::shown::Shown;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

/// Something unexpected that stops nothing.
#[derive(Debug)]
#[non_exhaustive]
pub enum Warning<'a> {
    /// A file that is of no use any more can't be removed.
    Left {
        /// The file.
        path: &'a Path,
        /// Why not.
        why: &'a io::Error,
    },
    /// Something else than a file lay where this run writes one; it was removed.
    Replaced {
        /// Where.
        path: &'a Path,
        /// What it was, in words.
        kind: &'static str,
    },
    /// The file system has no locks: runs that write the same output don't see each other.
    Unlocked {
        /// A folder of it.
        folder: &'a Path,
    },
    /// Others than its owner may read or write a secret.
    OpenSecret {
        /// The file.
        path: &'a Path,
        /// Its permissions.
        mode: u32,
    },
    /// The file is whole, but its folder can't be brought onto the disk.
    PowerCut {
        /// The file, as it was named.
        path: &'a [u8],
        /// Its folder.
        folder: &'a Path,
        /// Why not.
        why: &'a io::Error,
    },
}

static TAKE: OnceLock<fn(&Warning<'_>)> = OnceLock::new();

/// From now on warnings of this process go to `take`; without it nobody hears them. The first call counts.
pub fn on_warning(take: fn(&Warning<'_>)) {
    let _ = TAKE.set(take);
    hashloom_known::on_left_behind(|path, why| warn(&Warning::Left { path, why }));
}

pub(crate) fn warn(warning: &Warning<'_>) {
    if let Some(take) = TAKE.get() {
        take(warning);
    }
}

impl fmt::Display for Warning<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::Left { path, why } => {
                write!(f, "{}: can't be removed, and is of no use: {why}", Shown::path(path))
            }
            Warning::Replaced { path, kind } => {
                write!(f, "{}: was {kind}; it was removed, and not used", Shown::path(path))
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
