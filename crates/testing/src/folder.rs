//! Temporary folders for single tests.

use crate::program::named;
use crate::watch::Watched;
use hashmill_os::names;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder for temporary files that is removed at the end. Names may contain any bytes. While it exists, its test is
/// watched, and named if it hangs.
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
    /// Creates an empty folder.
    pub fn new() -> Self {
        Folder { temporary: tempfile::tempdir().unwrap(), _watched: Watched::start() }
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.temporary.path()
    }

    /// Returns a path in the folder, as the system of the program that is tested has it ([`named`]).
    ///
    /// # Panics
    /// If no path of this system has these bytes.
    pub fn at(&self, name: impl AsRef<[u8]>) -> PathBuf {
        self.path().join(names::path(&named(name.as_ref())).unwrap())
    }

    /// Writes a file, and creates its parent folders.
    pub fn file(&self, name: impl AsRef<[u8]>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Makes a symbolic link. Windows lets few users do so.
    #[cfg(unix)]
    pub fn link(&self, name: impl AsRef<[u8]>, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.at(name)).unwrap();
    }

    /// Returns the sorted names of the folder's entries.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}
