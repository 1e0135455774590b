//! The seal file: one line of JSON.

use crate::canonical::{self, Hex};
use crate::{Error, How};
use hashloom_digest::{Algorithm, Class, find};
use serde::{Deserialize, Serialize};
use std::io::Read;

/// The version of everything that is written here.
pub(crate) const VERSION: u32 = 1;

/// A seal file has a few hundred bytes.
const MAX_SEAL: u64 = 64 << 10;

/// What stands for a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// The version of this format: 1.
    pub hashloom_seal: u32,
    /// The algorithm of the tree.
    pub algorithm: Box<str>,
    /// The tree's root.
    pub root: Hex,
    /// How many records it has.
    pub records: u64,
    /// Leaves have salts, which come from a secret.
    #[serde(default, skip_serializing_if = "is_false")]
    pub salted: bool,
    /// The manifest as a file.
    pub manifest: Manifest,
}

/// The file that was sealed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Its format.
    pub format: Box<str>,
    /// Its length.
    pub bytes: u64,
    /// Its digest: of all bytes, also those that are no records.
    pub sha256: Hex,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(crate) fn is_false(value: &bool) -> bool {
    !value
}

impl Seal {
    /// Reads a seal file.
    ///
    /// # Errors
    /// If it is none, or not as it was written.
    pub fn read(input: &mut dyn Read) -> Result<Seal, Error> {
        let mut text = Vec::new();
        input.take(MAX_SEAL).read_to_end(&mut text)?;
        let line = text.strip_suffix(b"\n").ok_or(Error::Foreign(1, "is no seal".into()))?;
        let seal: Seal = canonical::parse(line, 1)?;
        check_version(seal.hashloom_seal)?;
        seal.algorithm()?;
        Ok(seal)
    }

    /// The text that [`Seal::read`] reads.
    ///
    /// # Errors
    /// None that can be met.
    pub fn to_text(&self) -> Result<Vec<u8>, Error> {
        canonical::line(self)
    }

    /// The algorithm of the tree.
    ///
    /// # Errors
    /// If it is none that a seal may have.
    pub fn algorithm(&self) -> Result<&'static Algorithm, Error> {
        algorithm(&self.algorithm)
    }

    /// How a manifest is sealed like this.
    ///
    /// # Errors
    /// If a secret is needed and not given, or given and of no use.
    pub fn how<'a>(&self, secret: Option<&'a crate::Secret>) -> Result<How<'a>, Error> {
        match (self.salted, secret.is_some()) {
            (true, false) => Err(Error::Secret("the seal has salts: its secret is needed (--secret)")),
            (false, true) => Err(Error::Secret("the seal has no salts: a secret is of no use")),
            _ => Ok(How { algorithm: self.algorithm()?, secret }),
        }
    }

    /// Compares the seal with what a manifest gives now.
    ///
    /// # Errors
    /// What differs.
    pub fn check(&self, found: &Seal) -> Result<(), Error> {
        let differs = |what: String| Err(Error::Differs(what));
        if self.root != found.root {
            let (one, other) = (self.records, found.records);
            let counts = if one == other { String::new() } else { format!(" ({other} records, not {one})") };
            return differs(format!("the records are not those that were sealed{counts}"));
        }
        if self.manifest != found.manifest {
            return differs("the records are those that were sealed, but the file is another".into());
        }
        if self == found { Ok(()) } else { differs("the seal does not fit its own root".into()) }
    }
}

/// The algorithm of this name, if it is fit for seals.
pub(crate) fn algorithm(name: &str) -> Result<&'static Algorithm, Error> {
    let row = find(name).map_err(|unknown| Error::Foreign(1, unknown.to_string()))?;
    let fit = row.class == Class::Cryptographic && row.bits >= 256 && row.name == name;
    if fit { Ok(row) } else { Err(Error::Foreign(1, format!("{name} is not fit for seals"))) }
}

pub(crate) fn check_version(version: u32) -> Result<(), Error> {
    if version == VERSION {
        Ok(())
    } else {
        Err(Error::Foreign(1, format!("version {version}; this hashloom knows version {VERSION}")))
    }
}
