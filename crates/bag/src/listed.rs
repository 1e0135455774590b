//! The paths that the manifests of a bag list.

use crate::list::Line;
use hashmill_digest::Digest;
use std::collections::BTreeMap;
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

/// Returns a path in Unicode normalisation form C (NFC).
pub(crate) fn letters(path: &str) -> String {
    path.nfc().collect()
}
