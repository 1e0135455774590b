//! The option that lets an output replace whatever is there.

use clap::Args;
use hashloom_job::output::OutputPath;
use std::path::Path;

/// Whether an output replaces whatever has its name.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Force {
    /// Replace whatever is there. Without it a file gives way only to one of its kind, and a manifest only to one of a run
    /// that met all operands and found at least half as many files
    #[arg(long)]
    pub force: bool,
}

impl Force {
    /// Returns where an output of this name goes.
    pub fn at(self, path: &Path) -> OutputPath {
        OutputPath { path: path.to_path_buf(), force: self.force }
    }
}
