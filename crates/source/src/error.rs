//! What goes wrong between a path and its bytes.

use crate::fd_limit::is_fd_limit;
use crate::{Meta, reason};
use std::borrow::Cow;
use std::{fmt, io};

/// A failure of one entry. It names the file, what was tried, and the cause.
#[derive(Debug)]
pub struct Error {
    /// The path as it is shown.
    pub path: Box<[u8]>,
    /// What was tried, and what came of it.
    pub problem: Problem,
}

/// What was tried, and what came of it.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The path could not be looked up.
    Stat(io::Error),
    /// The directory could not be listed.
    List(io::Error),
    /// The file could not be opened.
    Open(io::Error),
    /// It was a regular file when the walk met it, and is not one now.
    Replaced {
        /// The mode bits of what is there instead.
        mode: u32,
    },
    /// A symbolic link was put in its place, or in that of a directory above it, after the walk had listed it. It was not
    /// followed.
    Swapped,
    /// A list names it, but it is neither a regular file nor a block device. Reading it might never end.
    Unfit {
        /// The mode bits of what is there.
        mode: u32,
    },
    /// Reading failed.
    Read {
        /// At this byte.
        offset: u64,
        /// With this cause.
        source: io::Error,
    },
    /// The file ended early although its size did not change.
    Short {
        /// Bytes that could be read.
        read: u64,
        /// Bytes that there should have been.
        size: u64,
    },
    /// It can be read, but there is nothing that could be made of it.
    Refused {
        /// Why.
        why: Box<str>,
    },
    /// The file changed while it was read.
    Changed {
        /// Before reading.
        before: Box<Meta>,
        /// After.
        after: Box<Meta>,
    },
}

impl Error {
    /// Whether too many files are open, in this process or on the machine. It may work when some are closed.
    pub fn is_fd_limit(&self) -> bool {
        match &self.problem {
            Problem::Stat(source) | Problem::List(source) | Problem::Open(source) => is_fd_limit(source),
            _ => false,
        }
    }
}

impl Problem {
    /// Explains a path below an operand where the system refuses to follow a symbolic link (`ELOOP`).
    pub(crate) fn of_walked(source: io::Error, otherwise: fn(io::Error) -> Problem) -> Problem {
        if source.raw_os_error() == Some(libc::ELOOP) { Problem::Swapped } else { otherwise(source) }
    }

    /// What failed in one word, for programs: the name of the system's error (`EIO`, `EACCES`), or `timeout`,
    /// `replaced`, `swapped`, `short`, `refused`, `changed`, `damaged`, `error`.
    pub fn word(&self) -> Cow<'static, str> {
        match self {
            Problem::Stat(source) | Problem::List(source) | Problem::Open(source) => reason::word(source),
            Problem::Read { source, .. } => reason::word(source),
            Problem::Replaced { .. } | Problem::Unfit { .. } => Cow::Borrowed("replaced"),
            Problem::Swapped => Cow::Borrowed("swapped"),
            Problem::Short { .. } => Cow::Borrowed("short"),
            Problem::Refused { .. } => Cow::Borrowed("refused"),
            Problem::Changed { .. } => Cow::Borrowed("changed"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", String::from_utf8_lossy(&self.path), self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Stat(source) => write!(f, "cannot look it up: {source}"),
            Problem::List(source) => write!(f, "cannot list the directory: {source}"),
            Problem::Open(source) => write!(f, "cannot open: {source}"),
            Problem::Replaced { .. } => write!(f, "is no longer a regular file"),
            Problem::Swapped => {
                write!(
                    f,
                    "a symbolic link was put into its path after it was listed; the link was not followed"
                )
            }
            Problem::Unfit { .. } => write!(f, "is neither a regular file nor a block device"),
            Problem::Read { offset, source } => write!(f, "read failed at byte {offset}: {source}"),
            Problem::Short { read, size } => write!(f, "ended after {read} of {size} bytes"),
            Problem::Refused { why } => f.write_str(why),
            Problem::Changed { before, after } if before.size != after.size => {
                write!(f, "changed while it was read: was {} bytes, is now {}", before.size, after.size)
            }
            Problem::Changed { .. } => write!(f, "changed while it was read"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Stat(source) | Problem::List(source) | Problem::Open(source) => Some(source),
            Problem::Read { source, .. } => Some(source),
            Problem::Replaced { .. }
            | Problem::Swapped
            | Problem::Unfit { .. }
            | Problem::Short { .. }
            | Problem::Refused { .. }
            | Problem::Changed { .. } => None,
        }
    }
}
