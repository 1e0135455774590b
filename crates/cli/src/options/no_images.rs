//! Forensic images in a build that does not read them: there is no option.

use clap::Args;

/// Nothing.
#[derive(Debug, Default, Clone, Args)]
pub struct Images {}

impl Images {
    /// It can't be given.
    pub fn is_given(&self) -> bool {
        false
    }
}
