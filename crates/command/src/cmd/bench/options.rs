//! Values of options that several benchmarks share.

use crate::options::values::number;
use clap::Args;
use hashmill_bench::peers::Likeness;
use hashmill_digest::{ALGORITHMS, Algorithm, Unknown, parse_list};
use hashmill_similar::{SIMILAR, Similar};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// The seed of random choices.
#[derive(Debug, Clone, Copy, Args)]
pub struct Seed {
    /// Draw the order of turns from the seed N, which the results of an earlier run name [default: random]
    #[arg(long, value_name = "N", value_parser = number::<u64>)]
    seed: Option<u64>,
}

impl Seed {
    /// Returns the seed that was typed, or a random one short enough to type.
    pub fn number(self) -> u64 {
        // The standard library's hash tables are seeded at random.
        self.seed.unwrap_or_else(|| RandomState::new().hash_one("turns") >> 32)
    }
}

/// Algorithms in the order typed.
#[derive(Debug, Clone)]
pub struct AlgorithmList(pub Vec<&'static Algorithm>);

impl AlgorithmList {
    /// Parses a comma-separated list of names.
    ///
    /// # Errors
    /// If no algorithm has one of the names.
    pub fn listed(list: &str) -> Result<AlgorithmList, Unknown> {
        parse_list(list).map(AlgorithmList)
    }
}

/// Algorithms and likeness algorithms, each in the order typed.
#[derive(Debug, Clone)]
pub struct Hashes {
    pub digests: Vec<&'static Algorithm>,
    pub likeness: Vec<&'static Similar>,
}

impl Hashes {
    /// Parses a comma-separated list of names.
    ///
    /// # Errors
    /// If no algorithm has one of the names.
    pub fn listed(list: &str) -> Result<Hashes, Unknown> {
        let (mut digests, mut likeness) = (Vec::new(), Vec::new());
        for name in list.split(',') {
            match hashmill_similar::find(name.trim()) {
                Some(row) if likeness.contains(&row) => {}
                Some(row) => likeness.push(row),
                None => parse_list(name)?.into_iter().for_each(|row| {
                    if !digests.contains(&row) {
                        digests.push(row);
                    }
                }),
            }
        }
        Ok(Hashes { digests, likeness })
    }

    /// Parses a comma-separated list of names; of likeness algorithms only those that other programs have, no variants.
    ///
    /// # Errors
    /// As [`Hashes::listed`], and if a variant is named.
    pub fn listed_with_programs(list: &str) -> Result<Hashes, String> {
        let found = Hashes::listed(list).map_err(|error| error.to_string())?;
        let variant = found.likeness.iter().find(|row| Likeness::find(row.name).is_none());
        match variant {
            Some(row) => Err(format!("no program to compare with is known for '{}'", row.name)),
            None => Ok(found),
        }
    }

    /// Parses a comma-separated list of names, or `all`.
    ///
    /// # Errors
    /// As [`Hashes::listed`].
    pub fn listed_or_all(list: &str) -> Result<Hashes, Unknown> {
        if list == "all" {
            return Ok(Hashes { digests: ALGORITHMS.iter().collect(), likeness: SIMILAR.iter().collect() });
        }
        Hashes::listed(list)
    }
}
