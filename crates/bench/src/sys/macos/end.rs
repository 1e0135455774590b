//! The end of a process, by looking often.

use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Duration;

/// A child whose end is looked for.
pub(crate) struct ProcessEnd(Pid);

impl ProcessEnd {
    /// The longest time between two looks at the process.
    pub(crate) const GLANCE: Duration = Duration::from_millis(1);

    /// Takes the number of a child.
    pub(crate) fn open(child: &Child) -> io::Result<ProcessEnd> {
        Ok(ProcessEnd(Pid::from_child(child)))
    }

    /// Returns `None`, since no descriptor tells.
    pub(crate) fn file(&self) -> Option<&OwnedFd> {
        None
    }

    /// Returns whether the process has ended. It is still to be waited for.
    pub(crate) fn is_reached(&self, _: bool) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(self.0), options)?.is_some())
    }
}
