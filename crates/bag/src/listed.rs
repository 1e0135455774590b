//! What all manifests of a bag list, by path.

use crate::list::Line;
use hashloom_digest::Digest;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

/// What manifests say of one path.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// The number of each list that has it, with its digest.
    pub(crate) claims: Vec<(usize, Digest)>,
    /// It was met below the bag.
    pub(crate) met: bool,
    raw: Option<String>,
}

/// What a list already says of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Added {
    New,
    Again,
    Otherwise,
}

/// All paths.
#[derive(Debug, Default)]
pub(crate) struct Listed(pub(crate) BTreeMap<String, Place>);

impl Listed {
    /// Adds a line of a list.
    pub(crate) fn add(&mut self, list: usize, line: Line) -> Added {
        let place = self.0.entry(line.path).or_default();
        place.raw = place.raw.take().or(line.raw);
        match place.claims.iter().find(|(other, _)| *other == list) {
            Some((_, digest)) if *digest == line.digest => Added::Again,
            Some(_) => Added::Otherwise,
            None => {
                place.claims.push((list, line.digest));
                Added::New
            }
        }
    }

    /// The listed path that a name on disk stands for as it is written, not decoded.
    pub(crate) fn raw(&self) -> BTreeMap<String, String> {
        let left = self.left().filter_map(|(path, place)| Some((place.raw.clone()?, path.clone())));
        left.collect()
    }

    /// The listed paths that were not met, by their letters.
    pub(crate) fn by_letters(&self) -> BTreeMap<String, String> {
        self.left().map(|(path, _)| (letters(path), path.clone())).collect()
    }

    fn left(&self) -> impl Iterator<Item = (&String, &Place)> {
        self.0.iter().filter(|(_, place)| !place.met)
    }
}

/// A path in Unicode's form C.
pub(crate) fn letters(path: &str) -> String {
    path.nfc().collect()
}
