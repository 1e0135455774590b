//! The command, as `python -m hashloom` and the script `hashloom` run it.

#![allow(unsafe_code, reason = "the actions of signals")]

use pyo3::prelude::*;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

/// Runs a command line, and returns its exit code. The first of `words` is the name of the program; `program` is its
/// path, if it has one. A process can do this only once, and should exit afterwards.
#[pyfunction]
#[pyo3(signature = (words, program = None))]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>, program: Option<PathBuf>) -> u8 {
    as_a_program(libc::SIGINT);
    as_a_program(libc::SIGXFSZ);
    py.detach(|| {
        let code = hashloom::command::run(words, program);
        // In a program the runtime flushes at the end. A failure shows in the exit code.
        let _ = io::stdout().flush();
        code
    })
}

/// Restores the default action of a signal that the interpreter handles itself. SIGINT stays ignored if the process was
/// started so (`nohup`, background jobs of scripts): the interpreter leaves it alone then.
fn as_a_program(signal: libc::c_int) {
    // SAFETY: all-zero bytes are a valid action, which is written before it is read; no handler is installed.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let known = libc::sigaction(signal, std::ptr::null(), &mut action) == 0;
        if known && (action.sa_sigaction != libc::SIG_IGN || signal != libc::SIGINT) {
            libc::signal(signal, libc::SIG_DFL);
        }
    }
}
