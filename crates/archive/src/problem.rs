//! The reasons why something in an archive can't be read.

use std::{error, fmt, io};

/// The reason why a member, or the rest of an archive, can't be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The bytes of the archive can't be read.
    Io(io::Error),
    /// They end before something that must follow.
    Truncated,
    /// They make no sense: what was found.
    Damaged(Box<str>),
    /// A checksum is not that of the bytes: of what.
    Checksum(&'static str),
    /// It is encrypted.
    Encrypted,
    /// It is of a kind that can't be read: which.
    Unsupported(Box<str>),
    /// It needs more memory than the limit: this many bytes.
    Memory(u64),
    /// There are more of something than the limit: of what.
    TooMany(&'static str),
    /// Two parts of the archive disagree: on what, with both.
    Ambiguous(Box<str>),
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
            Problem::Truncated => "truncated",
            Problem::Damaged(_) => "damaged",
            Problem::Checksum(_) => "checksum-mismatch",
            Problem::Encrypted => "encrypted",
            Problem::Unsupported(_) => "unsupported-method",
            Problem::Memory(_) => "needs-memory",
            Problem::TooMany(_) => "too-many",
            Problem::Ambiguous(_) => "ambiguous",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Io(error) => write!(f, "the archive can't be read there: {error}"),
            Problem::Truncated => f.write_str("the archive ends too early"),
            Problem::Damaged(what) => write!(f, "the archive is damaged: {what}"),
            Problem::Checksum(what) => write!(f, "the checksum of {what} is wrong"),
            Problem::Encrypted => f.write_str("it is encrypted"),
            Problem::Unsupported(what) => write!(f, "{what} can't be read"),
            Problem::Memory(bytes) => write!(f, "it needs {} MiB of memory (-m)", bytes.div_ceil(1 << 20)),
            Problem::TooMany(of) => write!(f, "there are too many {of}"),
            Problem::Ambiguous(what) => write!(f, "two parts of the archive disagree: {what}"),
        }
    }
}

impl error::Error for Problem {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        if let Problem::Io(error) = self { Some(error) } else { None }
    }
}

impl From<io::Error> for Problem {
    /// Takes the problem out of an error that carries one ([`io::Error::from`]).
    fn from(error: io::Error) -> Problem {
        match error.kind() {
            io::ErrorKind::UnexpectedEof if error.get_ref().is_none() => Problem::Truncated,
            _ => error.downcast::<Problem>().unwrap_or_else(Problem::Io),
        }
    }
}

impl From<Problem> for io::Error {
    fn from(problem: Problem) -> io::Error {
        match problem {
            Problem::Io(error) => error,
            other => io::Error::new(io::ErrorKind::InvalidData, other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_survives_as_an_error_of_a_reader() {
        let error = io::Error::from(Problem::Memory(3 << 20));
        assert!(matches!(Problem::from(error), Problem::Memory(bytes) if bytes == 3 << 20));
        assert_eq!(Problem::from(io::Error::from(io::ErrorKind::UnexpectedEof)).word(), "truncated");
        assert_eq!(Problem::from(io::Error::other("a disk")).word(), "io-error");
    }
}
