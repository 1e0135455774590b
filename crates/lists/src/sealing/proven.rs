//! Verification of proofs, and comparison of a file with its proven record.

use super::files::{about, begins, name, read_seal, unreadable};
use super::verify::check_root;
use crate::error::{Error, SealError};
use hashmill_content::stores::Stores;
use hashmill_digest::hashes::Hashes;
use hashmill_digest::{About, Algorithm, Digest};
use hashmill_manifest::{Named, Piece, Record};
use hashmill_os::facts;
use hashmill_seal::Seal;
use hashmill_seal::consistency::{self, Consistency};
use hashmill_seal::proof::Proof;
use hashmill_source::settled;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

const OTHER_SIZE: &str = "its size is not the record's";

/// A trusted seal: given by its file, by its root, or by both.
#[derive(Debug, Clone, Default)]
pub struct Trusted {
    /// Path of the seal.
    pub seal: Option<PathBuf>,
    /// The root, which is the digest of the seal.
    pub root: Option<Digest>,
}

/// The statement that a proof proves.
#[derive(Debug)]
pub enum Proven {
    /// Records were sealed.
    Records(Box<Proof>),
    /// A manifest continues an older one.
    Growth(Box<Consistency>),
}

impl Trusted {
    /// Returns whether nothing is trusted.
    pub fn is_empty(&self) -> bool {
        self.seal.is_none() && self.root.is_none()
    }

    fn check(&self, seal: &Seal) -> Result<Result<(), hashmill_seal::Error>, Error> {
        let known = self.seal.as_deref().map(read_seal).transpose()?;
        let same = known.map_or(Ok(()), |known| seal.check_same(&known));
        Ok(same.and_then(|()| check_root(seal, self.root.as_ref())))
    }
}

