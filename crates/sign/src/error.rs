//! Errors of keys, agents, trust files and authorities. Faults of signatures and time stamps themselves are in
//! [`broken`](crate::broken).

use crate::Broken;
use crate::bundle::EcFault;
use crate::ssh::SshFault;
use rustls_pki_types::pem;
use std::{error, fmt, io};

/// An error of a key or another requirement for signing or verifying.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The message could not be read.
    Read(io::Error),
    /// The passphrase could not be read from the user.
    Passphrase(io::Error),
    /// The passphrase is wrong.
    WrongPassphrase,
    /// The file is not a key, or the key is of a kind that is not supported.
    Key(KeyFault),
    /// The agent failed.
    Agent {
        /// The failed operation.
        task: AgentTask,
        /// The error.
        source: AgentFault,
    },
    /// A line of a file of allowed signers is not understood.
    AllowedSigners {
        /// The line, from 1.
        line: usize,
        /// The fault of the line.
        fault: LineFault,
    },
    /// The file of root certificates can't be used.
    Roots(RootsFault),
    /// The namespace is empty.
    Namespace,
    /// The signature could not be made.
    Sign(SignFault),
    /// The time stamp request could not be created or parsed.
    Request(RequestFault),
}

/// An operation of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentTask {
    /// Accepting a connection.
    Connect,
    /// Listing its keys.
    List,
    /// Signing with one of its keys.
    Sign,
}

/// The reason why an agent can't be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum AgentFault {
    /// The connection failed.
    Io(io::Error),
    /// The agent refuses.
    Refused,
    /// Its answer is not in the right form.
    Malformed(SshFault),
    /// Its answer is too long.
    LongAnswer,
    /// Its answer has this type, which is not the expected one.
    Answer(u8),
    /// Its signature is not of the kind of the key.
    Signature,
}

/// The reason why a key can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyFault {
    /// The file is empty.
    Empty,
    /// The file has a private key, but a public one is needed.
    NotPublic,
    /// The file is not in any known format.
    Unknown,
    /// The key is a certificate.
    Certificate,
    /// The text after the kind of the key is not base64.
    Base64 {
        /// The kind.
        kind: String,
        /// The error.
        source: base64::DecodeError,
    },
    /// The text after the kind of the key is not a key.
    Public {
        /// The kind.
        kind: String,
        /// The error.
        source: SshFault,
    },
    /// The key is not of the stated kind.
    Kind(String),
    /// The private key of OpenSSH can't be read.
    Private(SshFault),
    /// The private key is in a format that OpenSSH no longer writes.
    OldFormat,
    /// A passphrase is needed.
    Protected,
    /// Keys of this kind can sign only in an agent.
    NotEd25519(String),
    /// A public key can't sign; an agent may have its private half.
    NeedsAgent,
    /// A public key of minisign can't sign.
    MiniPublic,
    /// The file starts like a key of minisign, but the line with the key is missing.
    MiniLine,
    /// The key of minisign is not base64.
    MiniBase64(base64::DecodeError),
    /// The file is not a public key of minisign.
    NotMiniPublic,
    /// The file is not a secret key of minisign.
    NotMiniSecret,
    /// The halves of a key of minisign do not belong together.
    MiniHalves,
    /// The secret key of minisign is encrypted in an unknown way.
    MiniEncryption,
    /// The secret key of minisign is encrypted at a cost that minisign does not allow.
    MiniCost,
    /// The file has no key for bundles.
    Ec(EcFault),
}

/// The fault of a line in a file of allowed signers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineFault {
    /// It has a zero byte.
    ZeroByte,
    /// It has no key after the principals.
    NoKey,
    /// It has one word only.
    OneWord,
    /// A quote is not closed.
    OpenQuote,
    /// An option occurs twice.
    Twice(&'static str),
    /// The value of an option is not in quotes.
    Unquoted(&'static str),
    /// There is no such option.
    UnknownOption(String),
    /// A time is not in the right form.
    Time(String),
    /// `valid-before` is not later than `valid-after`.
    Order,
    /// The key can't be used.
    Key(KeyFault),
}

/// The reason why root certificates can't be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum RootsFault {
    /// The file is not PEM.
    Pem(pem::Error),
    /// The file has no certificate.
    Empty,
    /// A certificate can't be used.
    Certificate {
        /// Its number in the file, from 1.
        number: usize,
        /// The fault.
        source: Broken,
    },
}

/// The reason why a signature could not be created.
#[derive(Debug)]
#[non_exhaustive]
pub enum SignFault {
    /// The new signature does not verify.
    Unverified,
}

/// The fault of a time stamp request.
#[derive(Debug)]
#[non_exhaustive]
pub enum RequestFault {
    /// The system returned no random numbers for the nonce.
    Random,
    /// It violates the format.
    Der(der::Error),
    /// It uses a hash that is not supported.
    Hash(Broken),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read(source) => write!(f, "cannot read: {source}"),
            Error::Passphrase(source) => write!(f, "cannot ask for the passphrase: {source}"),
            Error::WrongPassphrase => f.write_str("wrong passphrase"),
            Error::Key(fault) => write!(f, "not a usable key: {fault}"),
            Error::Agent { task, source } => write!(f, "ssh-agent: {task}: {source}"),
            Error::AllowedSigners { line, fault } => write!(f, "line {line}: {fault}"),
            Error::Roots(fault) => write!(f, "not usable as roots: {fault}"),
            Error::Namespace => f.write_str("a namespace must not be empty"),
            Error::Sign(fault) => write!(f, "cannot sign: {fault}"),
            Error::Request(fault) => write!(f, "not a time stamp request: {fault}"),
        }
    }
}

