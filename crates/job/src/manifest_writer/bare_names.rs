//! File names without their folders, and how many files share a name.

use hashmill_manifest::Record;
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

/// The maximum number of names to keep: about 100 MB.
const MAX_NAMES: usize = 4 << 20;

/// Replaces paths by bare names.
#[derive(Debug, Default)]
pub(crate) struct BareNames {
    /// Hashes of the names, eight bytes each.
    seen: HashSet<u64>,
    hasher: RandomState,
    shared: SharedNames,
}

/// Files whose name another file has, too.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SharedNames {
    /// The number of such files.
    pub files: u64,
    /// The path of the first of them.
    pub first: Box<[u8]>,
    /// Whether there were too many names to compare them all.
    pub is_part: bool,
}

impl BareNames {
    /// Returns the record with its bare name.
    pub(crate) fn take(&mut self, record: &Record) -> Record {
        let name = bare(&record.path);
        if record.piece.is_none() {
            self.note(&record.path, self.hasher.hash_one(name));
        }
        Record { path: name.into(), ..record.clone() }
    }

    fn note(&mut self, path: &[u8], name: u64) {
        if self.seen.contains(&name) {
            if self.shared.files == 0 {
                self.shared.first = path.into();
            }
            self.shared.files += 1;
        } else if self.seen.len() < MAX_NAMES {
            self.seen.insert(name);
        } else {
            self.shared.is_part = true;
        }
    }

    /// Returns the files that share a name, if there are any or not all names were compared.
    pub(crate) fn shared(&self) -> Option<&SharedNames> {
        Some(&self.shared).filter(|shared| shared.files > 0 || shared.is_part)
    }
}

/// Returns the part of the path after the last slash.
pub(crate) fn bare(path: &[u8]) -> &[u8] {
    &path[memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1)..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_manifest::Status;

    #[test]
    fn files_of_one_name_are_counted() {
        let mut names = BareNames::default();
        for (path, bare) in [("a/x", "x"), ("y", "y"), ("/b/x", "x"), ("c/d/x", "x"), ("-", "-")] {
            let record = names.take(&Record::bare(path.as_bytes().into(), Status::Hashed));
            assert_eq!(&*record.path, bare.as_bytes());
        }
        let shared = SharedNames { files: 2, first: b"/b/x".as_slice().into(), is_part: false };
        assert_eq!(names.shared(), Some(&shared));
    }
}
