//! Lookups of metadata; of many entries below an operand, with one lookup for each directory.

use crate::fd_limit::retry_at_fd_limit;
use crate::{Entry, Meta, OperandDirectory, Problem, path, sys};
use hashmill_os::{Links, names};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The directory of the last lookup. Entries of one directory come one after another, so its path has to be looked up
/// only once.
#[derive(Debug, Default)]
pub struct ParentCache(Option<(Arc<OperandDirectory>, Box<[u8]>, File)>);

impl ParentCache {
    /// Returns the metadata of a file that a walk found. If it is a symbolic link now, it counts as swapped, unless the
    /// walk follows links.
    ///
    /// # Errors
    /// If nothing is there, or it can't be looked up.
    pub fn meta(&mut self, entry: &Entry) -> Result<Meta, Problem> {
        let Some(operand) = &entry.operand else {
            return sys::stat(&entry.path, Links::Follow).map_err(Problem::Stat);
        };
        let asked = self.look(operand, &entry.path);
        let meta = asked.map_err(|source| Problem::of_walked(source, Problem::Stat))?;
        if meta.is_link() { Err(Problem::Swapped) } else { Ok(meta) }
    }

    /// Returns the metadata of a path below an operand; of a link, its own.
    pub(crate) fn look(&mut self, operand: &Arc<OperandDirectory>, path: &[u8]) -> io::Result<Meta> {
        let name = path::name(path);
        let above = &path[..path.len() - name.len()];
        let known = self.0.as_ref().is_some_and(|(of, at, _)| Arc::ptr_eq(of, operand) && **at == *above);
        if !known {
            // Closed before another is opened: there may be no descriptor to spare.
            self.0 = None;
            let parent = retry_at_fd_limit(|| operand.open_parent(path))?;
            self.0 = Some((Arc::clone(operand), above.into(), parent));
        }
        let Some((_, _, parent)) = &self.0 else { return Err(io::ErrorKind::NotFound.into()) };
        sys::stat_in(parent, name, Links::Stay)
    }
}

impl Meta {
    /// Returns the metadata of the file at a path, following links.
    ///
    /// # Errors
    /// If there is none, or it can't be looked up.
    pub fn at(path: &Path) -> io::Result<Meta> {
        sys::stat(&names::path_bytes(path), Links::Follow)
    }
}

impl Entry {
    /// Returns the current metadata of the file. For many files, use a [`ParentCache`].
    ///
    /// # Errors
    /// As [`ParentCache::meta`].
    pub fn meta(&self) -> Result<Meta, Problem> {
        ParentCache::default().meta(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_cached_parent_answers_for_its_own_entries_only() {
        let folder = std::env::temp_dir().join(format!("hashmill-parents-{}", std::process::id()));
        fs::create_dir_all(folder.join("tree/d")).unwrap();
        fs::write(folder.join("tree/d/file"), "inside").unwrap();
        fs::write(folder.join("tree/other"), "12345678").unwrap();
        let bytes = |name: &str| names::into_path_bytes(folder.join(name));
        let tree = Arc::new(OperandDirectory::open(&bytes("tree")).unwrap());
        let mut cache = ParentCache::default();
        let mut size = |name: &str| cache.look(&tree, &bytes(name)).unwrap().size;
        for _ in 0..2 {
            assert_eq!((size("tree/d/file"), size("tree/d/file"), size("tree/other")), (6, 6, 8));
        }
        // Not every system removes a directory that is open.
        drop((cache, tree));
        fs::remove_dir_all(&folder).unwrap();
    }
}
