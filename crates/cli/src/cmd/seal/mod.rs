//! `hashloom seal`, `verify-seal`, `prove`, `verify-proof`, `redact`, `outboard`.

mod files;
pub mod options;
mod outboard;
mod proof;
mod redact;
mod roots;

pub use outboard::run as outboard;
pub use proof::{prove, verify_proof};
pub use redact::redact;
pub use roots::compare;

use crate::exit::Exit;
use crate::message;
use crate::output::{self, Output};
use anyhow::{Context, anyhow, ensure};
use files::{
    begins, beside, check_root, how, open, own_secret, read_seal, read_secret, say_root, shown, told, well,
};
use hashloom_job::sealing::write;
use hashloom_seal::{Seal, SealOptions, Secret, redact as redacted};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Seals a manifest, and prints the seal.
///
/// # Errors
/// If the manifest can't be sealed, or the seal not be written.
pub fn seal(args: &options::Seal) -> anyhow::Result<Exit> {
    let path = &args.manifest;
    let place = args.output.clone().unwrap_or_else(|| beside(path, "seal"));
    if let Some(old) = &args.old {
        let same = old.canonicalize().is_ok_and(|old| place.canonicalize().is_ok_and(|place| old == place));
        ensure!(!same, "--old: {} would be written over: name another place with --output", shown(old));
    }
    let old = args.old.as_deref().map(read_seal).transpose()?;
    let secret = match (&args.secret, &old) {
        // The salts of an older seal come from a secret that there is.
        (Some(place), Some(_)) => Some(read_secret(place)?),
        (place, _) => place.as_deref().map(own_secret).transpose()?,
    };
    let how = match &old {
        Some(old) => {
            let how = old.successor(secret.as_ref());
            how.map_err(|error| anyhow!("--old: {error}"))?
        }
        None => new_seal(args, secret.as_ref())?,
    };
    let built = hashloom_seal::build(open(path)?, &how, &mut |_, _| false);
    let built = built.and_then(|built| {
        old.map_or(Ok(()), |old| old.check_beginning(built.earlier.as_ref())).map(|()| built.seal)
    });
    let Some(seal) = told(path, built)? else { return Ok(Exit::Differs) };
    write(Output::typed_or(args.output.as_deref(), &place)?, &seal)?;
    let mut output = output::stdout()?;
    output.write_all(&seal.to_text()).map_err(|error| output.error(error))?;
    output.finish()?;
    say_root(&place, &seal);
    Ok(Exit::Fine)
}

/// How a manifest is sealed that goes on with no other.
fn new_seal<'a>(args: &options::Seal, secret: Option<&'a Secret>) -> anyhow::Result<SealOptions<'a>> {
    let how = SealOptions::by(args.algorithm.0.name).map_err(|error| anyhow!("--algorithm: {error}"))?;
    let salts = secret.map(Secret::salts).transpose().context("the system gives no random numbers")?;
    Ok(SealOptions { origin: args.origin.as_str().into(), salts, ..how })
}

/// Verifies that a manifest is the one that was sealed.
///
/// # Errors
/// If it can't be compared.
pub fn verify_seal(args: &options::VerifySeal) -> anyhow::Result<Exit> {
    let path = &args.manifest;
    let (redacted, input) = begins(path, redacted::START)?;
    if redacted {
        return verify_redacted(args, input);
    }
    let (seal, secret) = args.sealed.read(path)?;
    if told(&args.sealed.place(path), check_root(&seal, args.root.as_ref()))?.is_none() {
        return Ok(Exit::Differs);
    }
    let how = how(&seal, secret.as_ref(), path)?;
    let found = hashloom_seal::seal(input, &how).and_then(|found| seal.check(&found));
    if told(path, found)?.is_none() {
        return Ok(Exit::Differs);
    }
    let (records, root) = (message::count(seal.records, "record", "records"), seal.digest());
    well(format_args!("verified: {} is as sealed by {}: {records}, root {root}", shown(path), seal.origin))
}

fn verify_redacted(args: &options::VerifySeal, input: Box<dyn Read>) -> anyhow::Result<Exit> {
    let path = &args.manifest;
    let seal = args.sealed.seal.as_deref().map(read_seal).transpose()?;
    ensure!(
        seal.is_some() || args.root.is_some(),
        "{}: which seal does the redacted manifest belong to? give --seal or --root",
        shown(path)
    );
    let verified = redacted::verify(input, &mut |_| ());
    let verified = verified.and_then(|verified| {
        seal.as_ref().map_or(Ok(()), |seal| verified.seal.check_same(seal))?;
        check_root(&verified.seal, args.root.as_ref()).map(|()| verified)
    });
    let Some(redacted::Verified { seal, counts }) = told(path, verified)? else { return Ok(Exit::Differs) };
    let (all, root) = (message::count(seal.records, "record", "records"), seal.digest());
    well(format_args!(
        "verified: {} shows {} of {all} sealed by {}, {} hidden, root {root}",
        shown(path),
        counts.shown,
        seal.origin,
        counts.hidden
    ))
}

impl options::Sealed {
    /// The seal of a manifest, and its secret if one was named.
    fn read(&self, manifest: &Path) -> anyhow::Result<(Seal, Option<Secret>)> {
        let secret = self.secret.as_deref().map(read_secret).transpose()?;
        Ok((read_seal(&self.place(manifest))?, secret))
    }

    fn place(&self, manifest: &Path) -> PathBuf {
        self.seal.clone().unwrap_or_else(|| beside(manifest, "seal"))
    }
}
