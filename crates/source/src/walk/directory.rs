//! One directory: opened, identified and listed.

use super::list::{ListOptions, Names};
use crate::OperandDirectory;
use crate::fd_limit::retry_at_fd_limit;
use crate::meta::Identity;
use crate::opening::Want;
use crate::sys::{self, Directory};
use hashmill_os::Links;
use std::fs::File;
use std::io;

#[derive(Debug)]
pub(crate) struct ListedDirectory {
    pub(crate) id: Identity,
    /// The entries in order; empty if the directory was not wanted.
    pub(crate) names: Names,
    /// The error that ended the listing early.
    pub(crate) error: Option<io::Error>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct DirectoryPlace<'a> {
    /// The named directory to start from, without following links. `None`: the path is looked up from its start.
    pub(crate) operand: Option<&'a OperandDirectory>,
    pub(crate) path: &'a [u8],
    /// Whether a link at the end of a path is followed when it is looked up from its start.
    pub(crate) links: Links,
}

impl DirectoryPlace<'_> {
    fn open(self) -> io::Result<File> {
        // A FIFO may have replaced a directory; it is rejected without waiting.
        match self.operand {
            Some(operand) => operand.open_with(self.path, Want::Folder),
            None => sys::open(self.path, Want::Folder, self.links),
        }
    }
}

impl ListedDirectory {
    /// Lists the directory at a place if `wanted` accepts its identity. If it has more entries than `options` allow,
    /// the listing ends early with [`io::ErrorKind::FileTooLarge`].
    pub(crate) fn list(
        place: DirectoryPlace<'_>,
        options: ListOptions<'_>,
        wanted: impl FnOnce(Identity) -> bool,
    ) -> io::Result<ListedDirectory> {
        let directory = Directory::new(retry_at_fd_limit(|| place.open())?)?;
        let meta = sys::stat_open(directory.file())?;
        let id = (meta.dev, meta.ino);
        if !wanted(id) {
            return Ok(ListedDirectory { id, names: Names::default(), error: None });
        }
        let (names, listed) = Names::list(directory, options);
        Ok(ListedDirectory { id, names, error: listed.err() })
    }
}
