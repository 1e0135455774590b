//! Groups of files with the same content.

use hashmill_digest::{Algorithm, Digest};
use std::cmp::Reverse;
use std::collections::HashMap;

/// A path as bytes.
type Bytes = Box<[u8]>;

/// Files with the same content.
#[derive(Debug)]
pub struct Group {
    /// The size of each file in bytes, if known.
    pub size: Option<u64>,
    /// The algorithm of the digest, if there is one.
    pub algorithm: &'static Algorithm,
    /// The digest of each file; `None` if every byte was compared instead.
    pub digest: Option<Digest>,
    /// At least two, in the order in which they were met.
    pub files: Vec<Single>,
}

/// A file, with the name under which it was met first.
#[derive(Debug, PartialEq, Eq)]
pub struct Single {
    /// The first name.
    pub path: Bytes,
    /// Other names of the same file.
    pub links: Vec<Bytes>,
}

impl Group {
    /// Returns the number of bytes that all files but one take, if known.
    pub fn wasted(&self) -> Option<u64> {
        self.size.map(|size| size.saturating_mul(self.duplicates()))
    }

    /// Returns the number of files that could be spared.
    pub fn duplicates(&self) -> u64 {
        self.files.len().saturating_sub(1) as u64
    }
}

/// The size and the digest of a file.
type SizeAndDigest = (Option<u64>, Digest);

/// Files with the same content, each with its place among all files.
type Same = Vec<(usize, Single)>;

/// Groups that are being collected.
pub(super) struct Groups {
    algorithm: &'static Algorithm,
    /// Hashed files by size and digest.
    files: HashMap<SizeAndDigest, Same>,
    /// Files whose bytes were compared, with the size of each.
    compared: Vec<(u64, Same)>,
}

impl Groups {
    /// Makes an empty collection. All digests to come are of this algorithm.
    pub fn new(algorithm: &'static Algorithm) -> Groups {
        Groups { algorithm, files: HashMap::new(), compared: Vec::new() }
    }

    /// Adds a file, with its place among all files.
    pub fn add(&mut self, size: Option<u64>, digest: Digest, place: usize, file: Single) {
        self.files.entry((size, digest)).or_default().push((place, file));
    }

    /// Adds files of this size whose bytes are the same, at least two, each with its place among all files.
    pub fn add_compared(&mut self, size: u64, files: Vec<(usize, Single)>) {
        self.compared.push((size, files));
    }

    /// Returns the groups of at least two files. Groups that waste most bytes come first, and among equal ones the
    /// group whose first file was met first.
    pub fn finish(self) -> Vec<Group> {
        let algorithm = self.algorithm;
        let hashed = self.files.into_iter().filter(|(_, files)| files.len() > 1);
        let hashed = hashed.map(|((size, digest), files)| (size, Some(digest), files));
        let compared = self.compared.into_iter().map(|(size, files)| (Some(size), None, files));
        let mut groups: Vec<(usize, Group)> = hashed
            .chain(compared)
            .map(|(size, digest, mut files)| {
                files.sort_by_key(|(place, _)| *place);
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
    use hashmill_digest::{find, hash};

    fn single(path: &str) -> Single {
        Single { path: path.as_bytes().into(), links: Vec::new() }
    }

    #[test]
    fn the_greatest_waste_comes_first_and_then_what_was_met_first() {
        let blake3 = find("blake3").unwrap();
        let mut groups = Groups::new(blake3);
        let files =
            [("a", 1), ("b", 9), ("c", 1), ("d", 9), ("e", 5), ("f", 1), ("g", 3), ("h", 3), ("i", 3)];
        for (place, (path, size)) in files.into_iter().enumerate().filter(|(_, (_, size))| *size != 9) {
            groups.add(Some(size), hash(blake3, &size.to_le_bytes()), place, single(path));
        }
        groups.add(Some(9), hash(blake3, b"other content of that size"), 9, single("z"));
        groups.add_compared(9, vec![(1, single("b")), (3, single("d"))]);
        let found = groups.finish();
        let paths = |group: &Group| {
            let paths = group.files.iter().map(|file| String::from_utf8_lossy(&file.path).into_owned());
            paths.collect::<String>()
        };
        assert_eq!(found.iter().map(paths).collect::<Vec<_>>(), ["bd", "ghi", "acf"]);
        assert_eq!(found.iter().map(|group| group.wasted().unwrap()).collect::<Vec<_>>(), [9, 6, 2]);
    }
}
