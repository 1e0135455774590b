//! The description of an index, stored in the file as JSON for people and programs.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The description of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct About {
    /// The program that built it, with its version.
    pub built_by: String,
    /// The time of the build in seconds since 1970 UTC, if the builder was given one.
    pub built: Option<u64>,
    /// The meaning of an answer.
    pub answers: String,
    /// The number of digests on which sets contradict each other; the weightier category won.
    pub contradictions: u64,
    /// The inputs, in order.
    pub sources: Vec<BuildInput>,
    /// The tables, by length of digest.
    pub tables: Vec<DigestCounts>,
}

impl About {
    /// Returns whether all lines of all inputs were understood, and no member, column or record was left out.
    pub fn is_complete(&self) -> bool {
        self.sources.iter().all(|source| source.malformed == 0 && source.left_out == 0)
    }
}

/// An input of a build.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildInput {
    /// The file's name.
    pub file: String,
    /// The format that was recognised.
    pub format: String,
    /// The name of the set.
    pub set: String,
    /// The category of its digests.
    pub category: String,
    /// The number of records with at least one digest.
    pub records: u64,
    /// The number of lines that were not understood.
    pub malformed: u64,
    /// The number of records of anything else than a file, or without a digest.
    pub skipped: u64,
    /// The number of members of an archive, columns of a table, or records of files that look like data but were left out: these
    /// have no digest, or none that is long enough for an exact answer.
    #[serde(default)]
    pub left_out: u64,
}

/// Counts of the digests of one length.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigestCounts {
    /// The length of a digest in bits.
    pub bits: u32,
    /// The number of different digests.
    pub count: u64,
    /// The number of digests by the algorithm's name, duplicates included.
    pub algorithms: BTreeMap<String, u64>,
    /// The number of different digests by category.
    pub categories: BTreeMap<String, u64>,
    /// The number of different digests by set; one that is in several sets counts in each.
    pub sets: BTreeMap<String, u64>,
}
