//! Failures between a location and its bytes: where, what was tried, the cause, and advice.

use std::fmt;
use std::io::{self, ErrorKind};

/// A failure of one request, or of a whole store.
#[derive(Debug, Clone)]
pub struct Error {
    /// The location as it is shown, without secrets.
    pub location: Box<str>,
    /// The operation that failed.
    pub doing: Doing,
    /// Why it failed.
    pub cause: Cause,
}

/// The operation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Doing {
    /// Reaching the store at all.
    Connect,
    /// Listing keys.
    List,
    /// Looking up an object.
    Look,
    /// Reading an object from this byte on.
    Read(u64),
    /// Writing an object.
    Write,
}

/// The reason of a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// No credentials were found, or they can't be used.
    NoCredentials(Box<str>),
    /// Credentials are configured in a way that can't be used; with advice.
    Credentials(Box<str>),
    /// The credentials have expired.
    Expired,
    /// The store does not know the credentials, or the signature is wrong.
    Unknown(Box<str>),
    /// Not allowed; with the store's error code.
    Denied(Box<str>),
    /// The clock of this machine is wrong.
    Clock,
    /// There is no such bucket or container.
    NoBucket,
    /// There is no such object.
    NotFound,
    /// There is no object of this key, which may be the beginning of others; with advice.
    NotWhole(Box<str>),
    /// There is no object whose key begins with this prefix.
    NothingBelow,
    /// The object is in archival storage and must be restored first.
    Archived,
    /// The object has changed since it was listed.
    Changed,
    /// The bucket is in another region; which one, if the store says so.
    Region(Option<Box<str>>),
    /// The store redirects to another address.
    Redirect(Option<Box<str>>),
    /// There is no secure connection: a certificate is not trusted, or there is no TLS at all.
    Tls(Box<str>),
    /// The store can't be reached, or the connection broke, with the system's kind of error.
    Connection(ErrorKind, Box<str>),
    /// No answer in time.
    Timeout,
    /// The store asks for fewer requests, and all attempts failed so.
    Throttled,
    /// The store has an internal error, and all attempts failed so.
    Failing(u16),
    /// This is the cause, and no retry was made, as too many requests fail.
    GaveUp(Box<Cause>),
    /// The server is not a store: it answers with a web page, for example.
    NotAStore(Box<str>),
    /// The server ignores ranges: it sent other bytes than those requested.
    IgnoresRanges,
    /// The server ignores conditions: it sent another object than `If-Match` asked for.
    IgnoresConditions,
    /// Keys are not sorted, so a listing can't be compared as it arrives.
    Unordered,
    /// The key has `.` or `..` between slashes, which are resolved on the way: another object would be sent.
    DotSegment,
    /// Any other answer, with its status and the store's error code.
    Status(u16, Box<str>),
    /// The answer can't be understood.
    Malformed(Box<str>),
    /// The operation is not supported there.
    Unsupported(Box<str>),
}

impl Cause {
    /// Returns the error in one word, for programs: the words of errors of files.
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

    /// Returns the kind of error that it would be for a file.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Cause::NoCredentials(_)
            | Cause::Credentials(_)
            | Cause::Expired
            | Cause::Unknown(_)
            | Cause::Denied(_)
            | Cause::Clock
            | Cause::Archived => ErrorKind::PermissionDenied,
            Cause::NoBucket | Cause::NotFound | Cause::NotWhole(_) | Cause::NothingBelow => {
                ErrorKind::NotFound
            }
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

    /// Returns whether no object of the bucket can be reached, for want of a connection, credentials or the bucket.
    pub fn is_of_access(&self) -> bool {
        match self {
            Cause::NoCredentials(_)
            | Cause::Credentials(_)
            | Cause::Expired
            | Cause::Unknown(_)
            | Cause::Clock
            | Cause::NoBucket
            | Cause::Region(_)
            | Cause::Redirect(_)
            | Cause::Tls(_)
            | Cause::Connection(..)
            | Cause::Timeout => true,
            Cause::GaveUp(cause) => cause.is_of_access(),
            _ => false,
        }
    }

    /// Returns whether the failure concerns the whole store, not one object.
    pub fn is_of_store(&self) -> bool {
        !matches!(
            self,
            Cause::NotFound
                | Cause::NotWhole(_)
                | Cause::NothingBelow
                | Cause::Archived
                | Cause::Changed
                | Cause::DotSegment
                | Cause::Denied(_)
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
            Cause::NotWhole(advice) => f.write_str(advice),
            Cause::NothingBelow => f.write_str("there is no object whose key begins so"),
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

/// Keeps only the cause: a reader of files knows the file and the operation.
impl From<Error> for io::Error {
    fn from(error: Error) -> io::Error {
        io::Error::new(error.cause.kind(), error.cause)
    }
}
