//! Errors in the text of a digest, with their position.

use std::fmt;

/// A text that is not a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// The position in the text, in bytes from its start.
    pub at: usize,
    /// The error.
    pub reason: &'static str,
}

/// Creates an error result for parsers.
pub(crate) fn malformed<T>(at: usize, reason: &'static str) -> Result<T, Malformed> {
    Err(Malformed { at, reason })
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.at + 1, self.reason)
    }
}

impl std::error::Error for Malformed {}
