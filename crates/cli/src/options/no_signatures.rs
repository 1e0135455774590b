//! Signatures in a build without them: those beside a list are named, and nothing is signed.

use clap::Args;
use hashloom_job::signatures::Signer;
use hashloom_job::signatures::guard::Guard;
use std::path::Path;

/// The option of commands that rely on a list.
#[derive(Debug, Default, Clone, Args)]
pub struct Guarded {
    /// Say nothing of signatures that lie beside a list; this build can't look at them
    #[arg(long)]
    ignore_signature: bool,
}

/// Nothing.
#[derive(Debug, Default, Clone, Args)]
pub struct Signing {}

impl Guarded {
    /// What becomes of lists.
    ///
    /// # Errors
    /// None.
    pub fn guard(&self) -> anyhow::Result<Guard> {
        Ok(Guard { ignores: self.ignore_signature })
    }
}

impl Signing {
    /// No keys.
    ///
    /// # Errors
    /// None.
    pub fn signers(&self, _: Option<&Path>) -> anyhow::Result<Vec<Signer>> {
        Ok(Vec::new())
    }
}
