//! The settings of `bench throughput`.

use hashmill_digest::Algorithm;
use std::time::Duration;

/// Settings of `bench throughput`.
#[derive(Debug, Clone)]
pub struct ThroughputSettings {
    /// The algorithms.
    pub algorithms: Vec<&'static Algorithm>,
    /// The numbers of threads, each at least one.
    pub threads: Vec<usize>,
    /// The length of a message in bytes.
    pub input_bytes: usize,
    /// The total duration of each row; not zero.
    pub duration: Duration,
    /// The seed of the order of turns.
    pub seed: u64,
    /// The code to measure.
    pub code: Code,
}

/// The code to measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The best code of this machine, and plain machine words.
    All,
    /// Only the best code of this machine.
    Best,
}
