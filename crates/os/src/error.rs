//! The meaning of the system's error numbers, which differ between systems.

use crate::sys;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, ErrorKind};
use std::time::Duration;

/// Returns an error in one word, for programs: the C name of a system error (`EIO`), whatever the system; `timeout` for
/// a call that exceeded its limit; `damaged` or `error` for errors of other content (an image). On Windows, `locked` for
/// a file that another program keeps to itself, `not-hydrated` for one that could not be fetched from its cloud, and
/// `win32-` with the number for errors without a C name.
pub fn word(error: &io::Error) -> Cow<'static, str> {
    match (error.raw_os_error(), error.kind()) {
        (Some(number), _) => sys::word(number),
        (None, ErrorKind::TimedOut) => Cow::Borrowed("timeout"),
        (None, ErrorKind::InvalidData | ErrorKind::UnexpectedEof) => Cow::Borrowed("damaged"),
        // Remote content fails in ways that files do, too.
        (None, ErrorKind::NotFound) => Cow::Borrowed("ENOENT"),
        (None, ErrorKind::PermissionDenied) => Cow::Borrowed("EACCES"),
        (None, ErrorKind::ResourceBusy) => Cow::Borrowed("EBUSY"),
        (None, ErrorKind::ConnectionRefused) => Cow::Borrowed("ECONNREFUSED"),
        (None, ErrorKind::ConnectionReset) => Cow::Borrowed("ECONNRESET"),
        (None, ErrorKind::HostUnreachable) => Cow::Borrowed("EHOSTUNREACH"),
        (None, _) => Cow::Borrowed("error"),
    }
}

/// Returns whether the system refused to follow a symbolic link.
pub fn is_link(error: &io::Error) -> bool {
    has_number(error, &sys::LINK)
}

/// Returns whether this process or the system has too many open files, which may change soon.
pub fn is_too_many_open(error: &io::Error) -> bool {
    has_number(error, &sys::TOO_MANY_OPEN)
}

/// Returns whether a call would have had to wait.
pub fn would_wait(error: &io::Error) -> bool {
    error.kind() == ErrorKind::WouldBlock
}

/// Returns whether an error is about the bytes, not about the device or the file: a damaged medium.
pub fn is_damage(error: &io::Error) -> bool {
    has_number(error, &sys::DAMAGE)
}

/// Returns whether the system refused a direct read, past its cache, because of its place or of the file system.
pub fn is_no_direct(error: &io::Error) -> bool {
    has_number(error, &sys::NO_DIRECT)
}

/// Returns whether an error of a lock means that there are no locks.
pub fn is_no_locks(error: &io::Error) -> bool {
    has_number(error, &sys::NO_LOCKS)
}

/// Returns whether an error of [`exchange_in`](crate::exchange_in) means that the file system can't swap two names.
pub fn is_no_swap(error: &io::Error) -> bool {
    has_number(error, &sys::NO_SWAP)
}

/// Returns whether nobody can read what was written: the other end of a pipe is closed.
pub fn is_no_reader(error: &io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe || word(error) == "EPIPE"
}

fn has_number(error: &io::Error, numbers: &[i32]) -> bool {
    error.raw_os_error().is_some_and(|number| numbers.contains(&number))
}

/// An error that hashmill reports in the words of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// A symbolic link that is not followed.
    Link,
    /// A device that fails to read.
    Damage,
    /// A device that isn't there.
    NoDevice,
    /// A folder in the place of a file.
    Folder,
}

/// Makes an error with the system's number and text.
pub fn make(meaning: Meaning) -> io::Error {
    io::Error::from_raw_os_error(match meaning {
        Meaning::Link => sys::LINK[0],
        Meaning::Damage => sys::DAMAGE[0],
        Meaning::NoDevice => sys::NO_DEVICE,
        Meaning::Folder => sys::IS_FOLDER,
    })
}

/// The time in which a program must open a FIFO to write if it is to be read.
pub const FIFO_WAIT: Duration = Duration::from_secs(5);

/// Returns the error of a FIFO that no program opened to write.
pub fn without_writer() -> io::Error {
    let seconds = FIFO_WAIT.as_secs();
    let text = format!(
        "it is a FIFO, and no program opened it to write within {seconds} s ('- < FIFO' waits longer)"
    );
    io::Error::new(io::ErrorKind::TimedOut, text)
}

/// The reason why the names in a folder are not safe yet.
#[derive(Debug)]
pub enum UnsyncedFolder {
    /// It can't be opened.
    NotOpened(io::Error),
    /// It can't be synced.
    NotSynced(io::Error),
}

impl From<UnsyncedFolder> for io::Error {
    fn from(unsynced: UnsyncedFolder) -> io::Error {
        match unsynced {
            UnsyncedFolder::NotOpened(error) | UnsyncedFolder::NotSynced(error) => error,
        }
    }
}

impl fmt::Display for UnsyncedFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnsyncedFolder::NotOpened(error) | UnsyncedFolder::NotSynced(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for UnsyncedFolder {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn errors_have_the_names_of_c() {
        let of = |meaning| word(&make(meaning)).into_owned();
        assert_eq!(of(Meaning::Damage), "EIO");
        assert_eq!(of(Meaning::Link), "ELOOP");
        assert_eq!(of(Meaning::NoDevice), "ENXIO");
        let absent = std::fs::File::open("nothing/at all").unwrap_err();
        assert_eq!(word(&absent), "ENOENT");
        assert_eq!(word(&io::Error::from(ErrorKind::TimedOut)), "timeout");
        assert_eq!(word(&io::Error::other("no chunk")), "error");
    }

    #[test]
    fn errors_are_told_apart() {
        assert!(is_link(&make(Meaning::Link)) && !is_link(&make(Meaning::Damage)));
        assert!(is_damage(&make(Meaning::Damage)) && !is_damage(&io::Error::other("EIO")));
        assert!(!is_too_many_open(&make(Meaning::Link)) && !is_no_locks(&make(Meaning::Damage)));
        assert!(would_wait(&ErrorKind::WouldBlock.into()));
        let (reader, mut writer) = io::pipe().unwrap();
        drop(reader);
        assert!(is_no_reader(&writer.write_all(b"x").unwrap_err()) && !is_no_reader(&make(Meaning::Damage)));
    }
}
