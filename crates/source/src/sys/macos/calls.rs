//! The names and numbers of calls that macOS shares with Linux, and those by which it opens.

pub(crate) use libc::{
    RLIM_INFINITY as INFINITY, fstat, fstatat, getrlimit, lseek, openat, rlimit as Limit, stat as Stat,
};

use crate::opening::Want;
use std::ffi::c_int;

/// There is no flag that leaves the access time alone.
pub(crate) const QUIET: c_int = 0;

/// Returns the flags for opening.
pub(crate) fn flags(want: Want) -> c_int {
    match want {
        Want::Read => 0,
        Want::ReadNow => libc::O_NONBLOCK,
        Want::Folder | Want::Lookup => libc::O_DIRECTORY,
    }
}

/// Returns whether a file is dataless: a cloud has its content.
pub(crate) fn is_elsewhere(stat: &Stat) -> bool {
    /// `SF_DATALESS` of macOS's `sys/stat.h`.
    const DATALESS: u32 = 0x4000_0000;
    stat.st_flags & DATALESS != 0
}
