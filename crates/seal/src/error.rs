//! Why there is no seal, or no proof.

use hashloom_manifest::format::{Malformed, Unusable};
use std::{fmt, io};

/// Why a manifest can't be sealed, or a file of this crate not be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    Io(io::Error),
    /// It is no manifest.
    Unusable(Unusable),
    /// A line of the manifest can't be understood: what it says can't be sealed.
    Malformed(Malformed),
    /// The file is not one that this crate writes, or it was altered: what is wrong, and in which line.
    Foreign(u64, String),
    /// The seal has salts, and the secret that they come from was not given; or the other way round.
    Secret(&'static str),
    /// It can be read, and is not what the root stands for.
    Differs(String),
}

impl Error {
    /// Whether something was compared and found to differ; otherwise nothing could be compared.
    pub fn is_difference(&self) -> bool {
        matches!(self, Error::Differs(_))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(source) => write!(f, "{source}"),
            Error::Unusable(source) => write!(f, "{source}"),
            Error::Malformed(source) => write!(f, "{source}; what can't be read can't be sealed"),
            Error::Foreign(line, what) => write!(f, "line {line}: {what}"),
            Error::Secret(what) => write!(f, "{what}"),
            Error::Differs(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io(source) => Some(source),
            Error::Unusable(source) => Some(source),
            Error::Malformed(source) => Some(source),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(source: io::Error) -> Self {
        Error::Io(source)
    }
}
