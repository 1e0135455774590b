//! Facts about all members together: the places where they are, and names that are there twice.
//!
//! They are gathered by a first pass over the directory, so that no member of an overlapping bomb is ever read.

use super::end::End;
use super::entry::{Entries, ZipEntry};
use super::gaps;
use super::local::LENGTH;
use crate::{Limits, Medium, Problem};
use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

/// The most members that are compared with each other. They take 32 bytes each while they are compared.
const MAX_MEMBERS: u64 = 2_000_000;

/// A problem of the archive as a whole.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trouble {
    /// A member that the directory lacks is at this place.
    Hidden(u64),
    /// There are more of these than are compared.
    TooMany(&'static str),
}

impl Trouble {
    pub(super) fn problem(self) -> Problem {
        match self {
            Trouble::TooMany(of) => Problem::TooMany(of),
            Trouble::Hidden(at) => {
                let what = format!("a member is at byte {at}, and the directory does not have it");
                Problem::Ambiguous(what.into())
            }
        }
    }
}

/// The facts about all members together.
#[derive(Debug)]
pub(super) struct Survey {
    /// The places of the headers in rising order.
    places: Vec<u64>,
    /// The hashes of names that are there more than once, and the key that they depend on.
    repeated: HashSet<u64>,
    key: RandomState,
    /// The first byte of the directory.
    directory: u64,
    /// A fact that is a problem of the archive, and of no member in the directory.
    pub trouble: Option<Trouble>,
}

impl Survey {
    /// Reads the whole directory once.
    pub(super) fn new(medium: &Arc<dyn Medium>, end: &End, limits: &Limits) -> Survey {
        let most = MAX_MEMBERS.min(limits.memory / 32);
        let key = RandomState::new();
        let (mut extents, mut hashes) = (Vec::new(), Vec::new());
        let mut trouble = None;
        for entry in Entries::new(Arc::clone(medium), end).map_while(Result::ok) {
            if extents.len() as u64 >= most {
                trouble = Some(Trouble::TooMany("members to compare with each other"));
                break;
            }
            extents.push((entry.place, entry.least_end()));
            hashes.push(key.hash_one(&entry.path));
        }
        hashes.sort_unstable();
        let repeated = hashes.windows(2).filter(|two| two.first() == two.last());
        let repeated = repeated.filter_map(|two| two.first().copied()).collect();
        drop(hashes);
        extents.sort_unstable();
        if trouble.is_none() {
            trouble = gaps::hidden(medium, &extents, end.start);
        }
        let places = extents.into_iter().map(|(place, _)| place).collect();
        Survey { places, repeated, key, directory: end.start, trouble }
    }

    /// Checks that nothing else begins between the place of a member and its end.
    ///
    /// # Errors
    /// If another member or the directory does.
    pub(super) fn check(&self, place: u64, end: u64) -> Result<(), Problem> {
        if end > self.directory {
            let what = "its bytes are also those of the directory, or follow it";
            return Err(Problem::Ambiguous(what.into()));
        }
        let first = self.places.partition_point(|other| *other < place);
        let next = self.places.get(first.saturating_add(1));
        match next.filter(|next| **next < end) {
            Some(next) => {
                let what = format!("its bytes {place} to {end} are also those of the member at byte {next}");
                Err(Problem::Ambiguous(what.into()))
            }
            None => Ok(()),
        }
    }

    /// Returns the hash of a name that is there more than once.
    pub(super) fn repeated(&self, path: &[u8]) -> Option<u64> {
        if self.repeated.is_empty() {
            return None;
        }
        let hash = self.key.hash_one(path);
        self.repeated.contains(&hash).then_some(hash)
    }
}

impl ZipEntry {
    /// Returns the end of the member if its header has no extra fields.
    pub(super) fn least_end(&self) -> u64 {
        let header = LENGTH.saturating_add(self.name.len() as u64);
        self.place.saturating_add(header).saturating_add(self.packed.unwrap_or(0))
    }
}
