//! Paths on systems whose calls take them as they are: on Windows the standard library makes long ones verbatim, on macOS
//! paths of more than `PATH_MAX` bytes are refused.

use hashmill_os::names;
use std::borrow::Cow;
use std::io;
use std::path::Path;

/// A path for system calls.
pub(crate) struct SystemPath<'a>(Cow<'a, Path>);

impl SystemPath<'_> {
    /// Prepares a path.
    ///
    /// # Errors
    /// If no path has these bytes.
    pub(crate) fn open(path: &[u8]) -> io::Result<SystemPath<'_>> {
        names::path(path).map(SystemPath)
    }

    /// Returns the path for system calls.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}
