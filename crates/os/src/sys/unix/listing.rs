//! The names in a folder.

use crate::sys::{errno, readdir};
use crate::{Links, open_folder};
use std::ffi::{CStr, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, IntoRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::{self, NonNull};

pub(crate) fn names_in(folder: &Path) -> io::Result<(Vec<OsString>, io::Result<()>)> {
    let mut stream = Listing::new(open_folder(folder, Links::Follow)?)?;
    let mut names = Vec::new();
    loop {
        match stream.next() {
            Ok(Some(name)) => names.push(OsStr::from_bytes(name.to_bytes()).to_os_string()),
            Ok(None) => return Ok((names, Ok(()))),
            Err(error) => return Ok((names, Err(error))),
        }
    }
}

/// An open directory stream.
struct Listing(NonNull<libc::DIR>);

#[allow(unsafe_code)]
impl Listing {
    fn new(folder: File) -> io::Result<Listing> {
        loop {
            // SAFETY: the descriptor is open and owned here.
            if let Some(stream) = NonNull::new(unsafe { libc::fdopendir(folder.as_raw_fd()) }) {
                // The stream owns the descriptor from here on.
                let _ = folder.into_raw_fd();
                return Ok(Listing(stream));
            }
            // It queries the type of the folder, which can be interrupted.
            let error = io::Error::last_os_error();
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
    }

    /// Returns the next name, skipping `.` and `..`.
    fn next(&mut self) -> io::Result<Option<&CStr>> {
        loop {
            // SAFETY: the number is this thread's own.
            unsafe { *errno() = 0 };
            // SAFETY: the stream is open, and borrowing `self` mutably keeps others from it.
            let entry = unsafe { readdir(self.0.as_ptr()) };
            if entry.is_null() {
                match io::Error::last_os_error() {
                    end if end.raw_os_error() == Some(0) => return Ok(None),
                    // File systems over networks or in user space can be interrupted. The stream stays at its position.
                    error if error.kind() == io::ErrorKind::Interrupted => continue,
                    error => return Err(error),
                }
            }
            // SAFETY: the entry is valid until the next call, which the borrow prevents, and its name ends in NUL. Only
            // the name is borrowed: the structure may be shorter than its type.
            let name = unsafe { CStr::from_ptr(ptr::addr_of!((*entry).d_name).cast()) };
            if name != c"." && name != c".." {
                return Ok(Some(name));
            }
        }
    }
}

#[allow(unsafe_code)]
impl Drop for Listing {
    fn drop(&mut self) {
        // An error of closing does not matter: a listing is read, not written. (The standard library panics here.)
        // SAFETY: the stream is open and never used again.
        unsafe { libc::closedir(self.0.as_ptr()) };
    }
}
