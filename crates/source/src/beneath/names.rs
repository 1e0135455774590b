//! The names in one open directory.

use crate::sys::Directory;
use hashmill_os::names;
use std::ffi::OsString;
use std::fs::File;
use std::io;

/// Lists the names in an open directory, in no particular order.
pub(crate) fn names_of(directory: File) -> io::Result<Vec<OsString>> {
    let mut listing = Directory::new(directory)?;
    let mut found = Vec::new();
    while let Some(listed) = listing.next()? {
        found.push(names::name(listed.name)?.into_owned());
    }
    Ok(found)
}
