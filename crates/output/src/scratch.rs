//! Temporary files without a name, which are gone however the process ends.

use crate::output::WriteError;
use crate::unfinished::directory;
use std::env;
use std::fs::File;
use std::io;
use std::path::Path;

/// Creates a file on the file system of an output, which has the room for what the output is made of.
///
/// # Errors
/// If it can't be created.
pub fn beside(output: &Path) -> io::Result<File> {
    tempfile::tempfile_in(directory(output))
}

/// Adds the directory of temporary files to an error, and how to choose another.
pub fn failed(error: io::Error) -> WriteError {
    let what = format!("records wait there until they can be written: {error}; TMPDIR names another place");
    WriteError::new(&env::temp_dir(), io::Error::new(error.kind(), what))
}
