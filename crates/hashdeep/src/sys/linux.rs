//! Linux.

mod unix;

use hashmill_os::names;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

pub(crate) use unix::*;

/// The number of `/dev/null`: major 1, minor 3.
const NULL: u64 = 1 << 8 | 3;

/// The maximum number of bytes of a step, with room for the name of its starting directory.
const STEP: usize = libc::PATH_MAX as usize - 64;

/// The errors of files and file systems for which another C library than glibc (musl, in static programs) has other words.
const REASONS: &[(i32, &str)] = &[
    (libc::EIO, "Input/output error"),
    (libc::ENOMEM, "Cannot allocate memory"),
    (libc::EBUSY, "Device or resource busy"),
    (libc::EXDEV, "Invalid cross-device link"),
    (libc::EMFILE, "Too many open files"),
    (libc::ENOTTY, "Inappropriate ioctl for device"),
    (libc::ESPIPE, "Illegal seek"),
    (libc::ENAMETOOLONG, "File name too long"),
    (libc::ELOOP, "Too many levels of symbolic links"),
    (libc::ETIME, "Timer expired"),
    (libc::EREMOTE, "Object is remote"),
    (libc::ECOMM, "Communication error on send"),
    (libc::EOVERFLOW, "Value too large for defined data type"),
    (libc::ERESTART, "Interrupted system call should be restarted"),
    (libc::EMSGSIZE, "Message too long"),
    (libc::EOPNOTSUPP, "Operation not supported"),
    (libc::EADDRINUSE, "Address already in use"),
    (libc::EADDRNOTAVAIL, "Cannot assign requested address"),
    (libc::ENETUNREACH, "Network is unreachable"),
    (libc::ENETRESET, "Network dropped connection on reset"),
    (libc::ECONNABORTED, "Software caused connection abort"),
    (libc::ENOTCONN, "Transport endpoint is not connected"),
    (libc::ESHUTDOWN, "Cannot send after transport endpoint shutdown"),
    (libc::ETIMEDOUT, "Connection timed out"),
    (libc::EHOSTUNREACH, "No route to host"),
    (libc::EUCLEAN, "Structure needs cleaning"),
    (libc::EDQUOT, "Disk quota exceeded"),
    (libc::EHWPOISON, "Memory page has hardware error"),
];

/// Returns the text that glibc has for an error, if other libraries have another.
pub(crate) fn reason(error: &io::Error) -> Option<&'static str> {
    let number = error.raw_os_error()?;
    REASONS.iter().find(|(known, _)| *known == number).map(|(_, text)| *text)
}

/// A path for system calls, with the open directory that keeps it valid. A system call takes at most `PATH_MAX` bytes, so
/// longer paths are traversed in steps, each relative to an open directory.
pub(crate) struct SystemPath {
    path: PathBuf,
    _held: Option<File>,
}

impl SystemPath {
    /// Prepares a path.
    ///
    /// # Errors
    /// If a directory of the path can't be opened.
    pub(crate) fn open(path: &[u8]) -> io::Result<SystemPath> {
        let mut reach = SystemPath { path: PathBuf::new(), _held: None };
        let mut rest = path;
        while rest.len() > STEP {
            let Some(slash) = rest[..STEP].iter().rposition(|byte| *byte == b'/') else { break };
            reach = reach.step(&rest[..=slash])?;
            rest = &rest[slash + 1..];
        }
        let path = reach.path.join(names::path(rest)?);
        Ok(SystemPath { path, ..reach })
    }

    fn step(&self, step: &[u8]) -> io::Result<SystemPath> {
        let flags = libc::O_PATH | libc::O_DIRECTORY;
        let directory = self.path.join(names::path(step)?);
        let held = OpenOptions::new().read(true).custom_flags(flags).open(directory)?;
        let path = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
        Ok(SystemPath { path, _held: Some(held) })
    }

    /// Returns the path for system calls.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    #[test]
    fn reasons_are_those_of_glibc() {
        for (number, text) in super::REASONS {
            let own = std::io::Error::from_raw_os_error(*number).to_string();
            assert_eq!(own, format!("{text} (os error {number})"));
        }
    }
}
