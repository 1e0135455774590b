//! What can be wrong with keys and with signatures.

use crate::ssh::Moment;
use std::{error, fmt, io};

/// A key is of no use, or what is needed to sign or verify can't be had.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The message could not be read.
    Read(io::Error),
    /// The passphrase could not be asked for.
    Passphrase(io::Error),
    /// The passphrase is not the key's.
    WrongPassphrase,
    /// The file is no key, or one of a kind that is not supported.
    Key(String),
    /// The agent can't be reached, does not have the key, or refused.
    Agent(String),
    /// A line of a file of allowed signers is not understood.
    AllowedSigners {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// The roots can't be used.
    Roots(String),
    /// A namespace that can't be signed in.
    Namespace,
    /// The signature could not be made.
    Sign(String),
    /// The time stamp authority can't be asked, or refused.
    Authority(String),
    /// The time stamp request is not understood.
    Request(String),
}

/// Why a signature or a time stamp is not good.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Broken {
    /// It is not in the format: what is wrong.
    Malformed(String),
    /// The format is right, but something in it is not supported.
    Unsupported(String),
    /// The signature is not one of this message by the key in question.
    Signature,
    /// It was made for another purpose.
    Namespace {
        /// What it was made for.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// The time stamp is of other bytes.
    Imprint,
    /// The time stamp answers another request.
    Nonce,
    /// The time stamp is of a time that is still to come.
    Future(Moment),
    /// The time stamp's certificate is not one to trust: why.
    Certificate(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read(source) => write!(f, "cannot read: {source}"),
            Error::Passphrase(source) => write!(f, "cannot ask for the passphrase: {source}"),
            Error::WrongPassphrase => f.write_str("wrong passphrase"),
            Error::Key(why) => write!(f, "not a usable key: {why}"),
            Error::Agent(why) => write!(f, "ssh-agent: {why}"),
            Error::AllowedSigners { line, why } => write!(f, "line {line}: {why}"),
            Error::Roots(why) => write!(f, "not usable as roots: {why}"),
            Error::Namespace => f.write_str("a namespace must not be empty"),
            Error::Sign(why) => write!(f, "cannot sign: {why}"),
            Error::Authority(why) => write!(f, "time stamp authority: {why}"),
            Error::Request(why) => write!(f, "not a time stamp request: {why}"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::Read(source) | Error::Passphrase(source) => Some(source),
            _ => None,
        }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Malformed(why) => write!(f, "malformed: {why}"),
            Broken::Unsupported(what) => write!(f, "not supported: {what}"),
            Broken::Signature => f.write_str("the signature does not fit these bytes"),
            Broken::Namespace { found, wanted } => {
                write!(f, "made for the namespace '{found}', not '{wanted}'")
            }
            Broken::Imprint => f.write_str("it is of other bytes"),
            Broken::Nonce => f.write_str("it answers another request (the nonce differs)"),
            Broken::Future(time) => write!(f, "the time that it states, {time}, is still to come"),
            Broken::Certificate(why) => f.write_str(why),
        }
    }
}

impl Broken {
    pub(crate) fn malformed(why: impl fmt::Display) -> Broken {
        Broken::Malformed(why.to_string())
    }
}
