//! The page cache of systems where no program may empty it.

use std::fs::File;
use std::io;

/// The file that drops the whole page cache: there is none.
pub(crate) const DROP: Option<&str> = None;

/// Fails, since no call drops the data of a file from the cache.
pub(crate) fn forget(_: &File) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system keeps files in its cache"))
}
