//! Verification that a manifest is as it was sealed.

use super::files::{SealedManifest, Stoppable, about, begins, name, read_seal};
use crate::error::{Error, SealError};
use hashmill_digest::Digest;
use hashmill_seal::redact::{self, Counts};
use hashmill_seal::{Seal, seal as seal_of};
use std::io::Read;

/// The result of a verification.
#[derive(Debug)]
pub struct Verified {
    /// The seal of the manifest.
    pub seal: Seal,
    /// The numbers of shown and hidden records, if the manifest is redacted.
    pub redacted: Option<Counts>,
}

/// Verifies that a manifest, or a redacted one, is as it was sealed; its seal must have this root, if one is
/// given.
///
/// # Errors
/// [`SealError::Differs`] if it is not; others if it can't be compared.
pub fn verify(sealed: &SealedManifest, root: Option<&Digest>) -> Result<Verified, Error> {
    let path = &sealed.manifest;
    let (redacted, input) = begins(path, redact::START, &sealed.stores)?;
    let input = Stoppable::boxed(input, &sealed.cancel);
    if redacted {
        return verify_redacted(sealed, root, input);
    }
    let (seal, secret) = sealed.read()?;
    check_root(&seal, root).map_err(about(&sealed.place()))?;
    let options = sealed.options(&seal, secret.as_ref())?;
    seal_of(input, &options).and_then(|found| seal.check(&found)).map_err(sealed.failed())?;
    Ok(Verified { seal, redacted: None })
}

fn verify_redacted(
    sealed: &SealedManifest,
    root: Option<&Digest>,
    input: Box<dyn Read>,
) -> Result<Verified, Error> {
    let path = &sealed.manifest;
    let trusted = sealed.seal.as_deref().map(read_seal).transpose()?;
    if trusted.is_none() && root.is_none() {
        return Err(SealError::WhichSeal(name(path)).into());
    }
    let verified = redact::verify(input, &mut |_| ()).and_then(|verified| {
        trusted.as_ref().map_or(Ok(()), |trusted| verified.seal.check_same(trusted))?;
        check_root(&verified.seal, root).map(|()| verified)
    });
    let redact::Verified { seal, counts } = verified.map_err(sealed.failed())?;
    Ok(Verified { seal, redacted: Some(counts) })
}

/// Compares a seal with its root, if the root is known.
pub(super) fn check_root(seal: &Seal, root: Option<&Digest>) -> Result<(), hashmill_seal::Error> {
    root.map_or(Ok(()), |root| seal.check_digest(root))
}
