//! Result of verifying one signature.

use crate::signed_by::SignedBy;
use hashmill_digest::Algorithm;
use hashmill_sign::{Broken, SignatureVerdict, Voucher};
use hashmill_terminal::Shown;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// A signature and the result of its verification.
#[derive(Debug)]
pub struct Judged {
    /// Path of the signature.
    pub path: PathBuf,
    /// The result.
    pub worth: Worth,
    /// An algorithm of the signed list that anybody can forge, if files have no other digest.
    pub forgeable: Option<&'static Algorithm>,
}

/// The result of verifying a signature file.
#[derive(Debug)]
pub enum Worth {
    /// The signature was verified, with this verdict.
    Verdict(SignatureVerdict),
    /// A signature of OpenPGP, which often has the same name; it is ignored.
    OpenPgp,
    /// The file can't be read.
    Unreadable(io::Error),
}

impl Judged {
    /// Makes the result of a signature of OpenPGP, which is not looked at.
    pub(crate) fn openpgp(path: PathBuf) -> Judged {
        Judged { path, worth: Worth::OpenPgp, forgeable: None }
    }

    /// Returns whether it is a signature that does not fit.
    pub fn is_broken(&self) -> bool {
        matches!(self.worth, Worth::Verdict(SignatureVerdict::Broken(_)))
    }

    /// Returns whether it is a good signature, by any signer.
    pub fn is_good(&self) -> bool {
        matches!(self.worth, Worth::Verdict(SignatureVerdict::Good(_)))
    }

    /// Returns the signer, if the signature is good.
    pub fn signer(&self) -> Option<SignedBy> {
        let Worth::Verdict(SignatureVerdict::Good(good)) = &self.worth else { return None };
        let name = match &good.voucher {
            Ok(Voucher::Principals(names)) => Some(names.clone()),
            _ => None,
        };
        Some(SignedBy {
            name,
            key: good.key.to_string(),
            namespace: good.namespace.clone(),
            time: good.time.map(|time| time.to_string()),
            trusted: good.voucher.is_ok(),
            forgeable: self.forgeable.map(|algorithm| algorithm.name),
        })
    }

    /// Returns the word for this result in output for programs.
    pub fn word(&self) -> &'static str {
        match &self.worth {
            Worth::Verdict(SignatureVerdict::Good(_)) => "good",
            Worth::Verdict(SignatureVerdict::Broken(Broken::Unsupported(_))) => "unsupported",
            Worth::Verdict(SignatureVerdict::Broken(_)) => "broken",
            Worth::Verdict(SignatureVerdict::Unchecked(_)) => "unchecked",
            Worth::OpenPgp => "ignored",
            Worth::Unreadable(_) => "unreadable",
        }
    }

    /// Returns whether the file can't be read.
    pub fn is_unreadable(&self) -> bool {
        matches!(self.worth, Worth::Unreadable(_))
    }
}

/// Formats as "M.sig: good signature by …".
impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let worth = match &self.worth {
            Worth::Verdict(SignatureVerdict::Good(good)) => good.to_string(),
            Worth::Verdict(SignatureVerdict::Broken(Broken::Unsupported(what))) => {
                format!("UNSUPPORTED signature, which counts as none: {what}")
            }
            Worth::Verdict(SignatureVerdict::Broken(broken)) => format!("BROKEN signature: {broken}"),
            Worth::Verdict(SignatureVerdict::Unchecked(number)) => {
                format!("not checked: the public key {number} of minisign was not given")
            }
            Worth::OpenPgp => "not looked at: a signature of OpenPGP (gpg --verify checks it)".into(),
            Worth::Unreadable(error) => format!("cannot read: {error}"),
        };
        write!(f, "{}: {}", Shown::path(&self.path), Shown(worth.as_bytes()))?;
        match self.forgeable {
            None => Ok(()),
            Some(algorithm) => write!(
                f,
                "; WARNING: it proves nothing about files: anybody can make others with the same {} digests",
                algorithm.name
            ),
        }
    }
}
