//! The end of a process, as a descriptor.

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Duration;

/// A descriptor that becomes readable when a process ends.
pub(crate) struct ProcessEnd(OwnedFd);

impl ProcessEnd {
    /// The longest time between two looks at a process: the descriptor tells.
    pub(crate) const GLANCE: Duration = Duration::MAX;

    /// Opens the descriptor of a child.
    pub(crate) fn open(child: &Child) -> io::Result<ProcessEnd> {
        Ok(ProcessEnd(pidfd_open(Pid::from_child(child), PidfdFlags::empty())?))
    }

    /// Returns the descriptor.
    pub(crate) fn file(&self) -> Option<&OwnedFd> {
        Some(&self.0)
    }

    /// Returns whether the process has ended, which is so when its descriptor is readable.
    pub(crate) fn is_reached(&self, readable: bool) -> io::Result<bool> {
        Ok(readable)
    }
}
