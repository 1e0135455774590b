//! The exit codes of runs that end before hashing.

/// Ends the run before hashing. Its message is already written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop(pub u8);

impl Stop {
    /// All is well.
    pub const FINE: Stop = Stop(0);
    /// Something failed.
    pub const FAILED: Stop = Stop(1);
    /// The command line is wrong.
    pub const MISUSED: Stop = Stop(64);
}
