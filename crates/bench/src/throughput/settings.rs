//! The settings of `bench throughput`.

use hashloom_digest::Algorithm;
use std::time::Duration;

/// The settings.
#[derive(Debug, Clone)]
pub struct Settings {
    /// These algorithms.
    pub algorithms: Vec<&'static Algorithm>,
    /// Numbers of threads, at least one each.
    pub threads: Vec<usize>,
    /// Bytes of a message.
    pub input_bytes: usize,
    /// How long each row is measured in all; more than nothing.
    pub duration: Duration,
    /// The number that the order of turns follows from.
    pub seed: u64,
    /// Which code.
    pub code: Code,
}

/// Which code is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The best of this machine, and plain machine words beside it.
    All,
    /// The best of this machine.
    Best,
}
