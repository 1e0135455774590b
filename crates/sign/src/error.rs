//! Errors of keys, agents, trust files and authorities. Faults of signatures and time stamps themselves are in
//! [`broken`](crate::broken).

use std::borrow::Cow;
use std::{error, fmt, io};

/// The part of an error's message that says what is wrong. Programs tell errors apart by their variants, never by it.
pub type Text = Cow<'static, str>;

/// An error of a key or another requirement for signing or verifying.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The message could not be read.
    Read(io::Error),
    /// The passphrase is wrong.
    WrongPassphrase,
    /// The file is not a key, or the key is of a kind that is not supported.
    Key(Text),
    /// The agent failed.
    Agent(Text),
    /// A line of a file of allowed signers is not understood.
    AllowedSigners {
        /// The line, from 1.
        line: usize,
        /// The fault of the line.
        fault: Text,
    },
    /// The file of root certificates can't be used.
    Roots(Text),
    /// The namespace is empty.
    Namespace,
    /// The signature that was made does not verify.
    Unverified,
    /// The time stamp request could not be created or parsed.
    Request(Text),
}

/// The fault of a key that needs a passphrase.
pub(crate) const PROTECTED: &str = "it is protected by a passphrase";

/// Returns the text of an error of a library.
pub(crate) fn text(source: impl fmt::Display) -> Text {
    source.to_string().into()
}

/// Returns the error for a key that can't be used.
pub(crate) fn bad_key(why: impl Into<Text>) -> Error {
    Error::Key(why.into())
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read(source) => write!(f, "cannot read: {source}"),
            Error::WrongPassphrase => f.write_str("wrong passphrase"),
            Error::Key(why) => write!(f, "not a usable key: {why}"),
            Error::Agent(why) => write!(f, "ssh-agent: {why}"),
            Error::AllowedSigners { line, fault } => write!(f, "line {line}: {fault}"),
            Error::Roots(why) => write!(f, "not usable as roots: {why}"),
            Error::Namespace => f.write_str("a namespace must not be empty"),
            Error::Unverified => f.write_str("cannot sign: the signature that was made does not verify"),
            Error::Request(why) => write!(f, "not a time stamp request: {why}"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::Read(source) => Some(source),
            _ => None,
        }
    }
}
