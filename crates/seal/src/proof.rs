//! Inclusion proofs: records, each with the hashes that lead from it to the root.
//!
//! A proof file consists of lines of JSON: a head with the seal, then for each record a line with its number, its
//! siblings and possibly its salt, and the record as a line of `jsonl`.

use crate::error::{EMPTY, Error, GUESSED, SALT_LENGTH, TRUNCATED, differs, invalid};
use crate::leaf::{self, SALT};
use crate::limits::VERSION;
use crate::seal::canonical;
use crate::seal::canonical::{Hex, RECORD_MISSING, is_false, is_guessed};
use crate::seal::check_head;
use crate::secret::Salter;
use crate::tree::{Hasher, root_of_inclusion};
use crate::{Seal, SealOptions, build};
use hashmill_digest::Digest;
use hashmill_manifest::Record;
use serde::{Deserialize, Serialize};
use std::io::Read;

/// The maximum length of a proof file in bytes.
const MAX_PROOF: u64 = 256 << 20;
/// The maximum height of a tree: leaves are counted in 64 bits.
const MAX_SIBLINGS: usize = 64;

/// Some records of a sealed manifest, each with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The seal against which they are proven.
    pub seal: Seal,
    /// The proven records, at least one.
    pub proven: Vec<ProvenRecord>,
}

/// A record with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProvenRecord {
    /// The number of the record in the manifest, from 0.
    pub index: u64,
    /// The record.
    pub record: Record,
    salt: Option<[u8; SALT]>,
    siblings: Vec<Digest>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    hashmill_proof: u32,
    seal: Box<str>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofLine {
    index: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    salt: Option<Hex>,
    #[serde(default, skip_serializing_if = "is_false")]
    guessed: bool,
    siblings: Vec<Hex>,
}

/// Proves the records that `wants` selects. The proof has the manifest's current seal: compare it with a trusted one.
///
/// # Errors
/// If the manifest can't be sealed, or no record is selected.
pub fn prove<'a>(
    manifest: Box<dyn Read + 'a>,
    options: &SealOptions<'_>,
    wants: &mut dyn FnMut(&Record) -> bool,
) -> Result<Proof, Error> {
    let mut records = Vec::new();
    let built = build(manifest, options, &mut |_, record| {
        let wanted = wants(record);
        records.extend(wanted.then(|| record.clone()));
        wanted
    })?;
    if records.is_empty() {
        return Err(differs("no record was selected"));
    }
    let mut salter = options.salts.as_ref().map(Salter::new).transpose()?;
    let mut salt =
        |index| salter.as_mut().and_then(|salter| salter.salts(index, 1)[0].as_bytes().try_into().ok());
    let proven = built.tracked.into_iter().zip(records).map(|(tracked, record)| {
        let (index, siblings) = (tracked.index, tracked.siblings);
        ProvenRecord { index, record, salt: salt(index), siblings }
    });
    let proven = proven.collect();
    Ok(Proof { seal: built.seal, proven })
}

impl Proof {
    /// Reads a proof file without verifying the proof.
    ///
    /// # Errors
    /// If it is another kind of file, or not in hashmill's canonical form.
    pub fn read(input: &mut dyn Read) -> Result<Proof, Error> {
        let mut text = Vec::new();
        input.take(MAX_PROOF).read_to_end(&mut text)?;
        let mut lines = text.split_inclusive(|byte| *byte == b'\n').zip(1..);
        let mut next = || {
            let (line, number) = lines.next()?;
            let cut = invalid(number, TRUNCATED);
            Some(line.strip_suffix(b"\n").ok_or(cut).map(|line| (line, number)))
        };
        let (line, number) = next().ok_or(invalid(1, EMPTY))??;
        check_head(line)?;
        let head: Head = canonical::parse(line, number)?;
        let seal = canonical::seal(&head.seal)?;
        let mut proven = Vec::new();
        while let Some(way) = next() {
            let (line, number) = way?;
            let way: ProofLine = canonical::parse(line, number)?;
            let (line, number) = next().ok_or(invalid(number, RECORD_MISSING))??;
            proven.push(ProvenRecord::new(way, line, number)?);
        }
        if proven.is_empty() {
            return Err(invalid(1, "the proof has no record"));
        }
        Ok(Proof { seal, proven })
    }

    /// Returns the text for [`Proof::read`].
    ///
    /// # Errors
    /// If a record can't be written.
    pub fn to_text(&self) -> Result<Vec<u8>, Error> {
        let mut text = canonical::line(&Head { hashmill_proof: VERSION, seal: self.seal.text().into() })?;
        for proven in &self.proven {
            text.extend(canonical::line(&proven.way())?);
            text.extend(canonical::record_line(&proven.record)?);
        }
        Ok(text)
    }

    /// Verifies that every record leads to the root of the seal. It does not decide whether the seal can be trusted:
    /// see [`Seal::check_same`], [`Seal::check_digest`].
    ///
    /// # Errors
    /// If a record does not; the error has the first one.
    pub fn verify(&self) -> Result<(), Error> {
        let hasher = Hasher::new(self.seal.algorithm);
        for proven in &self.proven {
            let number = proven.index.saturating_add(1);
            if proven.salt.is_some() != self.seal.is_salted() {
                let how = format!("record {number} has no salt, or has one although the seal has none");
                return Err(differs(how));
            }
            let mut message = Vec::new();
            leaf::message(&proven.record, proven.salt.as_ref(), &mut message);
            let leaf = hasher.one(&message);
            let root = root_of_inclusion(&hasher, leaf, proven.index, self.seal.records, &proven.siblings);
            if root != Some(self.seal.root) {
                return Err(differs(format!("record {number} does not lead to the root")));
            }
        }
        Ok(())
    }
}

impl ProvenRecord {
    fn new(way: ProofLine, line: &[u8], number: u64) -> Result<ProvenRecord, Error> {
        let ProofLine { index, salt, guessed, siblings } = way;
        let salt = salt.map(|Hex(salt)| salt.as_bytes().try_into()).transpose();
        let salt = salt.map_err(|_| invalid(number - 1, SALT_LENGTH))?;
        if siblings.len() > MAX_SIBLINGS {
            return Err(invalid(number - 1, "more siblings than a tree can have levels"));
        }
        let record = canonical::parse_record(line, guessed, number)?;
        if is_guessed(&record) != guessed {
            return Err(invalid(number - 1, GUESSED));
        }
        Ok(ProvenRecord {
            index,
            record,
            salt,
            siblings: siblings.into_iter().map(|Hex(hash)| hash).collect(),
        })
    }

    fn way(&self) -> ProofLine {
        ProofLine {
            index: self.index,
            salt: self.salt.map(|salt| Hex(Digest::new(&salt))),
            guessed: is_guessed(&self.record),
            siblings: self.siblings.iter().copied().map(Hex).collect(),
        }
    }
}
