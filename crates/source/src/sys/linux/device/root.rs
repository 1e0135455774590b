//! The system's own files, below a root that tests replace.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// The directory that contains `/proc`, `/sys` and `/dev`.
#[derive(Debug, Clone)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn new(path: &Path) -> Root {
        // Links in `/sys` are followed, so their targets must start with the canonical root.
        Root(fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()))
    }

    /// Returns an absolute path of the system as a path of this process.
    pub(super) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        let parts = path.as_ref().components().filter(|part| !matches!(part, Component::RootDir));
        self.0.join(parts.collect::<PathBuf>())
    }

    /// Resolves all links of a path of the system; `None` if nothing is there.
    pub(super) fn real(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        let real = fs::canonicalize(self.at(path)).ok()?;
        Some(Path::new("/").join(real.strip_prefix(&self.0).ok()?))
    }

    /// Reads a small file as text, trimmed.
    pub(super) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = fs::read(self.at(path)).ok()?;
        Some(String::from_utf8_lossy(&text).trim().to_string())
    }

    pub(super) fn bytes(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        fs::read(self.at(path)).ok()
    }

    /// Returns the sorted names in a directory; none if it can't be listed.
    pub(super) fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        let names = hashmill_os::all_names_in(&self.at(path)).unwrap_or_default();
        let mut names: Vec<String> = names.into_iter().filter_map(|name| name.into_string().ok()).collect();
        names.sort();
        names
    }
}
