//! Errors of saved indexes.

use crate::Foreign;
use std::{fmt, io};

/// Errors of saved indexes.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Reading or writing failed.
    Io(io::Error),
    /// The file is not an index.
    NotAnIndex,
    /// The index has an unknown version.
    Version(u16),
    /// The index has digests of an unknown algorithm.
    Algorithm(String),
    /// The index is truncated or altered.
    Damaged {
        /// The number of the damaged frame.
        frame: u64,
        /// A description of the damage.
        what: &'static str,
    },
    /// The digest to write is by another algorithm.
    Foreign(Foreign),
}

impl From<io::Error> for Error {
    fn from(source: io::Error) -> Self {
        Error::Io(source)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(source) => write!(f, "{source}"),
            Error::NotAnIndex => write!(f, "not an index of likeness digests"),
            Error::Version(version) => {
                write!(f, "unknown index version {version}: build it again")
            }
            Error::Algorithm(name) => write!(f, "an index of digests by the unknown algorithm '{name}'"),
            Error::Damaged { frame, what } => {
                write!(f, "the index is damaged at part {frame}: {what}; build it again")
            }
            Error::Foreign(foreign) => write!(f, "{foreign}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(source) => Some(source),
            _ => None,
        }
    }
}
