//! The system's own files, below a root that tests replace.

use std::fs;
use std::path::{Component, Path, PathBuf};

/// Where `/proc`, `/sys` and `/dev` are looked for.
#[derive(Debug, Clone)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn new(path: &Path) -> Root {
        // Links in `/sys` are followed, so what they lead to must start with the root as it really is.
        Root(fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()))
    }

    /// An absolute path of the system, as a path of this process.
    pub(super) fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        let parts = path.as_ref().components().filter(|part| !matches!(part, Component::RootDir));
        self.0.join(parts.collect::<PathBuf>())
    }

    /// A path of the system with all links followed; none if nothing is there.
    pub(super) fn real(&self, path: impl AsRef<Path>) -> Option<PathBuf> {
        let real = fs::canonicalize(self.at(path)).ok()?;
        Some(Path::new("/").join(real.strip_prefix(&self.0).ok()?))
    }

    /// The text of a small file, without the line feed at its end.
    pub(super) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = fs::read(self.at(path)).ok()?;
        Some(String::from_utf8_lossy(&text).trim().to_string())
    }

    pub(super) fn bytes(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        fs::read(self.at(path)).ok()
    }

    /// The names in a directory, sorted; none if it can't be listed.
    pub(super) fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        let names = crate::names(&self.at(path)).unwrap_or_default();
        let mut names: Vec<String> = names.into_iter().filter_map(|name| name.into_string().ok()).collect();
        names.sort();
        names
    }
}
