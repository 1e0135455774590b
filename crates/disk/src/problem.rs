//! The reasons why something on a disk can't be read.

use std::sync::Arc;
use std::{error, fmt, io};

/// The reason why an entry, or a part of a file system, can't be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Problem {
    /// The medium can't be read there.
    Io(Arc<io::Error>),
    /// It lies, at least partly, beyond the end of the file system.
    Beyond,
    /// It leads back to itself.
    Loop,
    /// Its bytes make no sense: what was found where.
    Damaged(Box<str>),
    /// A checksum of metadata is not that of their bytes: of what.
    Checksum(&'static str),
    /// Its content is encrypted: by what.
    Encrypted(&'static str),
    /// It is of a kind that can't be read: which.
    Unsupported(Box<str>),
    /// Its content ends before its size.
    Short,
    /// Its name can't be a part of a path: it is empty, `.` or `..`, or has `/` or NUL in it.
    Name,
    /// It lies deeper than the limit.
    TooDeep,
    /// There are more entries, or more pieces of a file, than the limit.
    TooMany(&'static str),
    /// The medium has this number of bytes, and its partition table is of one that has more.
    CutOff {
        /// The bytes that are there.
        held: u64,
        /// The bytes of the whole medium.
        stated: u64,
    },
    /// Not all entries may have been found: why.
    Incomplete(Box<str>),
    /// Other programs may find other files: why.
    Ambiguous(Box<str>),
}

impl Problem {
    /// Creates the problem of bytes that make no sense.
    pub(crate) fn damaged(what: impl Into<Box<str>>) -> Problem {
        Problem::Damaged(what.into())
    }

    /// Creates the problem of a place where entries may be missing.
    pub(crate) fn incomplete(what: impl Into<Box<str>>) -> Problem {
        Problem::Incomplete(what.into())
    }

    /// Creates the problem of a place where other programs may find other files.
    pub(crate) fn ambiguous(what: impl Into<Box<str>>) -> Problem {
        Problem::Ambiguous(what.into())
    }

    /// Returns the reason in one word, for programs.
    pub fn word(&self) -> &'static str {
        match self {
            Problem::Io(_) => "io-error",
            Problem::Beyond => "beyond-the-end",
            Problem::Loop => "loop",
            Problem::Damaged(_) => "damaged",
            Problem::Checksum(_) => "checksum-mismatch",
            Problem::Encrypted(_) => "encrypted",
            Problem::Unsupported(_) => "unsupported-method",
            Problem::Short => "truncated",
            Problem::Name => "bad-name",
            Problem::TooDeep => "too-deep",
            Problem::TooMany(_) => "too-many",
            Problem::CutOff { .. } => "cut-off",
            Problem::Incomplete(_) => "incomplete",
            Problem::Ambiguous(_) => "ambiguous",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Io(error) => write!(f, "the medium can't be read there: {error}"),
            Problem::Beyond => f.write_str("it lies beyond the end of the file system"),
            Problem::Loop => f.write_str("it leads back to itself"),
            Problem::Damaged(what) => write!(f, "its metadata are damaged: {what}"),
            Problem::Checksum(what) => write!(f, "the checksum of {what} is wrong"),
            Problem::Encrypted(by) => write!(f, "it is encrypted ({by})"),
            Problem::Unsupported(what) => write!(f, "{what} can't be read"),
            Problem::Short => f.write_str("its content ends before its size"),
            Problem::Name => f.write_str("its name can't be a part of a path"),
            Problem::TooDeep => f.write_str("it lies in too many directories"),
            Problem::TooMany(of) => write!(f, "there are too many {of}"),
            Problem::CutOff { held, stated } => {
                write!(
                    f,
                    "its end is missing: it has {held} of the {stated} bytes that its partition table states"
                )
            }
            Problem::Incomplete(what) => f.write_str(what),
            Problem::Ambiguous(what) => write!(f, "other programs may find other files: {what}"),
        }
    }
}

impl error::Error for Problem {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        if let Problem::Io(error) = self { Some(&**error) } else { None }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Problem::Beyond,
            _ => Problem::Io(Arc::new(error)),
        }
    }
}

impl From<Problem> for io::Error {
    fn from(problem: Problem) -> io::Error {
        match problem {
            Problem::Io(error) => {
                Arc::try_unwrap(error).unwrap_or_else(|error| io::Error::new(error.kind(), error.to_string()))
            }
            other => io::Error::other(other),
        }
    }
}
