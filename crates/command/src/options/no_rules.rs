//! Stand-in for options about rules of YARA in builds without them.

use clap::Args;
use hashmill_job::hash::Scan;

/// No options.
#[derive(Debug, Default, Clone, Args)]
pub struct RuleOptions {}

impl RuleOptions {
    /// Returns `None`: there are no rules.
    ///
    /// # Errors
    /// Never.
    pub fn scan(&self) -> anyhow::Result<Option<Scan>> {
        Ok(None)
    }
}
