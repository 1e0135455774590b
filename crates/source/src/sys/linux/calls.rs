//! The names and numbers of calls that Linux shares with macOS, and those by which it opens.

pub(crate) use libc::{
    RLIM64_INFINITY as INFINITY, fstat64 as fstat, fstatat64 as fstatat, getrlimit64 as getrlimit,
    lseek64 as lseek, openat64 as openat, rlimit64 as Limit, stat64 as Stat,
};

use crate::opening::Want;
use std::ffi::c_int;

/// The flag that leaves the access time alone, which only the owner of a file may use.
pub(crate) const QUIET: c_int = libc::O_NOATIME;

/// Returns the flags for opening.
pub(crate) fn flags(want: Want) -> c_int {
    match want {
        Want::Read => 0,
        Want::ReadNow => libc::O_NONBLOCK,
        Want::Folder => libc::O_DIRECTORY,
        Want::Lookup => libc::O_PATH | libc::O_DIRECTORY,
    }
}

/// Returns false: file systems that fetch files have no mark that tells.
pub(crate) fn is_elsewhere(_: &Stat) -> bool {
    false
}
