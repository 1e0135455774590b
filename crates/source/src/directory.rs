//! One directory: opened, identified, and listed.

use crate::fd_limit::retry_at_fd_limit;
use crate::list::{ListOptions, Names};
use crate::sys::{self, Directory, Links};
use std::io;

/// Device and inode number.
pub(crate) type Id = (u64, u64);

/// A directory and what is in it.
#[derive(Debug)]
pub(crate) struct ListedDirectory {
    pub(crate) id: Id,
    /// The entries in order; none if the directory was not wanted.
    pub(crate) names: Names,
    /// The error that ended the listing early.
    pub(crate) error: Option<io::Error>,
}

impl ListedDirectory {
    /// Lists the directory at a path, if it is wanted once its identity is known. If it has more entries than `options`
    /// allow, the listing ends early with [`io::ErrorKind::FileTooLarge`].
    pub(crate) fn list(
        path: &[u8],
        links: Links,
        options: ListOptions<'_>,
        wanted: impl FnOnce(Id) -> bool,
    ) -> io::Result<ListedDirectory> {
        let no_link = if links == Links::Stay { libc::O_NOFOLLOW } else { 0 };
        // A directory may have been replaced by a FIFO; O_DIRECTORY refuses it without waiting.
        let directory =
            Directory::new(retry_at_fd_limit(|| sys::open_quietly(path, libc::O_DIRECTORY | no_link))?)?;
        let meta = sys::stat_open(directory.fd())?;
        let id = (meta.dev, meta.ino);
        if !wanted(id) {
            return Ok(ListedDirectory { id, names: Names::default(), error: None });
        }
        let (names, listed) = Names::list(directory, options);
        Ok(ListedDirectory { id, names, error: listed.err() })
    }
}
