//! What goes wrong between a location and its bytes: where, what was tried, why, and what helps.

use std::fmt;
use std::io::{self, ErrorKind};

/// A failure of one request, or of a whole store.
#[derive(Debug, Clone)]
pub struct Error {
    /// The location as it is shown, without secrets.
    pub location: Box<str>,
    /// What was tried.
    pub doing: Doing,
    /// Why it failed.
    pub cause: Cause,
}

/// What was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doing {
    /// Reaching the store at all.
    Connect,
    /// Listing keys.
    List,
    /// Asking what an object is.
    Look,
    /// Reading an object from this byte on.
    Read(u64),
    /// Writing an object.
    Write,
}

/// Why it failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// No credentials were found, or they can't be used.
    NoCredentials(Box<str>),
    /// Credentials are named in a way that can't be used; with what to do about it.
    Credentials(Box<str>),
    /// The credentials were good once.
    Expired,
    /// The store does not know the credentials, or the signature is wrong.
    Unknown(Box<str>),
    /// Not allowed; with the store's word for it.
    Denied(Box<str>),
    /// The clock of this machine is wrong.
    Clock,
    /// There is no such bucket or container.
    NoBucket,
    /// There is no such object.
    NotFound,
    /// It was moved to slow storage and must be brought back first.
    Archived,
    /// It is not the object any more that was listed.
    Changed,
    /// The bucket is in another region; which one, if the store says so.
    Region(Option<Box<str>>),
    /// The store sends elsewhere.
    Redirect(Option<Box<str>>),
    /// No safe connection: a certificate that is not trusted, or no TLS at all.
    Tls(Box<str>),
    /// Nobody is there, or the connection broke, with the system's kind of error.
    Connection(ErrorKind, Box<str>),
    /// No answer in time.
    Timeout,
    /// The store asks to be asked less, as often as it was asked.
    Throttled,
    /// The store fails by itself, as often as it was asked.
    Failing(u16),
    /// For this reason, and not repeated, as too many requests fail.
    GaveUp(Box<Cause>),
    /// What answers is no store: a page for people, say.
    NotAStore(Box<str>),
    /// A range was asked for, and something else was sent.
    IgnoresRanges,
    /// Another object was sent than `If-Match` asked for.
    IgnoresConditions,
    /// Keys do not come in order, so nothing can be compared as it comes.
    Unordered,
    /// Its key has `.` or `..` between slashes, and they are resolved on the way: another object would come.
    DotSegment,
    /// Any other answer, with its status and the store's word.
    Status(u16, Box<str>),
    /// The answer can't be understood.
    Malformed(Box<str>),
    /// This can't be done there.
    Unsupported(Box<str>),
}

