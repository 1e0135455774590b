//! Errors between a path and its bytes.

use crate::Meta;
use hashmill_os::error::{is_link, is_too_many_open, word};
use std::borrow::Cow;
use std::{fmt, io};

/// A failure of one entry, with its path and the problem.
#[derive(Debug)]
pub struct Error {
    /// The path as it is shown.
    pub path: Box<[u8]>,
    /// The operation that failed, and its cause.
    pub problem: Problem,
}

/// An operation that failed, and its cause.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The path could not be looked up.
    Stat(io::Error),
    /// The directory could not be listed.
    List(io::Error),
    /// The file could not be opened.
    Open(io::Error),
    /// It was a regular file when the walk found it, but is not one now.
    Replaced {
        /// The mode bits of the replacement.
        mode: u32,
    },
    /// A symbolic link replaced it, or a directory above it, after the walk had listed it. The link was not followed.
    Swapped,
    /// A cloud has its content, which would be downloaded to be read.
    Elsewhere,
    /// A list names it, but it is neither a regular file nor a block device. Reading it might never end.
    Unfit {
        /// Its mode bits.
        mode: u32,
    },
    /// Reading failed.
    Read {
        /// The offset of the failed read.
        offset: u64,
        /// The cause.
        source: io::Error,
    },
    /// The file ended early although its size did not change.
    Short {
        /// The number of bytes that were read.
        read: u64,
        /// The size that was expected.
        size: u64,
    },
    /// The file went on behind its size, which did not change.
    Longer {
        /// The size.
        size: u64,
    },
    /// The directory is one of those above it, by its identity, although no link leads to it.
    Loop,
    /// It is inside of another file, from which it can't be read.
    Inside {
        /// The reason in one word, for programs.
        word: &'static str,
        /// The reason.
        why: Box<str>,
    },
    /// It can be read, but its content can't be processed.
    Refused {
        /// The reason.
        why: Box<str>,
    },
    /// The file changed while it was read.
    Changed {
        /// The metadata before reading.
        before: Box<Meta>,
        /// The metadata after reading.
        after: Box<Meta>,
    },
}

/// The reason why bytes inside of another file can't be read, as the cause of an [`io::Error`]: records have its word.
#[derive(Debug)]
pub struct InsideFailure {
    /// The reason in one word, for programs.
    pub word: &'static str,
    /// The reason.
    pub why: Box<str>,
}

impl InsideFailure {
    /// Returns the word of an error with such a cause.
    fn word_of(error: &io::Error) -> Option<&'static str> {
        Some(error.get_ref()?.downcast_ref::<InsideFailure>()?.word)
    }
}

impl fmt::Display for InsideFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl std::error::Error for InsideFailure {}

impl From<InsideFailure> for io::Error {
    fn from(failure: InsideFailure) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, failure)
    }
}

impl Error {
    /// Returns whether too many files are open, in this process or on the machine. A retry may succeed when some are
    /// closed.
    pub fn is_fd_limit(&self) -> bool {
        match &self.problem {
            Problem::Stat(source) | Problem::List(source) | Problem::Open(source) => is_too_many_open(source),
            _ => false,
        }
    }
}

impl Problem {
    /// Interprets an error of a path below an operand: `ELOOP` means that the system refused to follow a symbolic link.
    pub(crate) fn of_walked(source: io::Error, otherwise: fn(io::Error) -> Problem) -> Problem {
        if is_link(&source) { Problem::Swapped } else { otherwise(source) }
    }

    /// Returns the failure in one word, for programs: the name of the system's error (`EIO`, `EACCES`), or `timeout`,
    /// `replaced`, `swapped`, `cloud`, `short`, `longer`, `loop`, `refused`, `changed`, `damaged`, `error`, or the reason of an entry inside of
    /// another file.
    pub fn word(&self) -> Cow<'static, str> {
        match self {
            Problem::Stat(source)
            | Problem::List(source)
            | Problem::Open(source)
            | Problem::Read { source, .. } => {
                InsideFailure::word_of(source).map_or_else(|| word(source), Cow::Borrowed)
            }
            Problem::Replaced { .. } | Problem::Unfit { .. } => Cow::Borrowed("replaced"),
            Problem::Swapped => Cow::Borrowed("swapped"),
            Problem::Elsewhere => Cow::Borrowed("cloud"),
            Problem::Short { .. } => Cow::Borrowed("short"),
            Problem::Longer { .. } => Cow::Borrowed("longer"),
            Problem::Loop => Cow::Borrowed("loop"),
            Problem::Refused { .. } => Cow::Borrowed("refused"),
            Problem::Inside { word, .. } => Cow::Borrowed(word),
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
            // The list of what is inside of a file.
            Problem::List(source) if InsideFailure::word_of(source).is_some() => source.fmt(f),
            Problem::List(source) => write!(f, "cannot list the directory: {source}"),
            Problem::Open(source) => write!(f, "cannot open: {source}"),
            Problem::Replaced { .. } => write!(f, "is no longer a regular file"),
            Problem::Swapped => {
                write!(
                    f,
                    "a symbolic link was put into its path after it was listed; the link was not followed"
                )
            }
            Problem::Elsewhere => write!(f, "its content is in a cloud (--hydrate downloads it)"),
            Problem::Unfit { .. } => write!(f, "is neither a regular file nor a block device"),
            Problem::Read { offset, source } => write!(f, "read failed at byte {offset}: {source}"),
            Problem::Short { read, size } => write!(f, "ended after {read} of {size} bytes"),
            Problem::Longer { size } => write!(f, "has more bytes than its size says, which is {size}"),
            Problem::Loop => {
                write!(
                    f,
                    "is the same directory as one above it: the file system has a loop, which was not entered"
                )
            }
            Problem::Refused { why } | Problem::Inside { why, .. } => f.write_str(why),
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
            | Problem::Elsewhere
            | Problem::Unfit { .. }
            | Problem::Short { .. }
            | Problem::Longer { .. }
            | Problem::Loop
            | Problem::Refused { .. }
            | Problem::Inside { .. }
            | Problem::Changed { .. } => None,
        }
    }
}
