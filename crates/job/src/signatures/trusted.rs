//! Whose signatures count, from files.

use super::beside;
use super::keys::{KeyError, unusable};
use crate::error::{Error, File as Tried};
use hashloom_sign::ssh::{AllowedSigners, BadLine, FILE, Moment};
use hashloom_sign::stamp::{LONGEST, Request, Roots};
use hashloom_sign::{PublicKey, Trust};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Files that say whose signatures count.
#[derive(Debug, Clone)]
pub struct TrustFiles {
    /// Files of allowed signers, in the form of ssh-keygen.
    pub allowed_signers: Vec<PathBuf>,
    /// Public keys, of OpenSSH or minisign.
    pub public_keys: Vec<PathBuf>,
    /// Of the allowed signers only this one counts.
    pub identity: Option<String>,
    /// What signatures of OpenSSH must have been made for.
    pub namespace: String,
    /// The time at which signers must be allowed; without it now.
    pub time: Option<Moment>,
}

impl Default for TrustFiles {
    fn default() -> TrustFiles {
        let (allowed_signers, public_keys) = Default::default();
        TrustFiles { allowed_signers, public_keys, identity: None, namespace: FILE.into(), time: None }
    }
}

impl TrustFiles {
    /// Nobody whose signatures count: they are looked at all the same.
    pub fn nobody(&self) -> Trust {
        Trust {
            allowed: Vec::new(),
            keys: Vec::new(),
            identity: self.identity.clone(),
            namespace: self.namespace.clone(),
            time: self.time.unwrap_or_else(Moment::now),
        }
    }

    /// Reads the files. A line of allowed signers that can't be read vouches for nobody, as with ssh-keygen: it is
    /// told, and the others count.
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
    let text = String::from_utf8(beside::bytes(path)?).map_err(|_| unusable(path)(KeyError::NotText))?;
    PublicKey::parse(&text).map_err(unusable(path))
}

/// The certificates in a file (PEM), which those of time stamps must lead to.
///
/// # Errors
/// If the file is not usable.
pub fn roots(path: &Path) -> Result<Roots, Error> {
    Roots::parse(&read(path)?).map_err(unusable(path))
}

/// A request for a time stamp that was written earlier.
///
/// # Errors
/// If the file is none.
pub fn request(path: &Path) -> Result<Request, Error> {
    let bytes = beside::read(path, LONGEST);
    let bytes = bytes.map_err(Error::file(path.as_os_str().as_bytes(), Tried::Read))?;
    Request::parse(&bytes).map_err(unusable(path))
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(Error::file(path.as_os_str().as_bytes(), Tried::Read))
}
