//! Errors of saved indexes.

use crate::Foreign;
use std::{fmt, io};

/// Errors of saved indexes.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// It could not be read or written.
    Io(io::Error),
    /// Not an index at all.
    NotAnIndex,
    /// An index of a version of the format that is not known.
    Version(u16),
    /// An index of digests of an algorithm that is not known.
    Algorithm(String),
    /// It is cut short or altered.
    Damaged {
        /// The number of the frame where that shows.
        frame: u64,
        /// How.
        what: &'static str,
    },
    /// A digest of another algorithm was to be written.
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
                write!(f, "an index of version {version}, which is not known: build it again")
            }
            Error::Algorithm(name) => write!(f, "an index of digests by '{name}', which is not known"),
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
