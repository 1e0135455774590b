//! Errors of keys, agents, files of trust and authorities. What is wrong with a signature or a time stamp itself is
//! in [`broken`](crate::broken).

use crate::Broken;
use crate::bundle::EcFault;
use minisign::PError;
use rustls_pki_types::pem;
use ssh_key::Algorithm;
use std::{error, fmt, io};

/// A key can't be used, or something else that is needed to sign or to verify.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The message could not be read.
    Read(io::Error),
    /// The passphrase could not be asked for.
    Passphrase(io::Error),
    /// The passphrase is not the key's.
    WrongPassphrase,
    /// The file is not a key, or the key is of a kind that is not supported.
    Key(KeyFault),
    /// A key of minisign can't be used.
    MiniKey(PError),
    /// The agent could not do something.
    Agent {
        /// What it was asked to do.
        task: AgentTask,
        /// What happened.
        source: ssh_agent_client_rs::Error,
    },
    /// A line of a file of allowed signers can't be understood.
    AllowedSigners {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        fault: LineFault,
    },
    /// The file of root certificates can't be used.
    Roots(RootsFault),
    /// Nothing can be signed in this namespace.
    Namespace,
    /// The signature could not be made.
    Sign(SignFault),
    /// The time stamp request could not be made or understood.
    Request(RequestFault),
}

/// What an agent is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentTask {
    /// To take a connection.
    Connect,
    /// To list its keys.
    List,
    /// To sign with one of its keys.
    Sign,
}

/// Why a key can't be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyFault {
    /// There is nothing in the file.
    Empty,
    /// The file has a private key, and a public one is needed.
    NotPublic,
    /// The file is not in any known format.
    Unknown,
    /// The key is a certificate.
    Certificate,
    /// What follows the kind of the key is not base64.
    Base64 {
        /// The kind.
        kind: String,
        /// What is wrong.
        source: base64::DecodeError,
    },
    /// What follows the kind of the key is not a key.
    Public {
        /// The kind.
        kind: String,
        /// What is wrong.
        source: ssh_key::Error,
    },
    /// The key is not of the kind that stands before it.
    Kind(String),
    /// The key is written in a form that OpenSSH refuses; its kind.
    NotCanonical(String),
    /// The private key of OpenSSH can't be read.
    Private(ssh_key::Error),
    /// The private key is in a format that OpenSSH does not write any more.
    OldFormat,
    /// A passphrase is needed.
    Protected,
    /// Keys of this kind sign only in an agent.
    NotEd25519(Algorithm),
    /// A public key can't sign; an agent may have its private half.
    NeedsAgent,
    /// A public key of minisign can't sign.
    MiniPublic,
    /// The file begins as a key of minisign, but has no line with the key.
    MiniLine,
    /// The key of minisign is not base64.
    MiniBase64(base64::DecodeError),
    /// The file is not a public key of minisign.
    NotMiniPublic,
    /// The file is not a secret key of minisign.
    NotMiniSecret,
    /// The file has no key for bundles.
    Ec(EcFault),
}

/// What is wrong with a line of a file of allowed signers.
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
    /// An option is given twice.
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

/// Why root certificates can't be used.
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
        /// What is wrong with it.
        source: Broken,
    },
}

/// Why a signature could not be made.
#[derive(Debug)]
#[non_exhaustive]
pub enum SignFault {
    /// OpenSSH's format can't hold it.
    Ssh(ssh_key::Error),
    /// The key of OpenSSH does not sign.
    Key(signature::Error),
    /// The key of minisign does not sign.
    Mini(PError),
    /// The signature that was made does not verify.
    Unverified,
    /// The key is of the other format.
    Format,
}

/// What is wrong with a time stamp request.
#[derive(Debug)]
#[non_exhaustive]
pub enum RequestFault {
    /// The system gives no random numbers for its nonce.
    Random,
    /// It is not in the format.
    Der(der::Error),
    /// It is by a hash that is not supported.
    Hash(Broken),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Read(source) => write!(f, "cannot read: {source}"),
            Error::Passphrase(source) => write!(f, "cannot ask for the passphrase: {source}"),
            Error::WrongPassphrase => f.write_str("wrong passphrase"),
            Error::Key(fault) => write!(f, "not a usable key: {fault}"),
            Error::MiniKey(source) => write!(f, "not a usable key: {source}"),
            Error::Agent { task, source } => write!(f, "ssh-agent: {task}: {}", AgentSource(source)),
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
            AgentTask::Sign => "it does not sign with this key",
        })
    }
}

/// An agent's error in few words.
struct AgentSource<'a>(&'a ssh_agent_client_rs::Error);

impl fmt::Display for AgentSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ssh_agent_client_rs::Error::AgentCommunicationError(source) => write!(f, "{source}"),
            ssh_agent_client_rs::Error::RemoteFailure => f.write_str("it refuses"),
            other => write!(f, "{other}"),
        }
    }
}

impl fmt::Display for KeyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyFault::Base64 { kind, source } => return write!(f, "'{kind}' without a key: {source}"),
            KeyFault::Public { kind, source } => return write!(f, "'{kind}': {source}"),
            KeyFault::Kind(kind) => return write!(f, "'{kind}': the key behind it is of another kind"),
            KeyFault::NotCanonical(kind) => {
                return write!(f, "'{kind}': the key is not written as OpenSSH writes keys");
            }
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
            LineFault::OneWord => "no key: the line has one word only",
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
            SignFault::Ssh(source) => write!(f, "{source}"),
            SignFault::Key(source) => write!(f, "{source}"),
            SignFault::Mini(source) => write!(f, "{source}"),
            SignFault::Unverified => f.write_str("the signature that was made does not verify"),
            SignFault::Format => f.write_str("the key is not of the format of the signature"),
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
            Error::MiniKey(source) => Some(source),
            Error::Agent { source, .. } => Some(source),
            _ => None,
        }
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
