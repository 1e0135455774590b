//! What is wrong with the text of a digest, and where.

use std::fmt;

/// A text that is not a digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed {
    /// Where in the text, in bytes from its start.
    pub at: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

/// Shorthand for parsers.
pub(crate) fn malformed<T>(at: usize, reason: &'static str) -> Result<T, Malformed> {
    Err(Malformed { at, reason })
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.at + 1, self.reason)
    }
}

impl std::error::Error for Malformed {}
