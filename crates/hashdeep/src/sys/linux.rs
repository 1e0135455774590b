//! Linux.

mod unix;

use hashloom_os::names;
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
