//! Trusted signers, from files.

use super::beside;
use super::keys::{NOT_A_KEY, unusable};
use crate::error::Error;
use hashmill_content::File as Tried;
use hashmill_sign::ssh::{AllowedSigners, BadLine, FILE, Moment};
use hashmill_sign::stamp::{MAX_FILE, Request, Roots};
use hashmill_sign::{PublicKey, Trust};
use std::fs;
use std::path::{Path, PathBuf};

/// Files that list trusted signers.
#[derive(Debug, Clone)]
pub struct TrustFiles {
    /// Files of allowed signers, in the form of ssh-keygen.
    pub allowed_signers: Vec<PathBuf>,
    /// Public keys, of OpenSSH or minisign.
    pub public_keys: Vec<PathBuf>,
    /// The only allowed signer that is trusted; `None` trusts all of them.
    pub identity: Option<String>,
    /// The purpose that signatures of OpenSSH must have been made for.
    pub namespace: String,
    /// The time at which signers must be allowed; `None` is now.
    pub time: Option<Moment>,
}

impl Default for TrustFiles {
    fn default() -> TrustFiles {
        let (allowed_signers, public_keys) = Default::default();
        TrustFiles { allowed_signers, public_keys, identity: None, namespace: FILE.into(), time: None }
    }
}

impl TrustFiles {
    /// Returns a trust without signers: signatures are verified, but none is trusted.
    pub fn nobody(&self) -> Trust {
        Trust {
            allowed: Vec::new(),
            keys: Vec::new(),
            identity: self.identity.clone(),
            namespace: self.namespace.clone(),
            time: self.time.unwrap_or_else(Moment::now),
        }
    }

    /// Reads the files. A line of allowed signers that can't be parsed is reported and trusts nobody, as with
    /// ssh-keygen; the other lines count.
    ///
    /// # Errors
    /// If a file is not usable.
    pub fn read(&self, bad: &mut dyn FnMut(&Path, &BadLine)) -> Result<Trust, Error> {
        let mut allowed = Vec::with_capacity(self.allowed_signers.len());
        for path in &self.allowed_signers {
            let signers = AllowedSigners::parse(read(path)?).map_err(unusable(path))?;
            signers.bad().iter().for_each(|line| bad(path, line));
            allowed.push(signers);
        }
        let keys = self.public_keys.iter().map(|path| public_key(path)).collect::<Result<_, _>>()?;
        Ok(Trust { allowed, keys, ..self.nobody() })
    }
}

fn public_key(path: &Path) -> Result<PublicKey, Error> {
    let text = String::from_utf8(beside::bytes(path)?).map_err(|_| unusable(path)(NOT_A_KEY))?;
    PublicKey::parse(&text).map_err(unusable(path))
}

/// Reads the certificates (PEM) in a file that those of time stamps must lead to.
///
/// # Errors
/// If the file is not usable.
pub fn roots(path: &Path) -> Result<Roots, Error> {
    Roots::parse(&read(path)?).map_err(unusable(path))
}

/// Reads an earlier request for a time stamp.
///
/// # Errors
/// If the file is not a request.
pub fn request(path: &Path) -> Result<Request, Error> {
    let bytes = beside::read(path, MAX_FILE);
    let bytes = bytes.map_err(Error::at(path, Tried::Read))?;
    Request::parse(&bytes).map_err(unusable(path))
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(Error::at(path, Tried::Read))
}
