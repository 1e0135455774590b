//! Faults of signatures and time stamps.

use crate::error::{Text, text};
use crate::ssh::{Moment, SshFault};
use std::fmt;

/// The reason why a signature or a time stamp is not good.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Broken {
    /// It violates its format; the text says how.
    Malformed(Text),
    /// It has the right format, but uses this feature, which is not supported.
    Unsupported(Text),
    /// The signature does not match this message and the key.
    Signature,
    /// It names another key as its own.
    OtherKey,
    /// It was made for another namespace.
    Namespace {
        /// The namespace of the signature.
        found: String,
        /// The namespace that was requested.
        wanted: String,
    },
    /// The time stamp is for other bytes.
    Imprint,
    /// The time stamp answers another request.
    Nonce,
    /// It is by another policy than its request asks for.
    Policy,
    /// The time stamp states a time in the future.
    Future(Moment),
    /// The certificate of the time stamp can't be trusted; the text says why.
    Certificate(Text),
}

/// Faults of more than one format.
pub(crate) const LONG: &str = "it is too long for a signature";
pub(crate) const NOT_TEXT: &str = "it is not text";
pub(crate) const NO_CONTENT: &str = "it has no content";

/// Returns the fault of a violated format.
pub(crate) fn malformed(how: impl Into<Text>) -> Broken {
    Broken::Malformed(how.into())
}

/// Returns the fault of a feature that is not supported.
pub(crate) fn unsupported(what: impl Into<Text>) -> Broken {
    Broken::Unsupported(what.into())
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Malformed(how) => write!(f, "malformed: {how}"),
            Broken::Unsupported(what) => write!(f, "not supported: {what}"),
            Broken::Signature => f.write_str("the signature does not fit these bytes"),
            Broken::OtherKey => f.write_str("it names another key"),
            Broken::Namespace { found, wanted } => {
                write!(f, "made for the namespace '{found}', not '{wanted}'")
            }
            Broken::Imprint => f.write_str("it is for other bytes"),
            Broken::Policy => f.write_str("it is by another policy than its request asks for"),
            Broken::Nonce => f.write_str("it answers another request (the nonce differs)"),
            Broken::Future(time) => write!(f, "it states a time in the future: {time}"),
            Broken::Certificate(why) => f.write_str(why),
        }
    }
}

impl From<SshFault> for Broken {
    fn from(source: SshFault) -> Broken {
        malformed(text(source))
    }
}

impl From<der::Error> for Broken {
    fn from(source: der::Error) -> Broken {
        malformed(text(source))
    }
}
