//! `hashmill seal`, `hashmill proof`, `hashmill outboard`.

mod files;
pub mod options;
#[cfg(feature = "sign")]
pub mod outboard;
mod proof;
mod redact;
mod roots;

pub use proof::run as proof;
pub use roots::compare;

use crate::access;
use crate::results::json::add_typed;
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::message;
use crate::{output, progress, signal};
use files::{say_root, shown, told, told_as, verified};
use hashmill_job::account::{Account, Item};
use hashmill_lists::sealing::{SealJob, Sealed, SealedManifest, Verified, verify};
use serde_json::{Value, json};

/// Runs a command about seals.
///
/// # Errors
/// If a file can't be read or written, or is not what it should be.
pub fn seal(command: &options::Seal) -> anyhow::Result<Account> {
    match command {
        options::Seal::Create(args) => create(args),
        options::Seal::Verify(args) => verify_seal(args),
        options::Seal::Redact(args) => redact::redact(args),
    }
}

/// Seals a manifest, and prints the seal.
///
/// # Errors
/// If the manifest can't be sealed, or the seal not be written.
fn create(args: &options::CreateSeal) -> anyhow::Result<Account> {
    let job = SealJob {
        output: args.output.as_deref().map(|path| args.force.at(path)),
        force: args.force.force,
        algorithm: args.algorithm.0.name,
        origin: args.origin.clone(),
        old: args.old.clone(),
        secret: args.secret.clone(),
        files: signal::files(),
        stores: access::stores(),
        ..SealJob::new(&args.manifest)
    };
    let total = progress::bytes_of(&[&args.manifest], 1);
    let Some(sealed) = told(progress::reading_of(args.watched.progress, "sealing", total, || job.run()))?
    else {
        return Ok(Account::differing(Item::List, 1));
    };
    let text = match args.format {
        ListReport::Text => sealed.seal.to_text(),
        _ => format!("{}\n", facts(args, &sealed)).into_bytes(),
    };
    output::print_result(text)?;
    say_root(&sealed.place, &sealed.seal);
    Ok(Account::default())
}

/// Returns the contents of a seal as JSON.
fn facts(args: &options::CreateSeal, sealed: &Sealed) -> Value {
    let mut facts = json!({
        "records": sealed.seal.records,
        "root": sealed.seal.digest().to_string(),
        "origin": sealed.seal.origin,
    });
    add_typed(&mut facts, "file", &args.manifest);
    add_typed(&mut facts, "seal", &sealed.place);
    Schema::SEAL.mark(&mut facts);
    facts
}

/// Verifies that a manifest is as it was sealed.
///
/// # Errors
/// If it can't be compared.
fn verify_seal(args: &options::VerifySeal) -> anyhow::Result<Account> {
    let path = shown(&args.manifest);
    let compare = || verify(&args.sealed.sealed_manifest(&args.manifest), args.root.as_ref());
    let total = progress::bytes_of(&[&args.manifest], 1);
    let result = progress::reading_of(args.watched.progress, "verifying", total, compare);
    let Some(Verified { seal, redacted }) =
        told_as(args.format, Schema::VERIFY_SEAL, &args.manifest, result)?
    else {
        return Ok(Account::differing(Item::List, 1));
    };
    let (records, root) = (message::count(seal.records, "record", "records"), seal.digest());
    let mut facts = json!({
        "records": seal.records,
        "shown": redacted.as_ref().map_or(seal.records, |counts| counts.shown),
        "root": root.to_string(),
        "origin": seal.origin,
    });
    add_typed(&mut facts, "file", &args.manifest);
    let line = match redacted {
        None => format!("verified: {path} is as sealed by {}: {records}, root {root}", seal.origin),
        Some(counts) => format!(
            "verified: {path} shows {} of {records} sealed by {}, {} hidden, root {root}",
            counts.shown, seal.origin, counts.hidden
        ),
    };
    verified(args.format, Schema::VERIFY_SEAL, line, facts)
}

impl options::Sealed {
    /// Returns a manifest and its seal.
    fn sealed_manifest(&self, manifest: &std::path::Path) -> SealedManifest {
        let (seal, secret) = (self.seal_file.clone(), self.secret.clone());
        let (files, stores) = (signal::files(), access::stores());
        SealedManifest { seal, secret, files, stores, ..SealedManifest::new(manifest) }
    }
}
