//! The state of a file, by which a change between two reads is noticed.

use hashmill_os::{FileId, Links, facts, facts_at};
use std::fs::File;
use std::io;
use std::path::Path;

/// A value that changes when a file is written or replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileState {
    id: FileId,
    size: u64,
    mtime: (i64, u32),
    ctime: (i64, u32),
}

impl FileState {
    /// Returns the state of an open file.
    ///
    /// # Errors
    /// If the system doesn't tell.
    pub(crate) fn from_file(file: &File) -> io::Result<FileState> {
        facts(file).map(FileState::from_facts)
    }

    /// Returns the state of the file at a path.
    ///
    /// # Errors
    /// If there is none, or the system doesn't tell.
    pub(crate) fn at(path: &Path) -> io::Result<FileState> {
        facts_at(path, Links::Follow).map(FileState::from_facts)
    }

    /// Returns the state of a file with this metadata.
    pub(crate) fn from_facts(facts: hashmill_os::Facts) -> FileState {
        FileState { id: facts.id, size: facts.size, mtime: facts.mtime, ctime: facts.ctime }
    }
}
