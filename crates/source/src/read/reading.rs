//! The settings of a run for reading files, and notes about files that could not be read accordingly.

use super::aligned::ALIGNMENT;
use crate::Rate;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Settings for reading files. By default they are read through the page cache, without limits of rate or time. Clones
/// share the notes and the rate.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// How the page cache is used.
    pub io: Io,
    /// Whether what is cached of a file is dropped before it is read. [`Reader::is_fresh`](crate::Reader::is_fresh) then tells whether
    /// that succeeded.
    pub fresh: bool,
    /// Whether holes of sparse files are read as well, so that their zeros are no claim of the file system. [`Io::Direct`] and
    /// [`Reading::fresh`] imply it.
    pub reads_holes: bool,
    /// Whether cached files are mapped, with [`Io::Auto`].
    pub mapping: MapFiles,
    /// How unreadable parts of a file are handled.
    pub bad_blocks: BadBlocks,
    /// The time limit for opening a file, reading its metadata, and each read of it. Reads of pipes and terminals have
    /// no limit.
    pub timeout: Option<Duration>,
    /// Whether files whose content a cloud has are read, which downloads it.
    pub hydrate: bool,
    /// The limit on the bytes read per second.
    pub rate: Option<Arc<Rate>>,
    /// Notes that are added while files are read.
    pub notes: Notes,
}

/// How the page cache is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Io {
    /// Reads through the cache. Files larger than half of the memory leave it unchanged.
    #[default]
    Auto,
    /// Reads through the cache. Large files leave it unchanged.
    Buffered,
    /// Bypasses the cache if the file system supports it.
    Direct,
}

/// Whether cached files are mapped rather than copied. The default is the value of the environment variable
/// `HASHMILL_MAP` (`try`, `always`, `never`), or else [`MapFiles::Try`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapFiles {
    /// Files are mapped if that is faster, which a run measures.
    Try,
    /// Files are mapped whenever possible.
    Always,
    /// Files are never mapped.
    Never,
}

/// The environment variable that says whether files are mapped.
const VARIABLE: &str = "HASHMILL_MAP";

/// A value of `HASHMILL_MAP` that has no meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadMapping(String);

impl fmt::Display for BadMapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{VARIABLE}: '{}' is none of try, always and never", self.0)
    }
}

impl std::error::Error for BadMapping {}

impl MapFiles {
    /// Returns the value of `HASHMILL_MAP`, or [`MapFiles::Try`] without it.
    ///
    /// # Errors
    /// If the value has no meaning.
    pub fn from_env() -> Result<MapFiles, BadMapping> {
        let Some(value) = env::var_os(VARIABLE) else { return Ok(MapFiles::Try) };
        match value.to_str() {
            Some("always") => Ok(MapFiles::Always),
            Some("never") => Ok(MapFiles::Never),
            Some("try" | "") => Ok(MapFiles::Try),
            _ => Err(BadMapping(value.to_string_lossy().into_owned())),
        }
    }
}

impl Default for MapFiles {
    fn default() -> MapFiles {
        static ASKED: OnceLock<MapFiles> = OnceLock::new();
        *ASKED.get_or_init(|| MapFiles::from_env().unwrap_or(MapFiles::Try))
    }
}

/// How unreadable parts of a file are handled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BadBlocks {
    /// The file fails.
    #[default]
    Fail,
    /// They are read as zeros, and listed by [`Reader::bad_blocks`](crate::Reader::bad_blocks).
    Zero,
}

/// Files that could not be read directly, by file system.
#[derive(Debug, Clone, Default)]
pub struct Notes(Arc<Mutex<BTreeMap<u64, Note>>>);

/// Files of one file system that could not be read directly although that was requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The first of their paths in byte order.
    pub path: Box<[u8]>,
    /// The number of files.
    pub files: u64,
}

impl Reading {
    /// Returns whether holes are zeros that need not be read.
    pub(crate) fn trusts_holes(&self) -> bool {
        !self.reads_holes && !self.fresh && self.io != Io::Direct
    }

    /// Returns the alignment in bytes that offsets, lengths and addresses of buffers should have. Others work, but cost
    /// a copy.
    pub fn alignment(&self) -> usize {
        if self.io == Io::Direct { ALIGNMENT } else { 1 }
    }
}

impl Notes {
    /// Takes the notes added since the last call, one for each file system.
    pub fn take(&self) -> Vec<Note> {
        let notes = std::mem::take(&mut *self.0.lock());
        notes.into_values().collect()
    }

    pub(crate) fn add(&self, device: u64, path: &[u8]) {
        let mut notes = self.0.lock();
        let note = notes.entry(device).or_insert_with(|| Note { path: path.into(), files: 0 });
        note.files += 1;
        if path < &*note.path {
            note.path = path.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_one_for_each_file_system() {
        let notes = Notes::default();
        for (device, path) in [(2, "b"), (1, "z"), (2, "a"), (2, "c")] {
            notes.add(device, path.as_bytes());
        }
        let note = |path: &str, files| Note { path: path.as_bytes().into(), files };
        assert_eq!(notes.clone().take(), [note("z", 1), note("a", 3)]);
        assert_eq!(notes.take(), []);
    }
}