impl fmt::Display for AgentTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AgentTask::Connect => "cannot connect",
            AgentTask::List => "cannot list its keys",
            AgentTask::Sign => "it can't sign with this key",
        })
    }
}

impl fmt::Display for AgentFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AgentFault::Io(source) => write!(f, "{source}"),
            AgentFault::Refused => f.write_str("it refuses"),
            AgentFault::Malformed(fault) => write!(f, "its answer is damaged: {fault}"),
            AgentFault::LongAnswer => f.write_str("its answer is too long"),
            AgentFault::Answer(kind) => write!(f, "it answers with a message of the type {kind}"),
            AgentFault::Signature => f.write_str("its signature is not of the kind of the key"),
        }
    }
}

impl fmt::Display for KeyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyFault::Base64 { kind, source } => return write!(f, "'{kind}' without a key: {source}"),
            KeyFault::Public { kind, source } => return write!(f, "'{kind}': {source}"),
            KeyFault::Kind(kind) => return write!(f, "'{kind}': the key after it is of another kind"),
            KeyFault::Private(source) => return write!(f, "{source}"),
            KeyFault::NotEd25519(kind) => {
                return write!(
                    f,
                    "{kind}: from files, only ssh-ed25519 keys can sign; use an agent for others"
                );
            }
            KeyFault::Ec(fault) => return write!(f, "{fault}"),
            KeyFault::MiniBase64(source) => return write!(f, "{source}"),
            KeyFault::Empty => "the file is empty",
            KeyFault::NotPublic => "expected a public key (KEY.pub)",
            KeyFault::Unknown => "not a public key of OpenSSH or minisign",
            KeyFault::Certificate => "certificates of OpenSSH are not supported; give the key itself",
            KeyFault::OldFormat => "not in OpenSSH's own format; 'ssh-keygen -p -f KEY' converts it",
            KeyFault::Protected => "it is protected by a passphrase",
            KeyFault::NeedsAgent => "a public key: only an agent can sign with it",
            KeyFault::MiniPublic => "a public key of minisign can't sign",
            KeyFault::MiniLine => "the line with the key is missing",
            KeyFault::NotMiniPublic => "not a public key of minisign",
            KeyFault::NotMiniSecret => "not a secret key of minisign",
            KeyFault::MiniHalves => "its secret and its public half do not belong together",
            KeyFault::MiniEncryption => "it is encrypted in an unknown way",
            KeyFault::MiniCost => "its costs of scrypt are higher than minisign allows",
        })
    }
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineFault::Twice(name) => return write!(f, "the option '{name}' is given twice"),
            LineFault::Unquoted(name) => return write!(f, "the value of '{name}' must be in double quotes"),
            LineFault::UnknownOption(text) => return write!(f, "unknown option '{text}'"),
            LineFault::Time(text) => {
                return write!(f, "'{text}' is not a time: expected YYYYMMDD[HHMM[SS]][Z]");
            }
            LineFault::Key(fault) => return write!(f, "{fault}"),
            LineFault::ZeroByte => "it has a zero byte",
            LineFault::NoKey => "no key: expected 'principals [options] kind base64'",
            LineFault::OneWord => "no key: the line has only one word",
            LineFault::OpenQuote => "a quote is not closed",
            LineFault::Order => "valid-before must be later than valid-after",
        })
    }
}

impl fmt::Display for RootsFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RootsFault::Pem(source) => write!(f, "{source}"),
            RootsFault::Empty => f.write_str("there is no certificate in the file (expected PEM)"),
            RootsFault::Certificate { number, source } => write!(f, "certificate {number}: {source}"),
        }
    }
}

impl fmt::Display for SignFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SignFault::Unverified => f.write_str("the signature that was made does not verify"),
        }
    }
}

impl fmt::Display for RequestFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestFault::Random => f.write_str("the system gives no random numbers"),
            RequestFault::Der(source) => write!(f, "{source}"),
            RequestFault::Hash(source) => write!(f, "{source}"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::Read(source) | Error::Passphrase(source) => Some(source),
            Error::Agent { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl error::Error for AgentFault {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            AgentFault::Io(source) => Some(source),
            _ => None,
        }
    }
}

impl From<io::Error> for AgentFault {
    fn from(source: io::Error) -> AgentFault {
        AgentFault::Io(source)
    }
}

impl From<KeyFault> for Error {
    fn from(fault: KeyFault) -> Error {
        Error::Key(fault)
    }
}

impl From<KeyFault> for LineFault {
    fn from(fault: KeyFault) -> LineFault {
        LineFault::Key(fault)
    }
}

impl From<SignFault> for Error {
    fn from(fault: SignFault) -> Error {
        Error::Sign(fault)
    }
}
