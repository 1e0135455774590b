//! The names in a directory, for those who need no more than names.

use crate::sys::{self, Directory};
use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;

/// Lists the names in a directory, in no order. Signals don't end the listing, as they do one of the standard library.
///
/// # Errors
/// If it can't be listed to its end.
pub fn names_in(directory: &[u8]) -> io::Result<Vec<OsString>> {
    names_of(sys::open_quietly(directory, libc::O_DIRECTORY)?)
}

/// The names in an open directory.
pub(crate) fn names_of(directory: OwnedFd) -> io::Result<Vec<OsString>> {
    let mut directory = Directory::new(directory)?;
    let mut names = Vec::new();
    while let Some(listed) = directory.next()? {
        names.push(OsString::from_vec(listed.name.to_bytes().to_vec()));
    }
    Ok(names)
}
