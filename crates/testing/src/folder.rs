//! Folders of one test's own.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder for temporary files that is removed at the end. Names may hold any bytes.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Default for Folder {
    fn default() -> Self {
        Self::new()
    }
}

impl Folder {
    /// An empty folder.
    pub fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        self.0.path()
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
