//! Folders of one test's own.

use crate::watch::Watched;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder for temporary files that is removed at the end. Names may hold any bytes. While it is there, the test that
/// made it is watched: one that hangs is named.
#[derive(Debug)]
pub struct Folder {
    temporary: TempDir,
    _watched: Watched,
}

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Folder {
    /// An empty folder.
    pub fn new() -> Self {
        Folder { temporary: tempfile::tempdir().unwrap(), _watched: Watched::start() }
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// A path in the folder.
    pub fn at(&self, name: impl AsRef<[u8]>) -> PathBuf {
        self.path().join(OsStr::from_bytes(name.as_ref()))
    }

    /// Writes a file, and makes the folders that it lies in.
    pub fn file(&self, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Makes a symbolic link.
    pub fn link(&self, name: impl AsRef<[u8]>, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.at(name)).unwrap();
    }

    /// The names at the top of the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}
