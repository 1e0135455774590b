//! Why a directory has no digest.

use std::fmt;

/// Why a directory has no digest by a system.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The system has no way to write this name.
    Name {
        /// The entry.
        path: Box<[u8]>,
        /// What is wrong with the name.
        why: &'static str,
    },
    /// The system has no place for an entry of this kind.
    Kind {
        /// The entry.
        path: Box<[u8]>,
        /// What it is, with its article.
        what: &'static str,
    },
    /// The same path twice, or below a path that is no folder.
    Twice(Box<[u8]>),
}

impl Error {
    /// The entry that it is about.
    pub fn path(&self) -> &[u8] {
        match self {
            Error::Name { path, .. } | Error::Kind { path, .. } | Error::Twice(path) => path,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Name { why, .. } => write!(f, "its name {why}"),
            Error::Kind { what, .. } => write!(f, "is {what}, for which the system has no place"),
            Error::Twice(_) => write!(f, "is there twice, or below what is no folder"),
        }
    }
}

impl std::error::Error for Error {}
