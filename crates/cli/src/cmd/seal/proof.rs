//! `hashloom prove` and `hashloom verify-proof`.

use super::files::{begins, cannot_read, check_root, how, open, read_seal, shown, told, well};
use super::options::{Prove, VerifyProof};
use crate::exit::Exit;
use crate::message::{self, Shown};
use crate::output::{self, Output};
use anyhow::{Context, ensure};
use hashloom_digest::{Algorithm, Digest, Part, of_bits};
use hashloom_manifest::{Named, Piece, Record, Status};
use hashloom_seal::consistency::{self, Consistency};
use hashloom_seal::proof::{self, Proof, ProvenRecord};
use hashloom_seal::{Error, Seal, SealOptions};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bytes of a file that are read at once.
const BLOCK: usize = 1 << 20;

/// Writes the proof of some records, or that a manifest goes on with an older one.
///
/// # Errors
/// If the manifest can't be read, or the proof not be written.
pub fn prove(args: &Prove) -> anyhow::Result<Exit> {
    let path = &args.manifest;
    let (seal, secret) = args.sealed.read(path)?;
    let how = how(&seal, secret.as_ref(), path)?;
    let text = match &args.old {
        Some(place) => {
            let old = read_seal(place)?;
            let made = consistency::prove(open(path)?, &how, &old);
            made.and_then(|proof| seal.check(&proof.seal).and_then(|()| proof.to_text()))
        }
        None => match prove_records(args, &seal, &how)? {
            Some(proof) => proof.to_text(),
            None => return Ok(Exit::Differs),
        },
    };
    let Some(text) = told(path, text)? else { return Ok(Exit::Differs) };
    let mut output = match &args.output {
        Some(place) => Output::file(place)?,
        None => output::stdout()?,
    };
    output.write_all(&text).map_err(|error| output.error(error))?;
    output.finish()?;
    Ok(Exit::Fine)
}

/// The proof of the records that were asked for; none if one is missing or the manifest differs from its seal.
fn prove_records(args: &Prove, seal: &Seal, how: &SealOptions<'_>) -> anyhow::Result<Option<Proof>> {
    let mut missing: HashSet<&[u8]> = args.paths.iter().map(|path| path.as_bytes()).collect();
    let wanted = missing.clone();
    let made = proof::prove(open(&args.manifest)?, how, &mut |record| {
        missing.remove(&*record.path);
        wanted.contains(&*record.path)
    });
    // A manifest that is another one now proves nothing.
    let made = made.and_then(|proof| seal.check(&proof.seal).map(|()| proof));
    let proof = told(&args.manifest, made)?;
    let missing = args.paths.iter().find(|path| missing.contains(path.as_bytes()));
    if let (Some(_), Some(path)) = (&proof, missing) {
        let manifest = args.manifest.as_os_str().as_bytes();
        message::about(manifest, format_args!("no record has the path {}", Shown(path.as_bytes())));
        return Ok(None);
    }
    Ok(proof)
}

/// Verifies a proof, and prints what it proves.
///
/// # Errors
/// If it is no proof, or there is nothing to compare it with.
pub fn verify_proof(args: &VerifyProof) -> anyhow::Result<Exit> {
    let path = &args.proof;
    let (grown, mut input) = begins(path, consistency::START)?;
    if grown {
        return verify_growth(args, &mut input);
    }
    let old = args.old.is_some() || args.old_root.is_some();
    ensure!(!old, "{}: --old is for proofs that a manifest goes on with an older one", shown(path));
    let verified = Proof::read(&mut input).and_then(|proof| proof.verify().map(|()| proof));
    let Some(proof) = told(path, verified)? else { return Ok(Exit::Differs) };
    if told(path, trusted(&proof.seal, (args.seal.as_deref(), args.root.as_ref()))?)?.is_none() {
        return Ok(Exit::Differs);
    }
    let mut output = output::stdout()?;
    for ProvenRecord { index, record, .. } in &proof.proven {
        let Seal { records, origin, .. } = &proof.seal;
        let number = index + 1;
        writeln!(output, "proven: {} is record {number} of {records} sealed by {origin}", named(record))
            .map_err(|error| output.error(error))?;
    }
    output.finish()?;
    args.file.as_deref().map_or(Ok(Exit::Fine), |file| verify_file(file, &proof))
}

/// A record's path, and what else tells which it is.
fn named(record: &Record) -> String {
    let path = Shown(&record.path);
    match (record.piece, record.status) {
        (Some(Piece { offset, length }), _) => format!("{path} ({length} bytes from byte {offset} on)"),
        (None, Status::Hashed) => path.to_string(),
        (None, status) => format!("{path} ({})", status.word()),
    }
}

/// Compares a seal with the one that is trusted, or with its root.
fn trusted(
    seal: &Seal,
    (place, root): (Option<&Path>, Option<&Digest>),
) -> anyhow::Result<Result<(), Error>> {
    let known = place.map(read_seal).transpose()?;
    let same = known.map_or(Ok(()), |known| seal.check_same(&known));
    Ok(same.and_then(|()| check_root(seal, root)))
}

