//! The system calls that the standard library lacks.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Takes the file's lock for this process, if nobody has it.
///
/// # Errors
/// `WouldBlock` if another process has it.
#[allow(unsafe_code)]
pub fn lock(file: &File) -> io::Result<()> {
    // SAFETY: `flock` takes a descriptor, open here for the whole call, and touches no memory.
    let code = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Whether this process was started with the signal ignored (`nohup`, background jobs of scripts).
#[allow(unsafe_code)]
pub fn ignored(signal: libc::c_int) -> bool {
    // SAFETY: all-zero bytes are a valid `sigaction` (the default action, an empty mask).
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: no new action is given, and the old one is written to a struct that we own.
    let code = unsafe { libc::sigaction(signal, std::ptr::null(), &mut action) };
    code == 0 && action.sa_sigaction == libc::SIG_IGN
}

/// The most memory that this process ever held, in bytes.
#[allow(unsafe_code)]
pub fn peak_memory() -> u64 {
    // SAFETY: all-zero bytes are a valid `rusage`: it holds integers only.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `getrusage` writes to a struct that we own.
    let code = unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    if code == 0 { usage.ru_maxrss as u64 * unit } else { 0 }
}
