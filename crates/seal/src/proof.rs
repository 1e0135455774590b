//! Proofs: records with the hashes that lead from each to the root.
//!
//! A proof file is lines of JSON: a head, then for each record a line with its number, its salt if it has one
//! and its siblings, and the record as a line of `jsonl`.

use crate::canonical::{self, Hex, is_guessed};
use crate::leaf::{self, SALT};
use crate::seal::{VERSION, algorithm, check_version, is_false};
use crate::tree::{Hasher, climb};
use crate::{Error, How, Seal, build};
use hashloom_digest::{Algorithm, Digest};
use hashloom_manifest::Record;
use serde::{Deserialize, Serialize};
use std::io::Read;

/// The most bytes of a proof file.
const MAX_PROOF: u64 = 256 << 20;
/// A tree has no more leaves than a number can count.
const MAX_SIBLINGS: usize = 64;

/// Some records of a sealed manifest, each with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The algorithm of the tree.
    pub algorithm: &'static Algorithm,
    /// The root that they are proven for.
    pub root: Digest,
    /// How many records were sealed.
    pub records: u64,
    /// At least one.
    pub proven: Vec<Proven>,
}

/// A record with its proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proven {
    /// Its number in the manifest, from 0.
    pub index: u64,
    /// The record.
    pub record: Record,
    salt: Option<[u8; SALT]>,
    siblings: Vec<Digest>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    hashloom_proof: u32,
    algorithm: Box<str>,
    root: Hex,
    records: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Way {
    index: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    salt: Option<Hex>,
    #[serde(default, skip_serializing_if = "is_false")]
    guessed: bool,
    siblings: Vec<Hex>,
}

/// Proves the records of a manifest of which `wants` says so; with the manifest's seal as it is now.
///
/// # Errors
/// If the manifest can't be sealed, or no record is wanted.
pub fn prove<'a>(
    manifest: Box<dyn Read + 'a>,
    how: &How<'_>,
    wants: &mut dyn FnMut(&Record) -> bool,
) -> Result<(Seal, Proof), Error> {
    let mut records = Vec::new();
    let built = build(manifest, how, &mut |_, record| {
        let wanted = wants(record);
        records.extend(wanted.then(|| record.clone()));
        wanted
    })?;
    if records.is_empty() {
        return Err(Error::Differs("no record has such a path".into()));
    }
    let mut hasher = Hasher::new(crate::secret::sha256()?);
    let proven = built.tracked.into_iter().zip(records).map(|(tracked, record)| {
        let salt = |secret: &crate::Secret| secret.salts(&mut hasher, tracked.index, 1)[0];
        let salt = how.secret.map(salt).and_then(|salt| salt.as_bytes().try_into().ok());
        Proven { index: tracked.index, record, salt, siblings: tracked.siblings }
    });
    let proven = proven.collect();
    let Seal { root: Hex(root), records, .. } = built.seal;
    Ok((built.seal, Proof { algorithm: how.algorithm, root, records, proven }))
}

impl Proof {
    /// Reads a proof file. It is not verified yet.
    ///
    /// # Errors
    /// If it is none, or not as it was written.
    pub fn read(input: &mut dyn Read) -> Result<Proof, Error> {
        let mut text = Vec::new();
        input.take(MAX_PROOF).read_to_end(&mut text)?;
        let mut lines = text.split_inclusive(|byte| *byte == b'\n').zip(1..);
        let mut next = || {
            let (line, number) = lines.next()?;
            let cut = || Error::Foreign(number, "cut short".into());
            Some(line.strip_suffix(b"\n").ok_or_else(cut).map(|line| (line, number)))
        };
        let (line, number) = next().ok_or(Error::Foreign(1, "is empty".into()))??;
        let head: Head = canonical::parse(line, number)?;
        check_version(head.hashloom_proof)?;
        let mut proven = Vec::new();
        while let Some(way) = next() {
            let (line, number) = way?;
            let way: Way = canonical::parse(line, number)?;
            let (line, number) = next().ok_or(Error::Foreign(number, "a record must follow".into()))??;
            proven.push(Proven::of(way, line, number)?);
        }
        let (algorithm, Hex(root), records) = (algorithm(&head.algorithm)?, head.root, head.records);
        if proven.is_empty() {
            return Err(Error::Foreign(1, "proves no record".into()));
        }
        Ok(Proof { algorithm, root, records, proven })
    }

    /// The text that [`Proof::read`] reads.
    ///
    /// # Errors
    /// If a record can't be written.
    pub fn to_text(&self) -> Result<Vec<u8>, Error> {
        let Proof { algorithm, root, records, .. } = *self;
        let head =
            Head { hashloom_proof: VERSION, algorithm: algorithm.name.into(), root: Hex(root), records };
        let mut text = canonical::line(&head)?;
        for proven in &self.proven {
            text.extend(canonical::line(&proven.way())?);
            text.extend(canonical::record_line(&proven.record)?);
        }
        Ok(text)
    }

    /// Verifies that every record leads to the root.
    ///
    /// # Errors
    /// Which does not.
    pub fn verify(&self) -> Result<(), Error> {
        let hasher = Hasher::new(self.algorithm);
        for proven in &self.proven {
            let mut message = Vec::new();
            leaf::message(&proven.record, proven.salt.as_ref(), &mut message);
            let place = (proven.index, self.records);
            if climb(&hasher, hasher.one(&message), place, &proven.siblings) != Some(self.root) {
                let index = proven.index;
                return Err(Error::Differs(format!("record {index} does not lead to the root")));
            }
        }
        Ok(())
    }

    /// Verifies that it is of this seal.
    ///
    /// # Errors
    /// If the seal is another.
    pub fn verify_seal(&self, seal: &Seal) -> Result<(), Error> {
        let same = seal.root == Hex(self.root)
            && seal.records == self.records
            && *seal.algorithm == *self.algorithm.name
            && self.proven.iter().all(|proven| proven.salt.is_some() == seal.salted);
        if same { Ok(()) } else { Err(Error::Differs("the proof is for another root".into())) }
    }
}

impl Proven {
    fn of(way: Way, line: &[u8], number: u64) -> Result<Proven, Error> {
        let Way { index, salt, guessed, siblings } = way;
        let foreign = |what: &str| Error::Foreign(number - 1, what.into());
        let salt = salt.map(|Hex(salt)| salt.as_bytes().try_into()).transpose();
        let salt = salt.map_err(|_| foreign("a salt has 32 bytes"))?;
        if siblings.len() > MAX_SIBLINGS {
            return Err(foreign("more siblings than any tree has levels"));
        }
        let record = canonical::parse_record(line, guessed, number)?;
        if is_guessed(&record) != guessed {
            return Err(foreign("nothing was guessed"));
        }
        Ok(Proven { index, record, salt, siblings: siblings.into_iter().map(|Hex(hash)| hash).collect() })
    }

    fn way(&self) -> Way {
        Way {
            index: self.index,
            salt: self.salt.map(|salt| Hex(Digest::new(&salt))),
            guessed: is_guessed(&self.record),
            siblings: self.siblings.iter().copied().map(Hex).collect(),
        }
    }
}
