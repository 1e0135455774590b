//! Stand-in for `--images` and `--inside` in builds without forensic images.

use clap::Args;
use hashloom_job::Inside;

/// No options.
#[derive(Debug, Default, Clone, Args)]
pub struct Images {}

impl Images {
    /// Returns false.
    pub fn is_given(&self) -> bool {
        false
    }

    /// Returns nothing.
    pub fn inside(&self) -> Inside {
        Inside::default()
    }
}
