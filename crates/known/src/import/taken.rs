//! The account of what a tolerant reader took for digests.

use super::cell::NamedDigest;
use super::left_out::is_digest;
use crate::SHORTEST;
use hashmill_digest::Algorithm;
use std::fmt;

/// The most places that are told apart, and the most names of others.
const MAX_PLACES: usize = 32;

/// The account of what was taken for digests in a table or in JSON, and what was not.
#[derive(Debug, Default)]
pub struct Taken {
    places: Vec<TakenPlace>,
    /// The number of digests in other places.
    elsewhere: u64,
    /// The number of rows or objects without a digest.
    without: u64,
    /// The names of what looks like digests of something else than a file's content.
    pub(super) others: Vec<Box<str>>,
    /// The number of media in each category that the set itself names.
    categories: Vec<(Box<str>, u64)>,
    /// The country whose numbers of categories the set has, as its data model says.
    country: Option<Box<str>>,
}

/// The digests of one algorithm in one place.
#[derive(Debug)]
struct TakenPlace {
    place: Box<str>,
    algorithm: &'static Algorithm,
    /// Whether the length alone named the algorithm.
    by_length: bool,
    count: u64,
}

impl Taken {
    /// Counts a digest that was taken from this place.
    pub(super) fn add(&mut self, place: &str, (algorithm, _): &NamedDigest, by_length: bool) {
        // Shorter ones are left out of an index.
        if (algorithm.bits as usize) < 8 * SHORTEST {
            return;
        }
        let same = |known: &&mut TakenPlace| known.algorithm.name == algorithm.name && *known.place == *place;
        if let Some(known) = self.places.iter_mut().find(same) {
            known.count += 1;
        } else if self.places.len() < MAX_PLACES {
            self.places.push(TakenPlace { place: place.into(), algorithm, by_length, count: 1 });
        } else {
            self.elsewhere += 1;
        }
    }

    /// Counts a row without a digest.
    pub(super) fn add_without(&mut self) {
        self.without += 1;
    }

    /// Notes a name of what is not a digest of a file's content, if it looks like one.
    pub(super) fn add_other(&mut self, name: &str, text: &[u8]) {
        if is_digest(text) {
            add_name(&mut self.others, name);
        }
    }

    /// Takes the country from the address of a data model: `…/DataModels/2.0.xml/US/$metadata#Media`.
    pub(super) fn take_model(&mut self, address: &str) {
        let before = address.split_once("/$metadata").and_then(|(before, _)| before.rsplit('/').next());
        let is_country =
            |name: &&str| name.len() <= 16 && name.bytes().all(|byte| byte.is_ascii_alphabetic());
        self.country = before.filter(is_country).filter(|name| !name.is_empty()).map(Into::into);
    }

    /// Counts a medium of this category.
    pub(super) fn add_category(&mut self, category: &str) {
        if let Some((_, count)) = self.categories.iter_mut().find(|(known, _)| **known == *category) {
            *count += 1;
        } else if self.categories.len() < MAX_PLACES {
            self.categories.push((category.into(), 1));
        }
    }
}

/// Adds a name to those that are told.
pub(super) fn add_name(names: &mut Vec<Box<str>>, name: &str) {
    if names.len() < MAX_PLACES && !names.iter().any(|known| **known == *name) {
        names.push(name.into());
    }
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, TakenPlace { place, algorithm, by_length, count }) in self.places.iter().enumerate() {
            let start = if index == 0 { "took " } else { "; " };
            let why = if *by_length { " by their length" } else { "" };
            let plural = if *count == 1 { "" } else { "s" };
            write!(f, "{start}{place} as {}{why}: {count} digest{plural}", algorithm.name)?;
        }
        if self.places.is_empty() {
            f.write_str("took nothing")?;
        }
        if self.elsewhere > 0 {
            write!(f, "; {} digests elsewhere", self.elsewhere)?;
        }
        if self.without > 0 {
            write!(f, "; {} without a digest", self.without)?;
        }
        if !self.others.is_empty() {
            write!(f, "; not of a file's content: {}", self.others.join(", "))?;
        }
        if !self.categories.is_empty() {
            let told = self.categories.iter().map(|(name, count)| format!("{name}: {count}"));
            let told: Vec<String> = told.collect();
            let country = self.country.as_ref().map_or(String::new(), |name| format!(" ({name})"));
            write!(f, "; by the set's own categories{country}, which are not used: {}", told.join(", "))?;
        }
        Ok(())
    }
}
