//! Consistency proofs: a sealed manifest begins with all records of an older one, so records were only added (RFC 9162,
//! 2.1.4).
//!
//! A proof file is one line of JSON with both seals and the hashes that link their roots.

use crate::error::{Error, TRUNCATED, differs, invalid};
use crate::limits::VERSION;
use crate::seal::canonical;
use crate::seal::canonical::Hex;
use crate::seal::{check_head, fits};
use crate::tree::{Hasher, is_extension};
use crate::{Seal, SealOptions, build};
use hashmill_digest::Digest;
use serde::{Deserialize, Serialize};
use std::io::Read;

/// The start of every proof of this kind.
pub const START: &[u8] = b"{\"hashmill_consistency\":";
/// The maximum length of a proof file in bytes, enough for two seals and a hundred hashes.
const MAX_PROOF: u64 = 1 << 20;

/// A proof that a sealed manifest begins with an older one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consistency {
    /// The seal of the older manifest.
    pub old: Seal,
    /// The seal of the newer one.
    pub seal: Seal,
    siblings: Vec<Digest>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    hashmill_consistency: u32,
    old: Box<str>,
    seal: Box<str>,
    siblings: Vec<Hex>,
}

/// Proves that a manifest, sealed with these options, begins with that of an older seal.
///
/// # Errors
/// If the manifest can't be sealed, or begins differently.
pub fn prove<'a>(
    manifest: Box<dyn Read + 'a>,
    options: &SealOptions<'_>,
    old: &Seal,
) -> Result<Consistency, Error> {
    let options = SealOptions { earlier: Some(old.records), ..options.clone() };
    let built = build(manifest, &options, &mut |_, _| false)?;
    old.check_beginning(built.earlier.as_ref())?;
    let siblings = built.earlier.map(|earlier| earlier.siblings).unwrap_or_default();
    let proof = Consistency { old: old.clone(), seal: built.seal, siblings };
    proof.verify().map(|()| proof)
}

impl Consistency {
    /// Reads a proof file without verifying the proof.
    ///
    /// # Errors
    /// If it is another kind of file, or not in hashmill's canonical form.
    pub fn read(input: &mut dyn Read) -> Result<Consistency, Error> {
        let mut text = Vec::new();
        input.take(MAX_PROOF).read_to_end(&mut text)?;
        let line = text.strip_suffix(b"\n").ok_or(invalid(1, TRUNCATED))?;
        check_head(line)?;
        let line: Line = canonical::parse(line, 1)?;
        let (old, seal) = (canonical::seal(&line.old)?, canonical::seal(&line.seal)?);
        let hasher = Hasher::new(seal.algorithm);
        line.siblings.iter().try_for_each(|Hex(hash)| fits(&hasher, hash, 1))?;
        Ok(Consistency { old, seal, siblings: line.siblings.into_iter().map(|Hex(hash)| hash).collect() })
    }

    /// Returns the text for [`Consistency::read`].
    ///
    /// # Errors
    /// Never.
    pub fn to_text(&self) -> Result<Vec<u8>, Error> {
        canonical::line(&Line {
            hashmill_consistency: VERSION,
            old: self.old.text().into(),
            seal: self.seal.text().into(),
            siblings: self.siblings.iter().copied().map(Hex).collect(),
        })
    }

    /// Verifies that the newer tree extends the older one. It does not decide whether the seals can be trusted: see
    /// [`Seal::check_same`], [`Seal::check_digest`].
    ///
    /// # Errors
    /// If it does not.
    pub fn verify(&self) -> Result<(), Error> {
        let (old, new) = (&self.old, &self.seal);
        if old.origin != new.origin {
            return Err(differs("the seals have different origins"));
        }
        if old.algorithm != new.algorithm {
            return Err(differs("the seals have trees by different algorithms"));
        }
        let hasher = Hasher::new(new.algorithm);
        if !is_extension(&hasher, old.head(), new.head(), &self.siblings) {
            return Err(differs("the newer tree does not extend the older one"));
        }
        Ok(())
    }
}
