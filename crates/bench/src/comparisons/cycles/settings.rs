//! The settings of `bench cycles`.

use hashmill_digest::Algorithm;
use hashmill_similar::Similar;
use serde::{Deserialize, Serialize};

/// Settings of `bench cycles`.
#[derive(Debug, Clone)]
pub struct CyclesSettings {
    /// The algorithms, each with all implementations.
    pub algorithms: Vec<&'static Algorithm>,
    /// The likeness algorithms, one stream at a time.
    pub likeness: Vec<&'static Similar>,
    /// The block size in bytes.
    pub block: usize,
    /// The number of blocks that each implementation hashes; at least one.
    pub iterations: u64,
    /// The seed of the order of turns.
    pub seed: u64,
    /// The reference of the ratios.
    pub reference: Reference,
}

/// The reference of the ratios: an algorithm and optionally its implementation; by default the one for single messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The algorithm.
    pub algo: String,
    /// The implementation.
    pub implementation: Option<String>,
}
