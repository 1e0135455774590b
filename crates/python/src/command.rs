//! The command, as `python -m hashmill` and the script `hashmill` run it.

use crate::sys::behave_as_a_program;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

/// Runs a command line, and returns its exit code. The first of `words` is the name of the program; `program` is its
/// path, if it has one. A process should exit afterwards: signals and pipes are treated as a program's.
#[pyfunction]
#[pyo3(signature = (words, program = None))]
pub(crate) fn command(py: Python<'_>, words: Vec<OsString>, program: Option<PathBuf>) -> u8 {
    behave_as_a_program();
    py.detach(|| {
        let code = hashmill::command::run(words, program);
        // In a program the runtime flushes at the end. A failure shows in the exit code.
        let _ = io::stdout().flush();
        code
    })
}
