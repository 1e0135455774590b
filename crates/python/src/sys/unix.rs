//! Linux and macOS.

use std::ffi::c_int;

pub(crate) use libc::{EACCES, EEXIST, EINTR, EINVAL, EIO, EISDIR, ENOENT, ENOTDIR, ETIMEDOUT};

/// Returns the number of a system's error as Python has it.
pub(crate) fn errno(number: i32) -> i32 {
    number
}

/// Lets signals do what they do to a program that is no interpreter.
pub(crate) fn behave_as_a_program() {
    restore(libc::SIGINT);
    restore(libc::SIGXFSZ);
}

/// Restores the default action of a signal that the interpreter handles itself. SIGINT stays ignored if the process was
/// started so (`nohup`, background jobs of scripts): the interpreter leaves it alone then.
#[allow(unsafe_code)]
fn restore(signal: c_int) {
    // SAFETY: all-zero bytes are a valid action, which is written before it is read; no handler is installed.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let known = libc::sigaction(signal, std::ptr::null(), &mut action) == 0;
        if known && (action.sa_sigaction != libc::SIG_IGN || signal != libc::SIGINT) {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}
