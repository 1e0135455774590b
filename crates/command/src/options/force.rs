//! `--force`.

use crate::access;
use crate::output::{self, OutputPath, WriteError};
use crate::signal;
use clap::Args;
use hashmill_content::output::To;
use std::path::Path;

/// Permission to replace existing files.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Force {
    /// Replace an existing output of any kind. Without it only a file of the same kind is replaced, and a manifest only
    /// by one of a run that found all operands and at least half as many files
    #[arg(long)]
    pub force: bool,
}

impl Force {
    /// Returns the output that `-o` names; without `-o`, or with `-`, standard output.
    ///
    /// # Errors
    /// If standard output is closed.
    pub fn to(self, path: Option<&Path>) -> Result<To, WriteError> {
        match output::named(path) {
            Some(path) => Ok(To::File(self.at(path))),
            None => Ok(To::Stream(output::stdout()?)),
        }
    }

    /// Returns the path of an output with this permission.
    pub fn at(self, path: &Path) -> OutputPath {
        let stores = access::stores();
        OutputPath { force: self.force, stores, ..OutputPath::new(path, &signal::files()) }
    }
}
