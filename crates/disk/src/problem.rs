//! The reasons why something on a disk can't be read.

use std::{error, fmt, io};

/// The reason why an entry, or a part of a file system, can't be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The medium can't be read there.
    Io(io::Error),
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
}

impl Problem {
    /// Creates the problem of bytes that make no sense.
    pub(crate) fn damaged(what: impl Into<Box<str>>) -> Problem {
        Problem::Damaged(what.into())
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
        }
    }
}

impl error::Error for Problem {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        if let Problem::Io(error) = self { Some(error) } else { None }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Problem::Beyond,
            _ => Problem::Io(error),
        }
    }
}

impl From<Problem> for io::Error {
    fn from(problem: Problem) -> io::Error {
        match problem {
            Problem::Io(error) => error,
            other => io::Error::other(other),
        }
    }
}
