//! `--force`.

use crate::access;
use clap::Args;
use hashmill_job::output::OutputPath;
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
    /// Returns the path of an output with this permission.
    pub fn at(self, path: &Path) -> OutputPath {
        OutputPath { force: self.force, stores: access::stores(), ..path.into() }
    }
}