impl Cause {
    /// What failed in one word, for programs: as errors of files have it.
    pub fn word(&self) -> &'static str {
        match self.kind() {
            ErrorKind::PermissionDenied => "EACCES",
            ErrorKind::NotFound => "ENOENT",
            ErrorKind::TimedOut => "timeout",
            ErrorKind::ResourceBusy => "EBUSY",
            ErrorKind::StaleNetworkFileHandle => "ESTALE",
            ErrorKind::ConnectionRefused => "ECONNREFUSED",
            ErrorKind::ConnectionReset => "ECONNRESET",
            ErrorKind::HostUnreachable => "EHOSTUNREACH",
            ErrorKind::InvalidData => "damaged",
            _ => "error",
        }
    }

    /// The kind of error that it would be for a file.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Cause::NoCredentials(_)
            | Cause::Credentials(_)
            | Cause::Expired
            | Cause::Unknown(_)
            | Cause::Denied(_)
            | Cause::Clock
            | Cause::Archived => ErrorKind::PermissionDenied,
            Cause::NoBucket | Cause::NotFound => ErrorKind::NotFound,
            Cause::Changed => ErrorKind::StaleNetworkFileHandle,
            Cause::Timeout => ErrorKind::TimedOut,
            Cause::Throttled => ErrorKind::ResourceBusy,
            Cause::Connection(kind, _) => *kind,
            Cause::GaveUp(cause) => cause.kind(),
            Cause::NotAStore(_)
            | Cause::IgnoresRanges
            | Cause::IgnoresConditions
            | Cause::Unordered
            | Cause::Malformed(_) => ErrorKind::InvalidData,
            Cause::DotSegment => ErrorKind::InvalidInput,
            Cause::Unsupported(_) => ErrorKind::Unsupported,
            Cause::Region(_) | Cause::Redirect(_) | Cause::Tls(_) | Cause::Failing(_) | Cause::Status(..) => {
                ErrorKind::Other
            }
        }
    }

    /// Whether it is a matter of the whole store, not of one object.
    pub fn is_of_store(&self) -> bool {
        !matches!(
            self,
            Cause::NotFound | Cause::Archived | Cause::Changed | Cause::DotSegment | Cause::Denied(_)
        )
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::NoCredentials(why) => {
                write!(
                    f,
                    "no credentials: {why}; set them as the provider's tools have them, or use --anonymous"
                )
            }
            Cause::Credentials(why) => write!(f, "no credentials: {why}"),
            Cause::Expired => f.write_str("the credentials have expired: get new ones"),
            Cause::Unknown(word) => {
                write!(f, "the credentials are not accepted ({word}): check key, secret and account")
            }
            Cause::Denied(word) => write!(f, "access denied ({word})"),
            Cause::Clock => {
                f.write_str("the clock of this machine differs too much from the store's: set it right")
            }
            Cause::NoBucket => f.write_str("there is no such bucket or container"),
            Cause::NotFound => f.write_str("there is no such object"),
            Cause::Archived => f.write_str("is in archive storage: restore it first"),
            Cause::Changed => f.write_str("was replaced or removed"),
            Cause::Region(Some(region)) => {
                write!(f, "the bucket is in another region: use --region {region}")
            }
            Cause::Region(None) => f.write_str("the bucket is in another region: name it with --region"),
            Cause::Redirect(Some(to)) => write!(f, "sends to {to}: use --endpoint or --region to ask there"),
            Cause::Redirect(None) => f.write_str("sends elsewhere: check --endpoint and --region"),
            Cause::Tls(why) => write!(f, "no safe connection: {why}"),
            Cause::Connection(_, why) => write!(f, "no connection: {why}"),
            Cause::Timeout => f.write_str("no answer in time"),
            Cause::Throttled => {
                f.write_str("asks to slow down, however long it is left alone: use fewer --requests")
            }
            Cause::Failing(status) => write!(f, "fails each time (status {status})"),
            Cause::GaveUp(cause) => write!(f, "{cause}; not repeated, as too many requests fail"),
            Cause::NotAStore(what) => {
                write!(f, "what answers is no object store ({what}): check --endpoint and proxies")
            }
            Cause::IgnoresRanges => f.write_str("sends other bytes than the range that it was asked for"),
            Cause::IgnoresConditions => {
                f.write_str("sends another object than the one that If-Match asked for")
            }
            Cause::Unordered => f.write_str("does not list keys in their order"),
            Cause::DotSegment => {
                f.write_str("can't be asked for: '.' and '..' in its key are resolved on the way to it")
            }
            Cause::Status(status, word) if word.is_empty() => write!(f, "answers with status {status}"),
            Cause::Status(status, word) => write!(f, "answers with status {status} ({word})"),
            Cause::Malformed(what) => write!(f, "the answer can't be understood: {what}"),
            Cause::Unsupported(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for Cause {}

impl fmt::Display for Doing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doing::Connect => f.write_str("cannot connect"),
            Doing::List => f.write_str("cannot list"),
            Doing::Look => f.write_str("cannot look it up"),
            Doing::Read(offset) => write!(f, "read failed at byte {offset}"),
            Doing::Write => f.write_str("cannot write"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.location, self.doing, self.cause)
    }
}

impl std::error::Error for Error {}

/// The cause alone: whoever reads files knows which one, and what was tried.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::new(error.cause.kind(), error.cause)
    }
}
