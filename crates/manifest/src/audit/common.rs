//! Matches the directories of two manifests of one tree that were made from different places.

use super::known::Known;
use super::paths::{Style, is_absolute, join, parts};
use super::places::Root;
use hashbrown::{HashMap, HashSet};

/// The maximum number of known paths that are examined for each name.
const MAX_PATHS: usize = 64;

/// A directory of the manifest and its counterpart on the other side.
type Pair = (Vec<u8>, Vec<u8>);

/// Finds the directory of the manifest that corresponds to a directory of another manifest, given a sample of the
/// other's paths. Returns `None` if a path is known unchanged.
pub fn find_common_root(known: &Known, sample: &[Vec<u8>]) -> Option<Root> {
    let own = sample.iter().filter(|path| known.names(path)).count();
    let mut namesakes = Namesakes::new(sample);
    known.local_paths().for_each(|path| namesakes.add(&path));
    namesakes.root(own)
}

/// The paths of a manifest that end in the same names as a sample of another manifest's paths.
pub struct Namesakes<'a> {
    sample: &'a [Vec<u8>],
    /// Some of the paths for each name.
    paths: HashMap<&'a [u8], Vec<Vec<u8>>>,
}

impl<'a> Namesakes<'a> {
    /// Prepares a search for this sample.
    pub fn new(sample: &'a [Vec<u8>]) -> Namesakes<'a> {
        Namesakes { sample, paths: sample.iter().map(|path| (name(path), Vec::new())).collect() }
    }

    /// Takes the next path of the manifest.
    pub fn add(&mut self, path: &[u8]) {
        if self.paths.is_empty() {
            return;
        }
        if let Some(found) = self.paths.get_mut(name(path)).filter(|found| found.len() < MAX_PATHS) {
            found.push(path.to_vec());
        }
    }

    /// Returns the root, once all paths were taken. Each path of the sample votes for the pairs of directories below
    /// which the manifest has a file with the same name and the same relative path. Returns `None` if `own`, the number of
    /// sampled paths that are known unchanged, is not 0: then both were made from the same place.
    pub fn root(&self, own: usize) -> Option<Root> {
        if own > 0 {
            return None;
        }
        let mut votes: HashMap<Pair, usize> = HashMap::new();
        for path in self.sample {
            let all = self.paths.get(name(path)).into_iter().flatten();
            let pairs = all.map(|other| above_common(other, path)).filter(|pair| !is_one_place(pair));
            let pairs: HashSet<Pair> = pairs.collect();
            for pair in pairs {
                *votes.entry(pair).or_default() += 1;
            }
        }
        // Of two equally good pairs, the shorter one leaves more components to agree.
        let better = |(pair, count): &(Pair, usize)| {
            (*count, std::cmp::Reverse((pair.0.len() + pair.1.len(), pair.clone())))
        };
        let ((known, local), _) = votes.into_iter().max_by_key(better)?;
        Some(Root { known: known.into(), local: local.into() })
    }
}

/// Returns whether two relative directories begin with the same name: one was renamed in its place, or moved.
fn is_one_place((known, local): &Pair) -> bool {
    let first = |path| parts(path, Style::Unix).next();
    let is_relative = !is_absolute(known, Style::Unix) && !is_absolute(local, Style::Unix);
    is_relative && first(known).is_some() && first(known) == first(local)
}

fn name(path: &[u8]) -> &[u8] {
    parts(path, Style::Unix).last().unwrap_or(b"")
}

/// Removes the common trailing components of two paths.
fn above_common(a: &[u8], b: &[u8]) -> Pair {
    let of = |path| parts(path, Style::Unix).collect::<Vec<&[u8]>>();
    let (first, second) = (of(a), of(b));
    let same = first.iter().rev().zip(second.iter().rev()).take_while(|(a, b)| a == b).count();
    let above = |path, parts: &[&[u8]]| {
        join(is_absolute(path, Style::Unix), parts[..parts.len() - same].iter().copied())
    };
    (above(a, &first), above(b, &second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Named, Record, Status};
    use hashmill_digest::{find, hash};

    fn root(known: &[&str], sample: &[&str]) -> Option<(String, String)> {
        let algorithm = find("crc32").unwrap();
        let mut manifest = Known::new();
        for path in known {
            let digest = hash(algorithm, path.as_bytes());
            let record = Record {
                path: path.as_bytes().into(),
                size: None,
                status: Status::Hashed,
                reason: None,
                version: None,
                piece: None,
                mtime: None,
                metadata: None,
                digests: vec![Named { algorithm, digest, guessed: false }],
                likeness: Vec::new(),
                facts: None,
                leaves: Box::default(),
                bad_blocks: Box::default(),
                label: None,
            };
            assert_eq!(manifest.add(&record), Ok(true));
        }
        let sample: Vec<Vec<u8>> = sample.iter().map(|path| path.as_bytes().to_vec()).collect();
        let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
        find_common_root(&manifest, &sample).map(|root| (text(&root.known), text(&root.local)))
    }

    #[test]
    fn two_places_of_one_tree_are_found() {
        let is = |known: &str, local: &str| Some((known.to_string(), local.to_string()));
        assert_eq!(root(&["old/a", "old/b/c"], &["new/a", "new/b/c", "new/d"]), is("old", "new"));
        assert_eq!(root(&["a", "b/c"], &["/mnt/x/a", "/mnt/x/b/c"]), is("", "/mnt/x"));
        assert_eq!(root(&["/mnt/x/a", "/mnt/x/b/c"], &["./a", "b/c"]), is("/mnt/x", ""));
        assert_eq!(root(&["/old/t/a", "/old/t/b/c"], &["/a", "/b/c"]), is("/old/t", "/"));
    }

    #[test]
    fn paths_that_are_known_as_they_are_stay_so() {
        assert_eq!(root(&["t/a", "t/b", "u/a"], &["t/a", "t/b"]), None);
        assert_eq!(root(&["a", "b"], &["c/d", "e"]), None);
        assert_eq!(root(&["t/README", "t/x"], &["t/x", "t/y", "s/README"]), None);
    }
}
