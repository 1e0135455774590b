//! The settings of a run for reading files, and notes about files that could not be read so.

use crate::Rate;
use crate::aligned::ALIGNMENT;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::env;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How files are read. By default through the page cache, without limits of rate or time. Clones share the notes and the
/// rate.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// What becomes of the page cache.
    pub io: Io,
    /// Whether files that are in memory are mapped, with [`Io::Auto`].
    pub mapping: MapFiles,
    /// What becomes of a file with parts that can't be read.
    pub bad_blocks: BadBlocks,
    /// The most time that opening a file, asking for its metadata, or one read of it may take. Reads of pipes and
    /// terminals have no limit.
    pub timeout: Option<Duration>,
    /// The most bytes that are read in a second.
    pub rate: Option<Arc<Rate>>,
    /// Notes that are made while files are read.
    pub notes: Notes,
}

/// What becomes of the page cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Io {
    /// Files are read through it. Those larger than half of the memory leave nothing there that was not there before.
    #[default]
    Auto,
    /// Files are read through it. Large ones leave nothing there that was not there before.
    Buffered,
    /// Files are read past it, where the file system can do that.
    Direct,
}

/// Whether files that are in memory are mapped rather than copied. The default is what the environment variable
/// `HASHLOOM_MAP` says (`try`, `always`, `never`), else [`MapFiles::Try`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapFiles {
    /// Where that is faster, which a run finds out.
    Try,
    /// Wherever it can be done.
    Always,
    /// Nowhere.
    Never,
}

impl Default for MapFiles {
    fn default() -> MapFiles {
        static ASKED: OnceLock<MapFiles> = OnceLock::new();
        *ASKED.get_or_init(|| match env::var("HASHLOOM_MAP").as_deref() {
            Ok("always") => MapFiles::Always,
            Ok("never") => MapFiles::Never,
            _ => MapFiles::Try,
        })
    }
}

/// What becomes of a file with parts that can't be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum BadBlocks {
    /// It fails.
    #[default]
    Fail,
    /// They are read as zeros, and listed by [`Reader::bad_blocks`](crate::Reader::bad_blocks).
    Zero,
}

/// Files that could not be read past the page cache, by file system.
#[derive(Debug, Clone, Default)]
pub struct Notes(Arc<Mutex<BTreeMap<u64, Note>>>);

/// Files of one file system that could not be read past the page cache although that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// One of them: the first in the order of bytes.
    pub path: Box<[u8]>,
    /// How many there were.
    pub files: u64,
}

impl Reading {
    /// Offsets, lengths and addresses of buffers should be multiples of this, in bytes. Others work, too, but cost a copy.
    pub fn alignment(&self) -> usize {
        if self.io == Io::Direct { ALIGNMENT } else { 1 }
    }
}

impl Notes {
    /// What was noted since the last call, a note for each file system.
    pub fn take(&self) -> Vec<Note> {
        let notes = std::mem::take(&mut *self.0.lock());
        notes.into_values().collect()
    }

    /// Notes a file on this device.
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
