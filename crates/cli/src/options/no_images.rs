//! Stand-in for `--images` and `--inside` in builds without forensic images.

use clap::Args;
use hashmill_job::{BackingFiles, Inside, Misfit};

/// No options.
#[derive(Debug, Default, Clone, Args)]
pub struct Images {}

impl Images {
    /// Returns false.
    pub fn is_given(&self) -> bool {
        false
    }

    /// Returns none.
    ///
    /// # Errors
    /// Never.
    pub fn backing(&self) -> Result<BackingFiles, Misfit> {
        Ok(BackingFiles::default())
    }

    /// Returns nothing.
    pub fn inside(&self) -> Inside {
        Inside::default()
    }
}
