//! Groups of files with the same content.

use hashloom_digest::{Algorithm, Digest};
use std::cmp::Reverse;
use std::collections::HashMap;

/// A path as bytes.
type Bytes = Box<[u8]>;

/// Files with the same content.
#[derive(Debug)]
pub struct Group {
    /// Bytes of each, where known.
    pub size: Option<u64>,
    /// The algorithm that says that they are the same.
    pub algorithm: &'static Algorithm,
    /// What it says.
    pub digest: Digest,
    /// At least two, in the order in which they were met.
    pub files: Vec<Single>,
}

/// A file, by the name under which it was met first.
#[derive(Debug, PartialEq, Eq)]
pub struct Single {
    /// That name.
    pub path: Bytes,
    /// Other names of the same file.
    pub links: Vec<Bytes>,
}

impl Group {
    /// Bytes that all but one of the files take, where known.
    pub fn wasted(&self) -> Option<u64> {
        self.size.map(|size| size.saturating_mul(self.duplicates()))
    }

    /// How many of the files could be spared.
    pub fn duplicates(&self) -> u64 {
        self.files.len().saturating_sub(1) as u64
    }
}

/// Size and digest.
type Content = (Option<u64>, Digest);

/// Groups in the making.
pub(super) struct Groups {
    algorithm: &'static Algorithm,
    /// By size and digest, each with its place among all files.
    files: HashMap<Content, Vec<(usize, Single)>>,
    met: usize,
}

impl Groups {
    /// Nothing yet. All digests that will come are of this algorithm.
    pub fn new(algorithm: &'static Algorithm) -> Groups {
        Groups { algorithm, files: HashMap::new(), met: 0 }
    }

    /// Adds a file.
    pub fn add(&mut self, size: Option<u64>, digest: Digest, file: Single) {
        self.files.entry((size, digest)).or_default().push((self.met, file));
        self.met += 1;
    }

    /// Those of two files and more: that with the greatest waste first, of equal ones that whose first file
    /// was met first.
    pub fn finish(self) -> Vec<Group> {
        let algorithm = self.algorithm;
        let several = self.files.into_iter().filter(|(_, files)| files.len() > 1);
        let mut groups: Vec<(usize, Group)> = several
            .map(|((size, digest), files)| {
                let first = files[0].0;
                let files = files.into_iter().map(|(_, file)| file).collect();
                (first, Group { size, algorithm, digest, files })
            })
            .collect();
        groups.sort_by_key(|(first, group)| (Reverse(group.wasted()), *first));
        groups.into_iter().map(|(_, group)| group).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashloom_digest::{find, hash};

    fn single(path: &str) -> Single {
        Single { path: path.as_bytes().into(), links: Vec::new() }
    }

    #[test]
    fn the_greatest_waste_comes_first_and_then_what_was_met_first() {
        let blake3 = find("blake3").unwrap();
        let mut groups = Groups::new(blake3);
        let files =
            [("a", 1), ("b", 9), ("c", 1), ("d", 9), ("e", 5), ("f", 1), ("g", 3), ("h", 3), ("i", 3)];
        for (path, size) in files {
            groups.add(Some(size), hash(blake3, &size.to_le_bytes()), single(path));
        }
        groups.add(Some(9), hash(blake3, b"other content of that size"), single("z"));
        let found = groups.finish();
        let paths = |group: &Group| {
            let paths = group.files.iter().map(|file| String::from_utf8_lossy(&file.path).into_owned());
            paths.collect::<String>()
        };
        assert_eq!(found.iter().map(paths).collect::<Vec<_>>(), ["bd", "ghi", "acf"]);
        assert_eq!(found.iter().map(|group| group.wasted().unwrap()).collect::<Vec<_>>(), [9, 6, 2]);
    }
}
