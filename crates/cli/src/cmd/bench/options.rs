//! What options of several comparisons say.

use clap::Args;
use hashloom_digest::{ALGORITHMS, Algorithm, Unknown, parse_list};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// The number that random choices follow from.
#[derive(Debug, Clone, Copy, Args)]
pub struct Seed {
    /// Draw the order of turns from N, as an earlier run did; results name it [default: by chance]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

impl Seed {
    /// The number that was asked for, or one by chance that people can type.
    pub fn number(self) -> u64 {
        // The standard library's hash tables are seeded at random.
        self.seed.unwrap_or_else(|| RandomState::new().hash_one("turns") >> 32)
    }
}

/// Algorithms in the order typed.
#[derive(Debug, Clone)]
pub struct Digests(pub Vec<&'static Algorithm>);

impl Digests {
    /// A comma-separated list of names.
    ///
    /// # Errors
    /// If no algorithm has one of the names.
    pub fn listed(list: &str) -> Result<Digests, Unknown> {
        parse_list(list).map(Digests)
    }

    /// A comma-separated list of names, or `all`.
    ///
    /// # Errors
    /// As [`Digests::listed`].
    pub fn listed_or_all(list: &str) -> Result<Digests, Unknown> {
        if list == "all" { Ok(Digests(ALGORITHMS.iter().collect())) } else { Digests::listed(list) }
    }
}
