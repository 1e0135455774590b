//! The end of a program, with its output and times, as systems report it.

use std::time::Duration;

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this exit code.
    Code(i32),
    /// By a signal that this process did not send.
    Signal(i32),
    /// This process ended it, because it exceeded this limit.
    Hung(Duration),
    /// This process ended it, because the benchmark was interrupted.
    Interrupted,
    /// It could not be started or watched, for this reason.
    NotRun(String),
}

/// A program that has ended.
pub(crate) struct FinishedProgram {
    /// How it ended.
    pub(crate) ended: Ended,
    /// User and system time in seconds, including its children.
    pub(crate) user: f64,
    pub(crate) system: f64,
    /// Its output, up to [`CAPTURED`] bytes each.
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// The most bytes of output that are kept, enough for some hundred thousand digests. The rest is read and discarded.
pub const CAPTURED: usize = 64 << 20;
