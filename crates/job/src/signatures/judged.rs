//! What one signature is worth.

use crate::shown::Shown;
use hashloom_sign::{Broken, Verdict};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// One signature.
#[derive(Debug)]
pub struct Judged {
    /// Where it lies.
    pub path: PathBuf,
    /// What it is worth.
    pub worth: Worth,
}

/// What a file beside is worth.
#[derive(Debug)]
pub enum Worth {
    /// It was looked at.
    Verdict(Verdict),
    /// It is a signature of OpenPGP, which often has the same name: not looked at.
    OpenPgp,
    /// It can't be read.
    Unreadable(io::Error),
}

impl Judged {
    /// Whether it is a signature and does not fit.
    pub fn is_broken(&self) -> bool {
        matches!(self.worth, Worth::Verdict(Verdict::Broken(_)))
    }

    /// Whether it is a good signature, whoever made it.
    pub fn is_good(&self) -> bool {
        matches!(self.worth, Worth::Verdict(Verdict::Good(_)))
    }

    /// Whether it can't be read.
    pub fn is_unreadable(&self) -> bool {
        matches!(self.worth, Worth::Unreadable(_))
    }
}

/// "M.sig: good signature by …".
impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let worth = match &self.worth {
            Worth::Verdict(Verdict::Good(good)) => good.to_string(),
            Worth::Verdict(Verdict::Broken(Broken::Unsupported(what))) => {
                format!("UNSUPPORTED signature, which counts as none: {what}")
            }
            Worth::Verdict(Verdict::Broken(broken)) => format!("BROKEN signature: {broken}"),
            Worth::Verdict(Verdict::Unchecked(number)) => {
                format!("not checked: the public key {number} of minisign was not given")
            }
            Worth::OpenPgp => "not looked at: a signature of OpenPGP".into(),
            Worth::Unreadable(error) => format!("cannot read: {error}"),
        };
        write!(f, "{}: {}", Shown::path(&self.path), Shown(worth.as_bytes()))
    }
}
