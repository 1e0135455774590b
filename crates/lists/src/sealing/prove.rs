//! Making of proofs that records were sealed, or that a manifest continues an older one.

use super::files::{SealedManifest, name, read_seal};
use crate::error::{Error, SealError};
use hashmill_content::selection::Bytes;
use hashmill_seal::consistency::{self, Consistency};
use hashmill_seal::proof::{self, Proof};
use std::collections::HashSet;
use std::path::Path;

/// Proves that the records of these paths were sealed.
///
/// # Errors
/// [`SealError::Differs`] if the manifest is not as it was sealed, [`SealError::NoRecord`] if a path has no
/// record; others if the manifest can't be read.
pub fn prove(sealed: &SealedManifest, paths: &[Bytes]) -> Result<Proof, Error> {
    let (seal, secret) = sealed.read()?;
    let options = sealed.options(&seal, secret.as_ref())?;
    let wanted: HashSet<&[u8]> = paths.iter().map(|path| &**path).collect();
    let mut missing = wanted.clone();
    let made = proof::prove(sealed.open()?, &options, &mut |record| {
        missing.remove(&*record.path);
        wanted.contains(&*record.path)
    });
    // A manifest that has changed proves nothing.
    let made = made.and_then(|proof| seal.check(&proof.seal).map(|()| proof));
    let proof = made.map_err(sealed.failed())?;
    match paths.iter().find(|path| missing.contains(&***path)) {
        Some(path) => {
            Err(SealError::NoRecord { manifest: name(&sealed.manifest), path: path.clone() }.into())
        }
        None => Ok(proof),
    }
}

/// Proves that a manifest begins with all records of the manifest that an older seal belongs to.
///
/// # Errors
/// As [`prove`].
pub fn prove_growth(sealed: &SealedManifest, old: &Path) -> Result<Consistency, Error> {
    let (seal, secret) = sealed.read()?;
    let options = sealed.options(&seal, secret.as_ref())?;
    let old = read_seal(old)?;
    let made = consistency::prove(sealed.open()?, &options, &old);
    let made = made.and_then(|proof| seal.check(&proof.seal).map(|()| proof));
    made.map_err(sealed.failed())
}
