//! Signatures beside lists in a build that can't verify them.

use crate::signed_by::SignedBy;
use hashmill_terminal::Shown;
use std::fmt;
use std::path::PathBuf;

/// A signature that was not verified.
#[derive(Debug)]
pub struct Judged {
    /// Path of the signature.
    pub path: PathBuf,
}

impl Judged {
    /// Returns `None`, as signers are unknown.
    pub fn signer(&self) -> Option<SignedBy> {
        None
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = Shown::path(&self.path);
        write!(f, "{path}: WARNING: not looked at: this build has no signatures (feature sign)")
    }
}
