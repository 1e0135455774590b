//! Opening below a directory without following links, one directory after the other.

use super::calls::{retry_interrupted, with_c_string};
use super::facts::facts_in;
use crate::FileKind;
use crate::sys::{LOOKUP, openat};
use std::ffi::c_int;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a path below a directory for reading, by opening one directory after the other. Links fail with `ELOOP`.
///
/// # Errors
/// If it can't be opened, or leads out by `..`.
pub fn open_in_steps(start: &File, path: &[u8], flags: c_int) -> io::Result<File> {
    let mut names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()).peekable();
    let mut at: Option<File> = None;
    while let Some(name) = names.next() {
        let is_last = names.peek().is_none();
        let flags = if is_last { flags } else { LOOKUP };
        let next = open_in(at.as_ref().unwrap_or(start), name, flags)?;
        if is_last {
            return Ok(next);
        }
        at = Some(next);
    }
    Err(io::Error::from_raw_os_error(libc::ENOENT))
}

/// Opens an entry of a directory that is not a symbolic link.
#[allow(unsafe_code)]
pub fn open_in(folder: &File, name: &[u8], flags: c_int) -> io::Result<File> {
    if name == b".." {
        return Err(io::Error::from_raw_os_error(libc::EXDEV));
    }
    let flags = flags | libc::O_CLOEXEC | libc::O_NOFOLLOW;
    let opened = with_c_string(name, |name| {
        // SAFETY: `name` is a C string that outlives the call, and without O_CREAT no mode is read.
        retry_interrupted(|| unsafe { openat(folder.as_raw_fd(), name.as_ptr(), flags) })
    });
    match opened {
        // SAFETY: the descriptor is new and has no other owner.
        Ok(fd) => Ok(unsafe { File::from_raw_fd(fd) }),
        // O_DIRECTORY returns this for a link.
        Err(error) if error.raw_os_error() == Some(libc::ENOTDIR) => {
            let is_link = facts_in(folder, name).is_ok_and(|facts| facts.kind == FileKind::Link);
            Err(if is_link { io::Error::from_raw_os_error(libc::ELOOP) } else { error })
        }
        Err(error) => Err(error),
    }
}

/// Opens the folder at a path for lookups in it; a link is followed.
pub fn open_to_look_up(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(LOOKUP).open(path)
}
