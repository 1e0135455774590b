//! `hashmill proof`.

use super::files::{shown, told, told_as, verified, well};
use super::options::{self, CreateProof, VerifyProof};
use crate::access;
use crate::needs;
use crate::output;
use crate::progress;
use crate::results::json::{Frame, Results, add_typed};
use crate::results::report::ListReport;
use crate::results::schema::Schema;
use crate::words::message;
use crate::words::message::{Shown, count};
use anyhow::{anyhow, ensure};
use hashmill_job::account::{Account, Item};
use hashmill_lists::kinds;
use hashmill_lists::sealing::{Proven, Trusted, compare_file, prove, prove_growth, verify_proof as verify};
use hashmill_manifest::{Piece, Record, Status};
use hashmill_os::names;
use hashmill_seal::Seal;
use hashmill_seal::consistency::Consistency;
use hashmill_seal::proof::{Proof, ProvenRecord};
use hashmill_terminal::add_path;
use serde_json::json;
use std::path::Path;

/// Runs a command about proofs.
///
/// # Errors
/// If a file can't be read or written, or is not what it should be.
pub fn run(command: &options::Proof) -> anyhow::Result<Account> {
    match command {
        options::Proof::Create(args) => create(args),
        options::Proof::Verify(args) => verify_proof(args),
    }
}

/// Writes the proof of some records, or that a manifest goes on with an older one.
///
/// # Errors
/// If the manifest can't be read, or the proof not be written.
fn create(args: &CreateProof) -> anyhow::Result<Account> {
    let sealed = args.sealed.sealed_manifest(&args.manifest);
    // Before the manifest is read.
    let output = match &args.output {
        Some(place) => output::create(&args.force.at(place), kinds::PROOF)?,
        None => output::stdout()?,
    };
    let total = progress::bytes_of(&[&args.manifest], 1);
    let text = match &args.old {
        Some(old) => told(progress::reading_of(args.watched.progress, "proving", total, || {
            prove_growth(&sealed, old)
        }))?
        .map(|proof| proof.to_text()),
        None => {
            let paths: Vec<Box<[u8]>> =
                args.paths.iter().map(|path| names::path_bytes(path).into()).collect();
            told(progress::reading_of(args.watched.progress, "proving", total, || prove(&sealed, &paths)))?
                .map(|proof| proof.to_text())
        }
    };
    let Some(text) = text else { return Ok(Account::differing(Item::List, 1)) };
    let text = text.map_err(|error| anyhow!("{}: {error}", shown(&args.manifest)))?;
    output.put(text)?;
    output.finish()?;
    Ok(Account::default())
}

/// Verifies a proof, and prints the facts that it proves.
///
/// # Errors
/// If it is no proof, or there is nothing to compare it with.
fn verify_proof(args: &VerifyProof) -> anyhow::Result<Account> {
    let trusted = Trusted { seal: args.seal_file.clone(), root: args.root };
    let old = Trusted { seal: args.old.clone(), root: args.old_root };
    let result = verify(&args.proof, &trusted, &old, &access::stores());
    let Some(proven) = told_as(args.format, Schema::PROOF, &args.proof, result)? else {
        return Ok(Account::differing(Item::List, 1));
    };
    match proven {
        Proven::Records(proof) => {
            print(&proof, args.format)?;
            let Some(file) = args.file.as_deref() else { return Ok(Account::default()) };
            let named = args.algorithm.map(|name| name.0);
            let verified = verify_file(file, &compare_file(file, &proof, named)?, &proof, args.format)?;
            let mut digests = proof.proven.iter().flat_map(|proven| &proven.record.digests);
            let mut is_met = |row| digests.any(|digest| digest.guessed || digest.algorithm == row);
            Ok(Account::done(Item::Record, 1)
                .and(verified)
                .and(needs::tell_unneeded(named.filter(|row| !is_met(*row)))))
        }
        Proven::Growth(proof) => {
            let Consistency { old, seal, .. } = *proof;
            let path = shown(&args.proof);
            ensure!(args.file.is_none(), "--file: {path} is not the proof of a file");
            let (all, first) = (count(seal.records, "record", "records"), old.records);
            let mut facts = json!({
                "records": seal.records,
                "old_records": first,
                "origin": seal.origin,
            });
            add_typed(&mut facts, "file", &args.proof);
            let line = format!(
                "proven: the {all} sealed by {} begin with the {first} of the older seal, unchanged",
                seal.origin
            );
            verified(args.format, Schema::PROOF, line, facts)
        }
    }
}

fn print(proof: &Proof, format: ListReport) -> anyhow::Result<()> {
    let output = output::stdout()?;
    let frame = if format == ListReport::Json { Frame::List } else { Frame::Lines };
    let mut results = Results::new(Schema::PROOF, frame, output.clone());
    let Seal { records, origin, .. } = &proof.seal;
    for ProvenRecord { index, record, .. } in &proof.proven {
        let number = index + 1;
        if format != ListReport::Text {
            let mut told =
                json!({ "record": number, "records": records, "origin": origin, "verified": true });
            add_path(&mut told, "path", &record.path);
            if let Some(Piece { offset, length }) = record.piece {
                told["offset"] = offset.into();
                told["length"] = length.into();
            }
            results.push(told)?;
            continue;
        }
        let name = named(record);
        output.put(format!("proven: {name} is record {number} of {records} sealed by {origin}\n"))?;
    }
    results.end()?;
    Ok(output.finish()?)
}

/// Returns a record's path, and the other values that identify it.
fn named(record: &Record) -> String {
    let path = Shown(&record.path);
    match (record.piece, record.status) {
        (Some(Piece { offset, length }), _) => format!("{path} ({length} bytes from byte {offset} on)"),
        (None, Status::Hashed) => path.to_string(),
        (None, status) => format!("{path} ({})", status.word()),
    }
}

/// Compares a file with its records, and prints the result.
fn verify_file(
    path: &Path,
    difference: &Option<String>,
    proof: &Proof,
    format: ListReport,
) -> anyhow::Result<Account> {
    if let Some(difference) = difference {
        message::about_path(path, difference);
        return Ok(Account::differing(Item::List, 1));
    }
    let numbers: Vec<_> = proof.proven.iter().map(|proven| (proven.index + 1).to_string()).collect();
    let said = match &numbers[..] {
        [number] => format!("record {number} says"),
        numbers => format!("records {} say", numbers.join(", ")),
    };
    let line = format_args!("verified: {} is what {said}", shown(path));
    // Programs have the records already, and the exit code.
    if format == ListReport::Text { well(line) } else { Ok(Account::default()) }
}
