//! The description of an index, for people and programs: JSON in the file.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The description of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct About {
    /// The program that built it, with its version.
    pub built_by: String,
    /// When, in seconds since 1970 UTC, if the builder was told.
    pub built: Option<u64>,
    /// What an answer means.
    pub answers: String,
    /// Digests that sets contradict each other on; the weightier category won.
    pub contradictions: u64,
    /// What it was built from, in order.
    pub sources: Vec<Source>,
    /// The tables, by length of digest.
    pub tables: Vec<Digests>,
}

impl About {
    /// Whether all lines of all inputs were understood, and no member or column was left out.
    pub fn is_complete(&self) -> bool {
        self.sources.iter().all(|source| source.malformed == 0 && source.left_out == 0)
    }
}

/// An input of a build.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The file's name.
    pub file: String,
    /// What it was recognised as.
    pub format: String,
    /// The set's name.
    pub set: String,
    /// The category that its digests got.
    pub category: String,
    /// Records that gave at least one digest.
    pub records: u64,
    /// Lines that could not be understood.
    pub malformed: u64,
    /// Records that have no digest, or none that is long enough for an exact answer.
    pub skipped: u64,
    /// Members of an archive, or columns of a table, that look like data and were left out.
    #[serde(default)]
    pub left_out: u64,
}

/// Counts of the digests of one length.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digests {
    /// Bits of a digest.
    pub bits: u32,
    /// Different digests.
    pub count: u64,
    /// How many were met under each algorithm's name, duplicates included.
    pub algorithms: BTreeMap<String, u64>,
    /// Different digests by category.
    pub categories: BTreeMap<String, u64>,
    /// Different digests by set; one that is in several sets counts in each.
    pub sets: BTreeMap<String, u64>,
}
