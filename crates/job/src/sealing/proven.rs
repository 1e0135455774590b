//! What a proof proves, and whether a file is what its record says.

use super::files::{about, begins, name, read_seal, unreadable};
use super::verify::check_root;
use crate::error::{Error, SealError};
use hashloom_digest::{Algorithm, Digest, Part, of_bits};
use hashloom_manifest::{Named, Record};
use hashloom_seal::Seal;
use hashloom_seal::consistency::{self, Consistency};
use hashloom_seal::proof::{Proof, ProvenRecord};
use hashloom_source::settled;
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Bytes of a file that are read at once.
const BLOCK: usize = 1 << 20;

/// A seal that is trusted: by its file, by its root, or by both.
#[derive(Debug, Clone, Default)]
pub struct Trusted {
    /// The file.
    pub seal: Option<PathBuf>,
    /// The root, which is the digest of the seal.
    pub root: Option<Digest>,
}

/// What a proof proves.
#[derive(Debug)]
pub enum Proven {
    /// That records were sealed.
    Records(Box<Proof>),
    /// That a manifest goes on with an older one.
    Growth(Box<Consistency>),
}

impl Trusted {
    /// Whether nothing is trusted.
    pub fn is_empty(&self) -> bool {
        self.seal.is_none() && self.root.is_none()
    }

    fn check(&self, seal: &Seal) -> Result<Result<(), hashloom_seal::Error>, Error> {
        let known = self.seal.as_deref().map(read_seal).transpose()?;
        let same = known.map_or(Ok(()), |known| seal.check_same(&known));
        Ok(same.and_then(|()| check_root(seal, self.root.as_ref())))
    }
}

/// Verifies a proof against the seal that it must be of; one of growth also against the older seal.
///
/// # Errors
/// [`SealError::Differs`] or [`SealError::OldDiffers`] if it does not hold; others if it can't be read, or nothing is
/// said of the older seal.
pub fn verify_proof(path: &Path, trusted: &Trusted, old: &Trusted) -> Result<Proven, Error> {
    let (grown, mut input) = begins(path, consistency::START)?;
    if grown && old.is_empty() {
        return Err(SealError::WhichOlder(name(path)).into());
    }
    if grown {
        let proof = Consistency::read(&mut input).and_then(|proof| proof.verify().map(|()| proof));
        return verify_growth(path, proof.map_err(about(path))?, (trusted, old))
            .map(|proof| Proven::Growth(Box::new(proof)));
    }
    if !old.is_empty() {
        return Err(SealError::NotGrowth(name(path)).into());
    }
    let proof = Proof::read(&mut input).and_then(|proof| proof.verify().map(|()| proof));
    let proof = proof.map_err(about(path))?;
    trusted.check(&proof.seal)?.map_err(about(path))?;
    Ok(Proven::Records(Box::new(proof)))
}

fn verify_growth(
    path: &Path,
    proof: Consistency,
    (trusted, old): (&Trusted, &Trusted),
) -> Result<Consistency, Error> {
    let (new, old) = (trusted.check(&proof.seal)?, old.check(&proof.old)?);
    new.map_err(about(path))?;
    match old {
        Err(hashloom_seal::Error::Differs(difference)) => {
            Err(SealError::OldDiffers { path: name(path), difference }.into())
        }
        old => old.map(|()| proof).map_err(about(path)),
    }
}

/// How a file differs from its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileDifference {
    /// The record has no digest of the whole file.
    NoDigest,
    /// Its size is another one.
    Size,
    /// Its digest is another one.
    Digest,
}

impl fmt::Display for FileDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            FileDifference::NoDigest => "the record has no digest of the whole file",
            FileDifference::Size => "its size is not the record's",
            FileDifference::Digest => "its digest is not the record's",
        })
    }
}

/// Hashes a file as its records were, and compares; the difference, if there is one. The file is opened once.
///
/// # Errors
/// If the records are of several files, the file can't be read, or it changed meanwhile.
pub fn compare_file(path: &Path, proof: &Proof) -> Result<Option<FileDifference>, Error> {
    if proof.proven.iter().any(|proven| proven.record.path != proof.proven[0].record.path) {
        return Err(SealError::SeveralFiles.into());
    }
    let file = File::open(path).map_err(unreadable(path))?;
    settled(&file).map_err(unreadable(path))?;
    let before = state(&file).map_err(unreadable(path))?;
    for ProvenRecord { record, .. } in &proof.proven {
        if let Some(difference) = difference(&file, record).map_err(unreadable(path))? {
            return Ok(Some(difference));
        }
    }
    let after = state(&file).map_err(unreadable(path))?;
    if before == after { Ok(None) } else { Err(SealError::FileChanged(name(path)).into()) }
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
fn difference(mut file: &File, record: &Record) -> io::Result<Option<FileDifference>> {
    if record.digests.is_empty() || !record.bad_blocks.is_empty() {
        return Ok(Some(FileDifference::NoDigest));
    }
    let (start, most) = record.piece.map_or((0, u64::MAX), |piece| (piece.offset, piece.length));
    let other_size = |length| record.piece.is_none() && record.size.is_some_and(|size| size != length);
    let meta = file.metadata()?;
    if meta.is_file() {
        if other_size(meta.len()) {
            return Ok(Some(FileDifference::Size));
        }
        file.seek(SeekFrom::Start(start))?;
    }
    let algorithms: Vec<_> = record.digests.iter().map(candidates).collect();
    let (found, length) = digests(&algorithms.concat(), &mut file.take(most))?;
    if other_size(length) {
        return Ok(Some(FileDifference::Size));
    }
    let mut found = found.iter();
    for (named, algorithms) in record.digests.iter().zip(&algorithms) {
        let found: Vec<_> = found.by_ref().take(algorithms.len()).collect();
        if !found.contains(&&named.digest) {
            return Ok(Some(FileDifference::Digest));
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
