//! The reason why a directory has no digest.

use std::fmt;

/// The reason why a directory has no digest by a system.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The system can't represent the name.
    Name {
        /// The entry's path.
        path: Box<[u8]>,
        /// The reason, as a predicate: "is not UTF-8".
        why: &'static str,
    },
    /// The system can't represent this kind of entry.
    Kind {
        /// The entry's path.
        path: Box<[u8]>,
        /// The kind, with an article.
        what: &'static str,
    },
    /// A path that is there twice, or below something that is not a folder.
    Twice(Box<[u8]>),
}

impl Error {
    /// Returns the path of the entry.
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
            Error::Kind { what, .. } => write!(f, "is {what}, which the system can't represent"),
            Error::Twice(_) => write!(f, "is there twice, or below something that is not a folder"),
        }
    }
}

impl std::error::Error for Error {}
