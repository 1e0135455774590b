//! The file on this machine that an entry is, or lies in.

use hashmill_os::{Links, facts_at, names};
use hashmill_source::{Identity, Meta, identity};

/// A file on this machine that an entry is, or lies in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct OuterFile {
    pub(crate) path: Box<[u8]>,
    pub(crate) id: Identity,
}

impl OuterFile {
    /// Finds the file of an entry with these metadata; none if it lies elsewhere, or if the file system doesn't tell files
    /// apart. `last` is that of the entry before.
    pub(crate) fn of(path: &[u8], meta: &Meta, last: &OuterFile) -> Option<OuterFile> {
        let is_inside = memchr::memmem::find(path, b"!/").is_some();
        match meta {
            Meta { ino: 0, dev: 0, .. } if !is_inside => None,
            Meta { ino: 1.., .. } if !is_inside => {
                Some(OuterFile { path: path.into(), id: (meta.dev, meta.ino) })
            }
            _ if last.has(path) => Some(last.clone()),
            _ => OuterFile::around(path),
        }
    }

    /// Finds the file at a path, or the one in the place of a folder in it.
    pub(crate) fn around(path: &[u8]) -> Option<OuterFile> {
        let slashes = memchr::memchr_iter(b'/', path).filter(|slash| *slash > 0);
        // A folder may be named like a container, too: the first part that is a file is the one.
        let parts = slashes.map(|slash| &path[..slash]).chain([path]);
        let parts = parts.flat_map(|part| part.strip_suffix(b"!").into_iter().chain([part]));
        parts.filter(|part| !part.is_empty()).find_map(|part| {
            let facts = facts_at(&names::path_to_try(part), Links::Follow).ok()?;
            let is_one = !facts.is_folder() && facts.id.1 != 0;
            is_one.then(|| OuterFile { path: part.into(), id: identity(facts.id) })
        })
    }

    /// Returns whether a path is that of the file, or of something in it.
    pub(crate) fn has(&self, path: &[u8]) -> bool {
        let rest = path.strip_prefix(&*self.path).filter(|_| !self.path.is_empty());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"!/") || rest.starts_with(b"/"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_first_part_of_a_path_that_is_a_file_is_the_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| names::path_bytes(&folder.path().join(name)).into_owned();
        fs::create_dir(folder.path().join("d!")).unwrap();
        for name in ["a.zip", "d!/b.zip", "c!"] {
            fs::write(folder.path().join(name), name).unwrap();
        }
        for (of, outer) in [
            ("a.zip!/x/y", Some("a.zip")),
            ("a.zip!/b.zip!/y", Some("a.zip")),
            ("a.zip/x", Some("a.zip")),
            ("a.zip", Some("a.zip")),
            ("d!/b.zip!/x", Some("d!/b.zip")),
            ("c!/x", Some("c!")),
            ("none/x", None),
        ] {
            let found = OuterFile::around(&path(of));
            assert_eq!(found.as_ref().map(|found| found.path.to_vec()), outer.map(path), "{of}");
            assert!(found.is_none_or(|found| found.has(&path(of))), "{of}");
        }
    }
}
