//! The settings of `bench cycles`.

use hashloom_digest::Algorithm;
use hashloom_similar::Similar;
use serde::{Deserialize, Serialize};

/// The settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Of these algorithms every implementation.
    pub algorithms: Vec<&'static Algorithm>,
    /// These, too: one stream at a time.
    pub likeness: Vec<&'static Similar>,
    /// Bytes of a block.
    pub block: usize,
    /// How many blocks each implementation hashes; at least one.
    pub iterations: u64,
    /// The number that the order of turns follows from.
    pub seed: u64,
    /// The reference of the ratios.
    pub reference: Reference,
}

/// What others are compared with: an algorithm, and which of its implementations; none: the one for one
/// message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The algorithm.
    pub algo: String,
    /// The implementation.
    pub implementation: Option<String>,
}
