//! One directory, opened, told apart from others, and listed.

use crate::crowd::patiently;
use crate::list::{Listing, Names};
use crate::sys::{self, Directory, Links};
use std::io;

/// Device and inode number.
pub(crate) type Id = (u64, u64);

/// What is in a directory.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) id: Id,
    /// The entries in order; none if the directory was not wanted.
    pub(crate) names: Names,
    /// What ended the listing early.
    pub(crate) error: Option<io::Error>,
}

impl Contents {
    /// Lists the directory at a path, if it is wanted once its identity is known, and has at most as many entries
    /// as `how` says: else the listing ends early with [`io::ErrorKind::FileTooLarge`].
    pub(crate) fn list(
        path: &[u8],
        links: Links,
        how: Listing<'_>,
        wanted: impl FnOnce(Id) -> bool,
    ) -> io::Result<Contents> {
        let no_link = if links == Links::Stay { libc::O_NOFOLLOW } else { 0 };
        // A directory may have been replaced by a FIFO; O_DIRECTORY refuses it without waiting.
        let directory = Directory::new(patiently(|| sys::open_quietly(path, libc::O_DIRECTORY | no_link))?)?;
        let meta = sys::stat_open(directory.fd())?;
        let id = (meta.dev, meta.ino);
        if !wanted(id) {
            return Ok(Contents { id, names: Names::default(), error: None });
        }
        let (names, listed) = Names::list(directory, how);
        Ok(Contents { id, names, error: listed.err() })
    }
}
