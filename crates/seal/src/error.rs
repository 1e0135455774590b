//! Errors: failures, invalid files, and differences found by comparisons.

use hashmill_manifest::format::{Malformed, Unusable};
use std::borrow::Cow;
use std::{error, fmt, io};

/// The part of an error's message that says what is wrong. Programs tell errors apart by their variants, never by it.
pub type Text = Cow<'static, str>;

/// The reason why a manifest can't be sealed, or a file of this crate can't be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written, or the system provides no random numbers.
    Io(io::Error),
    /// Writing the seal failed.
    Write(io::Error),
    /// The hashing thread could not be started.
    Thread(io::Error),
    /// The file is not a manifest.
    Unusable(Unusable),
    /// A line of the manifest is unreadable, so it can't be sealed.
    Malformed(Malformed),
    /// A manifest changed between two reads.
    Changed,
    /// The algorithm is not suitable for a tree.
    Algorithm(Text),
    /// A seal, a proof, a redacted manifest or a secret is invalid.
    Invalid {
        /// The line, from 1.
        line: u64,
        /// The error in it.
        fault: Text,
    },
    /// An outboard is invalid, or not suitable for the request.
    Outboard(Text),
    /// The seal has salts, but its secret is missing.
    SecretMissing,
    /// The seal has no salts, but a secret was given.
    SecretUnused,
    /// Salts were requested without a nonce for the first record.
    NonceMissing,
    /// The older seal already has the maximum number of nonces.
    NoncesFull,
    /// Seals with salts can't be compared.
    SaltsIncomparable,
    /// Seals by different algorithms can't be compared.
    AlgorithmsIncomparable,
    /// Two compared things differ.
    Differs(Text),
}

impl Error {
    /// Returns whether a comparison found a difference; otherwise nothing could be compared.
    pub fn is_difference(&self) -> bool {
        matches!(self, Error::Differs(_))
    }
}

/// Faults of more than one kind of file.
pub(crate) const EMPTY: &str = "the file is empty";
pub(crate) const TRUNCATED: &str = "the file is cut short";
pub(crate) const SALT_LENGTH: &str = "a salt must have 32 bytes";
pub(crate) const GUESSED: &str = "\"guessed\" does not match the record";

/// Returns the error for a line, counted from 1.
pub(crate) fn invalid(line: u64, fault: impl Into<Text>) -> Error {
    Error::Invalid { line, fault: fault.into() }
}

pub(crate) fn differs(how: impl Into<Text>) -> Error {
    Error::Differs(how.into())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(source) | Error::Write(source) => write!(f, "{source}"),
            Error::Thread(source) => write!(f, "cannot start a thread: {source}"),
            Error::Unusable(source) => write!(f, "{source}"),
            Error::Malformed(source) => write!(f, "{source}; a line that can't be read can't be sealed"),
            Error::Changed => f.write_str("the manifest changed while it was read"),
            Error::Invalid { line, fault } => write!(f, "line {line}: {fault}"),
            Error::SecretMissing => f.write_str("the seal has salts: its secret is needed"),
            Error::SecretUnused => f.write_str("the seal has no salts: it needs no secret"),
            Error::NonceMissing => f.write_str("salts need a nonce for the first record"),
            Error::NoncesFull => {
                f.write_str("the older seal can't be continued again: make a new seal without it")
            }
            Error::SaltsIncomparable => {
                f.write_str("seals with salts can't be compared: their leaves are never equal")
            }
            Error::AlgorithmsIncomparable => f.write_str("seals by different algorithms can't be compared"),
            Error::Algorithm(why) | Error::Outboard(why) | Error::Differs(why) => f.write_str(why),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::Io(source) | Error::Write(source) | Error::Thread(source) => Some(source),
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
