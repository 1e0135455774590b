//! `hashloom prove` and `hashloom verify-proof`.

use super::options::{Prove, VerifyProof};
use super::{how, open, read_seal, told};
use crate::exit::Exit;
use crate::message::Shown;
use crate::output::Output;
use anyhow::{Context, anyhow, ensure};
use hashloom_digest::{Algorithm, Digest, Part, of_bits};
use hashloom_manifest::{Named, Record};
use hashloom_seal::Error;
use hashloom_seal::proof::{self, Proof};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Bytes of a file that are read at once.
const BLOCK: usize = 1 << 20;

/// Writes the proof of some records.
///
/// # Errors
/// If the manifest can't be read, or the proof not be written.
pub fn prove(args: &Prove) -> anyhow::Result<Exit> {
    let path = &args.manifest;
    let (seal, secret) = args.sealed.read(path)?;
    let how = how(&seal, secret.as_ref(), path)?;
    let mut missing: HashSet<&[u8]> = args.paths.iter().map(|path| path.as_bytes()).collect();
    let wanted = missing.clone();
    let made = proof::prove(open(path)?, &how, &mut |record| {
        missing.remove(&*record.path);
        wanted.contains(&*record.path)
    });
    // A manifest that is another one now proves nothing.
    let made = made.and_then(|(found, proof)| seal.check(&found).map(|()| proof));
    let Some(proof) = told(path, made)? else { return Ok(Exit::Differs) };
    if let Some(missing) = args.paths.iter().find(|path| missing.contains(path.as_bytes())) {
        let missing = Shown(missing.as_bytes());
        let difference = Error::Differs(format!("no record has the path {missing}"));
        told(path, Err::<(), _>(difference))?;
        return Ok(Exit::Differs);
    }
    let text = proof.to_text().map_err(|error| anyhow!("{}: {error}", path.display()))?;
    let mut output = match &args.output {
        Some(place) => Output::file(place)?,
        None => Output::stdout()?,
    };
    output.write_all(&text).map_err(|error| output.error(error))?;
    output.finish()?;
    Ok(Exit::Fine)
}

/// Verifies a proof, and prints the records that it proves.
///
/// # Errors
/// If it is no proof, or there is nothing to compare it with.
pub fn verify_proof(args: &VerifyProof) -> anyhow::Result<Exit> {
    let path = &args.proof;
    let seal = args.seal.as_deref().map(read_seal).transpose()?;
    let read = Proof::read(&mut open(path)?);
    let Some(proof) = told(path, read)? else { return Ok(Exit::Differs) };
    let verified = proof.verify().and_then(|()| match (&seal, &args.root) {
        (Some(seal), _) => proof.verify_seal(seal),
        (None, Some(root)) if *root == proof.root => Ok(()),
        (None, _) => Err(Error::Differs("the proof is for another root".into())),
    });
    let both = verified.and_then(|()| match (&seal, &args.root) {
        (Some(_), Some(root)) if *root != proof.root => Err(Error::Differs("--root is another root".into())),
        _ => Ok(()),
    });
    if told(path, both)?.is_none() {
        return Ok(Exit::Differs);
    }
    let mut output = Output::stdout()?;
    for proven in &proof.proven {
        writeln!(output, "record {} of {}: {}", proven.index, proof.records, Shown(&proven.record.path))
            .map_err(|error| output.error(error))?;
    }
    output.finish()?;
    let Some(file) = &args.file else { return Ok(Exit::Fine) };
    ensure!(
        proof.proven.iter().all(|proven| proven.record.path == proof.proven[0].record.path),
        "--file: the proof is of several files"
    );
    for proven in &proof.proven {
        if told(file, compare(file, &proven.record)?)?.is_none() {
            return Ok(Exit::Differs);
        }
    }
    Ok(Exit::Fine)
}

/// Hashes a file as its record was, and compares.
fn compare(path: &Path, record: &Record) -> anyhow::Result<Result<(), Error>> {
    let differs = |what: &str| Ok(Err(Error::Differs(what.into())));
    if record.digests.is_empty() || !record.bad_blocks.is_empty() {
        return differs("the record has no digest of the whole file");
    }
    let mut file = File::open(path).with_context(|| super::cannot_read(path))?;
    let length = file.metadata().with_context(|| super::cannot_read(path))?.len();
    if record.piece.is_none() && record.size.is_some_and(|size| size != length) {
        return differs("its size is not the record's");
    }
    let start = record.piece.map_or(0, |piece| piece.offset);
    let most = record.piece.map_or(u64::MAX, |piece| piece.length);
    for named in &record.digests {
        file.seek(SeekFrom::Start(start)).with_context(|| super::cannot_read(path))?;
        let algorithms = candidates(named);
        let found =
            digests(&algorithms, &mut (&file).take(most)).with_context(|| super::cannot_read(path))?;
        if !found.contains(&named.digest) {
            return differs("its digest is not the record's");
        }
    }
    Ok(Ok(()))
}

/// The algorithm of a digest; all of its length where the manifest does not name it.
fn candidates(named: &Named) -> Vec<&'static Algorithm> {
    if named.guessed { of_bits(named.algorithm.bits).collect() } else { vec![named.algorithm] }
}

/// The digests of a stream, in one read.
fn digests(algorithms: &[&'static Algorithm], input: &mut dyn Read) -> io::Result<Vec<Digest>> {
    let mut banks: Vec<_> = algorithms.iter().map(|algorithm| (algorithm.alone)()).collect();
    let slots: Vec<_> = banks.iter_mut().map(|bank| bank.open()).collect();
    let mut block = vec![0; BLOCK];
    loop {
        let read = match input.read(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        for (bank, slot) in banks.iter_mut().zip(&slots) {
            bank.update(&[Part { slot: *slot, bytes: &block[..read], last: read == 0 }]);
        }
        if read == 0 {
            return Ok(banks.iter_mut().zip(slots).map(|(bank, slot)| bank.close(slot)).collect());
        }
    }
}
