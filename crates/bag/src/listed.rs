//! The paths that the manifests of a bag list.

use crate::list::Line;
use hashmill_digest::Digest;
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use unicode_normalization::UnicodeNormalization;

/// The claims of the manifests about a path.
#[derive(Debug, Default)]
pub(crate) struct ListedPath {
    /// The index of each manifest that lists the path, with its digest.
    pub(crate) claims: Vec<(usize, Digest)>,
    /// A file with this path was found.
    pub(crate) met: bool,
    raw: Option<String>,
}

/// The result of adding a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Addition {
    New,
    Again,
    Otherwise,
}

#[derive(Debug, Default)]
pub(crate) struct Listed(pub(crate) BTreeMap<String, ListedPath>);

impl Listed {
    /// Adds a line of the manifest with index `list`.
    pub(crate) fn add(&mut self, list: usize, line: Line) -> Addition {
        let place = self.0.entry(line.path).or_default();
        place.raw = place.raw.take().or(line.raw);
        match place.claims.iter().find(|(other, _)| *other == list) {
            Some((_, digest)) if *digest == line.digest => Addition::Again,
            Some(_) => Addition::Otherwise,
            None => {
                place.claims.push((list, line.digest));
                Addition::New
            }
        }
    }

    /// Returns the paths that were not found, by their undecoded spelling.
    pub(crate) fn raw(&self) -> BTreeMap<String, String> {
        let left = self.left().filter_map(|(path, place)| Some((place.raw.clone()?, path.clone())));
        left.collect()
    }

    /// Returns the paths that were not found, by their NFC form.
    pub(crate) fn by_letters(&self) -> BTreeMap<String, String> {
        self.left().map(|(path, _)| (letters(path), path.clone())).collect()
    }

    fn left(&self) -> impl Iterator<Item = (&String, &ListedPath)> {
        self.0.iter().filter(|(_, place)| !place.met)
    }
}

/// Returns the paths that are those of others where case and normal forms of Unicode don't count, nor blanks and full
/// stops at the ends of names: there, one file would take the place of the other.
pub fn twins<'p>(paths: impl IntoIterator<Item = &'p str>) -> Vec<&'p str> {
    let mut paths: Vec<&str> = paths.into_iter().collect();
    paths.sort_unstable();
    let (hasher, mut known) = (RandomState::new(), HashSet::new());
    paths.retain(|path| !known.insert(hasher.hash_one(folded(path))));
    paths
}

/// Returns a path as it is where case and normal forms of Unicode don't count, nor blanks and full stops at the ends of names.
pub fn folded(path: &str) -> String {
    let path = letters(path).to_lowercase();
    let names: Vec<&str> = path.split('/').map(|name| name.trim_end_matches(['.', ' '])).collect();
    names.join("/")
}

/// Returns a path in Unicode normalisation form C (NFC).
pub(crate) fn letters(path: &str) -> String {
    path.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::twins;

    #[test]
    fn names_fall_together_on_other_systems() {
        let paths =
            ["data/A/b", "data/a/B", "data/e\u{301}", "data/é", "data/x.", "data/x", "data/y", "data/..."];
        assert_eq!(twins(paths), ["data/a/B", "data/x.", "data/é"]);
    }
}
