//! Stand-in for signatures in builds without them: signatures beside a list are reported, and nothing is signed.

use clap::Args;
use hashmill_lists::signatures::Signer;
use hashmill_lists::signatures::guard::Guard;
use std::path::Path;

/// The options about signers: none.
pub const OF_SIGNERS: [&str; 0] = [];

/// The option of commands that rely on a list.
#[derive(Debug, Default, Clone, Args)]
pub struct Guarded {
    /// Don't report signatures beside a list; this build can't verify them
    #[arg(long)]
    ignore_signature: bool,
}

/// No options.
#[derive(Debug, Default, Clone, Args)]
pub struct Signing {}

impl Guarded {
    /// Returns how signatures beside lists are treated.
    ///
    /// # Errors
    /// Never.
    pub fn guard(&self) -> anyhow::Result<Guard> {
        Ok(Guard { ignores: self.ignore_signature, stores: crate::access::stores() })
    }
}

impl Signing {
    /// Returns whether a key is given.
    pub fn is_given(&self) -> bool {
        false
    }

    /// Returns no keys.
    ///
    /// # Errors
    /// Never.
    pub fn signers(&self, _: Option<&Path>) -> anyhow::Result<Vec<Signer>> {
        Ok(Vec::new())
    }
}