fn verify_growth(args: &VerifyProof, input: &mut dyn Read) -> anyhow::Result<Exit> {
    let path = &args.proof;
    ensure!(
        args.old.is_some() || args.old_root.is_some(),
        "{}: which older seal does it continue? give --old or --old-root",
        shown(path)
    );
    ensure!(args.file.is_none(), "--file: {} is not the proof of a file", shown(path));
    let verified = Consistency::read(input).and_then(|proof| proof.verify().map(|()| proof));
    let Some(proof) = told(path, verified)? else { return Ok(Exit::Differs) };
    let new = trusted(&proof.seal, (args.seal.as_deref(), args.root.as_ref()))?;
    let old = trusted(&proof.old, (args.old.as_deref(), args.old_root.as_ref()))?;
    if told(path, new)?.is_none() {
        return Ok(Exit::Differs);
    }
    if let Err(Error::Differs(difference)) = old {
        message::about(path.as_os_str().as_bytes(), format_args!("--old: {difference}"));
        return Ok(Exit::Differs);
    }
    told(path, old)?;
    let Consistency { old, seal, .. } = &proof;
    let (all, first) = (message::count(seal.records, "record", "records"), old.records);
    well(format_args!(
        "proven: the {all} sealed by {} begin with the {first} of the older seal, unchanged",
        seal.origin
    ))
}

/// Hashes a file as its records were, and compares. It is opened once.
fn verify_file(path: &Path, proof: &Proof) -> anyhow::Result<Exit> {
    ensure!(
        proof.proven.iter().all(|proven| proven.record.path == proof.proven[0].record.path),
        "--file: the proof is of several files"
    );
    let file = File::open(path).with_context(|| cannot_read(path))?;
    let before = state(&file).with_context(|| cannot_read(path))?;
    for ProvenRecord { record, .. } in &proof.proven {
        if let Some(difference) = difference(&file, record).with_context(|| cannot_read(path))? {
            message::about(path.as_os_str().as_bytes(), difference);
            return Ok(Exit::Differs);
        }
    }
    ensure!(
        before == state(&file).with_context(|| cannot_read(path))?,
        "{}: changed while it was read",
        shown(path)
    );
    let numbers: Vec<_> = proof.proven.iter().map(|proven| (proven.index + 1).to_string()).collect();
    let said = match &numbers[..] {
        [number] => format!("record {number} says"),
        numbers => format!("records {} say", numbers.join(", ")),
    };
    well(format_args!("verified: {} is what {said}", shown(path)))
}

/// What changes when a file is written to: length and times. Of what is no file nothing: it can't be read twice.
fn state(file: &File) -> io::Result<[i64; 5]> {
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Ok([0; 5]);
    }
    Ok([meta.size() as i64, meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()])
}

/// Hashes the bytes that a record is of in one read; how they differ from the record, if they do.
fn difference(mut file: &File, record: &Record) -> io::Result<Option<&'static str>> {
    if record.digests.is_empty() || !record.bad_blocks.is_empty() {
        return Ok(Some("the record has no digest of the whole file"));
    }
    let (start, most) = record.piece.map_or((0, u64::MAX), |piece| (piece.offset, piece.length));
    let other_size = |length| record.piece.is_none() && record.size.is_some_and(|size| size != length);
    let meta = file.metadata()?;
    if meta.is_file() {
        if other_size(meta.len()) {
            return Ok(Some("its size is not the record's"));
        }
        file.seek(SeekFrom::Start(start))?;
    }
    let algorithms: Vec<_> = record.digests.iter().map(candidates).collect();
    let (found, length) = digests(&algorithms.concat(), &mut file.take(most))?;
    if other_size(length) {
        return Ok(Some("its size is not the record's"));
    }
    let mut found = found.iter();
    for (named, algorithms) in record.digests.iter().zip(&algorithms) {
        let found: Vec<_> = found.by_ref().take(algorithms.len()).collect();
        if !found.contains(&&named.digest) {
            return Ok(Some("its digest is not the record's"));
        }
    }
    Ok(None)
}

/// The algorithm of a digest; all of its length where the manifest does not name it.
fn candidates(named: &Named) -> Vec<&'static Algorithm> {
    if named.guessed { of_bits(named.algorithm.bits).collect() } else { vec![named.algorithm] }
}

/// The digests of a stream and its length, in one read.
fn digests(algorithms: &[&'static Algorithm], input: &mut dyn Read) -> io::Result<(Vec<Digest>, u64)> {
    let mut banks: Vec<_> = algorithms.iter().map(|algorithm| (algorithm.alone)()).collect();
    let slots: Vec<_> = banks.iter_mut().map(|bank| bank.open()).collect();
    let (mut block, mut length) = (vec![0; BLOCK], 0);
    loop {
        let read = match input.read(&mut block) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            read => read?,
        };
        for (bank, slot) in banks.iter_mut().zip(&slots) {
            bank.update(&[Part { slot: *slot, bytes: &block[..read], last: read == 0 }]);
        }
        length += read as u64;
        if read == 0 {
            return Ok((banks.iter_mut().zip(slots).map(|(bank, slot)| bank.close(slot)).collect(), length));
        }
    }
}
