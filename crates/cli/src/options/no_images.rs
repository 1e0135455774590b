//! Stand-in for `--images` in builds without forensic images.

use clap::Args;

/// No options.
#[derive(Debug, Default, Clone, Args)]
pub struct Images {}

impl Images {
    /// Returns false.
    pub fn is_given(&self) -> bool {
        false
    }
}