/// Verifies a proof against the seal that it must belong to; a proof of growth also against the older seal.
///
/// # Errors
/// [`SealError::Differs`] or [`SealError::OldDiffers`] if the proof does not hold; others if it can't be read, or if no
/// older seal is given for a proof of growth.
pub fn verify_proof(path: &Path, trusted: &Trusted, old: &Trusted, stores: &Stores) -> Result<Proven, Error> {
    let (grown, mut input) = begins(path, consistency::START, stores)?;
    if grown && old.is_empty() {
        return Err(SealError::WhichOlder(name(path)).into());
    }
    if grown {
        let proof = Consistency::read(&mut input).and_then(|proof| proof.verify().map(|()| proof));
        return verify_growth(path, proof.map_err(about(path))?, trusted, old)
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
    trusted: &Trusted,
    old: &Trusted,
) -> Result<Consistency, Error> {
    let (new, old) = (trusted.check(&proof.seal)?, old.check(&proof.old)?);
    new.map_err(about(path))?;
    match old {
        Err(hashmill_seal::Error::Differs(difference)) => {
            Err(SealError::OldDiffers { path: name(path), difference }.into())
        }
        old => old.map(|()| proof).map_err(about(path)),
    }
}

/// Hashes a file as its records were, and compares all their digests. Returns the difference, if there is one. The file
/// is opened once. Digests with no algorithm in the sealed list are taken to be of `named`.
///
/// # Errors
/// If the records belong to several files, the algorithm of a digest is unknown, the file can't be read, or it changed
/// meanwhile.
pub fn compare_file(
    path: &Path,
    proof: &Proof,
    named: Option<&'static Algorithm>,
) -> Result<Option<String>, Error> {
    if proof.proven.iter().any(|proven| proven.record.path != proof.proven[0].record.path) {
        return Err(SealError::SeveralFiles.into());
    }
    let records: Vec<Record> =
        proof.proven.iter().map(|proven| with_algorithms(&proven.record, named)).collect::<Result<_, _>>()?;
    let file = File::open(path).map_err(unreadable(path))?;
    settled(&file).map_err(unreadable(path))?;
    let before = state(&file).map_err(unreadable(path))?;
    for record in &records {
        if let Some(difference) = difference(&file, record).map_err(unreadable(path))? {
            return Ok(Some(difference));
        }
    }
    let after = state(&file).map_err(unreadable(path))?;
    if before == after {
        Ok(rest(&records))
    } else {
        Err(Error::of_place(name(path), "changed while it was read"))
    }
}

/// Returns the record with an algorithm for each digest. Several algorithms have digests of the same length, and for
/// some of them a matching file can be forged, so none is guessed.
fn with_algorithms(record: &Record, named: Option<&'static Algorithm>) -> Result<Record, SealError> {
    let mut record = record.clone();
    for digest in record.digests.iter_mut().filter(|digest| digest.guessed) {
        let (path, bits) = (record.path.clone(), digest.digest.bits());
        match named {
            None => return Err(SealError::Guessed { path, bits }),
            Some(algorithm) if algorithm.bits != bits => {
                return Err(SealError::OtherLength { path, bits, algorithm });
            }
            Some(algorithm) => *digest = Named { algorithm, guessed: false, ..*digest },
        }
    }
    Ok(record)
}

/// Returns the difference if records of pieces don't cover the whole file: a proof may contain only some of them.
fn rest(records: &[Record]) -> Option<String> {
    let pieces: Option<Vec<Piece>> = records.iter().map(|record| record.piece).collect();
    let mut pieces = pieces?;
    pieces.sort_unstable_by_key(|piece| piece.offset);
    let (mut proven, mut end, mut is_gapless) = (0, 0, true);
    for Piece { offset, length } in pieces {
        let new = offset.saturating_add(length).saturating_sub(end.max(offset));
        is_gapless &= offset <= end;
        proven += new;
        end = end.max(offset) + new;
    }
    let is_whole = is_gapless && whole_size(records) == Some(end);
    (!is_whole).then(|| part(proven))
}

/// Returns the difference if the part that was compared, which has this many bytes, matches, and the rest is not proven.
fn part(proven: u64) -> String {
    format!(
        "{proven} bytes of it are as proven, but the proof is not of the whole file (prove the record of the whole file)"
    )
}

/// Returns the size of the whole file, if the records of its pieces agree on it. Most state only the size of the piece.
fn whole_size(records: &[Record]) -> Option<u64> {
    let size = records.first()?.size?;
    let states =
        |record: &Record| record.size == Some(size) && record.piece.is_some_and(|piece| piece.length < size);
    records.iter().all(states).then_some(size)
}

/// The properties that change when a file is written to: size and times.
type FileState = (u64, [(i64, u32); 2]);

/// Returns the state of a regular file; others can't be read twice.
fn state(file: &File) -> io::Result<Option<FileState>> {
    let facts = facts(file)?;
    Ok(facts.is_file().then_some((facts.size, [facts.mtime, facts.ctime])))
}

/// Hashes the bytes that a record covers, in one read. Returns the difference from the record, if there is one.
fn difference(mut file: &File, record: &Record) -> io::Result<Option<String>> {
    if record.digests.iter().any(|named| named.algorithm.lacks_key) {
        return Ok(Some("its digest needs a key, which proofs are verified without".into()));
    }
    if record.digests.is_empty() || !record.bad_blocks.is_empty() {
        return Ok(Some("the record has no digest of the whole file".into()));
    }
    let (start, most) = record.piece.map_or((0, u64::MAX), |piece| (piece.offset, piece.length));
    let other_size = |length| record.piece.is_none() && record.size.is_some_and(|size| size != length);
    let meta = file.metadata()?;
    if meta.is_file() {
        if other_size(meta.len()) {
            return Ok(Some(OTHER_SIZE.into()));
        }
        file.seek(SeekFrom::Start(start))?;
    }
    let size = meta.is_file().then(|| meta.len().saturating_sub(start).min(most));
    // A digest that depends on the file's name uses the name that was sealed.
    let about = About::file(&record.path, size);
    let algorithms: Vec<_> = record.digests.iter().map(|named| named.algorithm).collect();
    let hashes = Hashes::new(&algorithms, &about);
    let (found, length) = hashes.copy(&mut file.take(most), &mut io::sink())?;
    if other_size(length) {
        return Ok(Some(OTHER_SIZE.into()));
    }
    let same = record.digests.iter().zip(&found).all(|(named, found)| named.digest == *found);
    Ok((!same).then(|| "its digest is not the record's".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(parts: &[(u64, u64, Option<u64>)]) -> Option<String> {
        let record = |(offset, length, size): &(u64, u64, Option<u64>)| Record {
            piece: Some(Piece { offset: *offset, length: *length }),
            ..Record::hashed(b"f".as_slice().into(), *size, Vec::new())
        };
        rest(&parts.iter().map(record).collect::<Vec<_>>())
    }

    #[test]
    fn pieces_stand_for_a_file_only_if_they_are_all_of_it() {
        let part = |proven| Some(part(proven));
        assert_eq!(pieces(&[(0, 4, Some(4))]), part(4));
        assert_eq!(pieces(&[(0, 4, Some(4)), (4, 4, Some(4))]), part(8), "nothing says that it ends there");
        assert_eq!(pieces(&[(4, 4, Some(8)), (0, 4, Some(8))]), None);
        assert_eq!(pieces(&[(0, 4, Some(12)), (4, 4, Some(12))]), part(8));
        assert_eq!(pieces(&[(0, 4, Some(8)), (5, 3, Some(8))]), part(7));
        assert_eq!(pieces(&[(0, 4, Some(8)), (2, 4, Some(8)), (2, 6, Some(8))]), None);
        assert_eq!(pieces(&[(0, 4, None), (4, 4, Some(8))]), part(8));
        assert_eq!(pieces(&[(u64::MAX, u64::MAX, Some(8))]), part(0));
    }
}
