//! The command, as `python -m hashloom` and the script `hashloom` run it.

#![allow(unsafe_code, reason = "the actions of signals")]

use pyo3::prelude::*;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

/// Does what a command line says, and returns the exit code. `words` has the name of the program first; `program` is its
/// path, where there is one. One process can do this once, and should end then.
#[pyfunction]
#[pyo3(signature = (words, program = None))]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>, program: Option<PathBuf>) -> u8 {
    as_a_program(libc::SIGINT);
    as_a_program(libc::SIGXFSZ);
    py.detach(|| {
        let code = hashloom::command::run(words, program);
        // A program's runtime does so at its end. If nobody reads it, the exit code tells.
        let _ = io::stdout().flush();
        code
    })
}

/// Gives a signal that the interpreter has taken for itself the action that it has in a program. SIGINT stays ignored where
/// the process was started so (`nohup`, background jobs of scripts): the interpreter leaves it alone then.
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
