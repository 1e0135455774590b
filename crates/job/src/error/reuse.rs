//! Errors of reusing an earlier manifest.

use crate::shown::Shown;
use std::fmt;

/// An error of reusing an earlier manifest.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReuseError {
    /// The records of this manifest have no metadata, so nothing shows whether files changed.
    NoMetadata(Box<[u8]>),
}

impl fmt::Display for ReuseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReuseError::NoMetadata(path) => write!(
                f,
                "{}: nothing in it shows whether files changed since; \"hashmill hash --metadata -f jsonl\" writes a manifest that can be reused",
                Shown(path)
            ),
        }
    }
}

impl std::error::Error for ReuseError {}
