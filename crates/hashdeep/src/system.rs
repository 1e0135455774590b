//! The system calls that the standard library and `rustix` lack.
#![allow(unsafe_code)]

use std::io;

/// Returns the number of processors, as counted by `-h`.
pub fn processors() -> i64 {
    // SAFETY: the call takes a number and touches no memory.
    let count = unsafe { libc::sysconf(libc::_SC_NPROCESSORS_ONLN) };
    if count < 0 { 1 } else { count }
}

/// Returns the resources that this process has used so far.
pub fn usage() -> io::Result<libc::rusage> {
    // SAFETY: `rusage` contains numbers only, so all-zero bytes are a valid one.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the call writes to a struct that we own.
    match unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } {
        0 => Ok(usage),
        _ => Err(io::Error::last_os_error()),
    }
}
