//! Finds the differences of two manifests by their trees. Equal roots mean equal records; otherwise, records with equal
//! leaves are equal, wherever they are.

use crate::leaf;
use crate::tree::{MerkleTree, Messages};
use crate::{Error, Seal, SealOptions, seal};
use hashmill_manifest::Record;
use hashmill_manifest::format::{Hint, open};
use std::io::Read;

/// The number of leaves hashed together.
const BATCH: usize = 1024;

/// The manifest with a record that the other one lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// In the first manifest.
    First,
    /// In the second.
    Second,
}

/// Returns whether two manifests differ, judged by their seals alone.
///
/// # Errors
/// If the seals can't be compared, because of different algorithms or salts.
pub fn roots_differ(first: &Seal, second: &Seal) -> Result<bool, Error> {
    if first.is_salted() || second.is_salted() {
        return Err(Error::SaltsIncomparable);
    }
    if first.algorithm != second.algorithm {
        return Err(Error::AlgorithmsIncomparable);
    }
    Ok(first.root != second.root || first.records != second.records)
}

/// Reports each record that only one of two manifests has: first those of the second, then those of the first, in
/// order. A record that occurs twice differs from one that occurs once. Manifests are opened several times; a change
/// between two reads causes an error at the end.
///
/// # Errors
/// If a manifest can't be sealed, or changes meanwhile.
pub fn records<'a>(
    first: &dyn Fn() -> Result<Box<dyn Read + 'a>, Error>,
    second: &dyn Fn() -> Result<Box<dyn Read + 'a>, Error>,
    options: &SealOptions<'_>,
    each: &mut dyn FnMut(Side, &Record) -> Result<(), Error>,
) -> Result<u64, Error> {
    let (one, other) = (seal(first()?, options)?, seal(second()?, options)?);
    if !roots_differ(&one, &other)? {
        return Ok(0);
    }
    let mut known = Leaves::default();
    leaves(first()?, &one, &mut |leaf, _| {
        known.hashes.push(leaf);
        Ok(())
    })?;
    known.sort();
    let mut different = 0;
    leaves(second()?, &other, &mut |leaf, record| {
        if known.take(leaf) {
            return Ok(());
        }
        different += 1;
        each(Side::Second, record)
    })?;
    leaves(first()?, &one, &mut |leaf, record| {
        if !known.take(leaf) {
            return Ok(());
        }
        different += 1;
        each(Side::First, record)
    })?;
    Ok(different)
}

/// The first half of a leaf's hash, which is never equal by chance.
type HashPrefix = [u8; 16];

/// The leaves of a manifest, and which of them were matched.
#[derive(Default)]
struct Leaves {
    hashes: Vec<HashPrefix>,
    taken: Vec<bool>,
}

impl Leaves {
    fn sort(&mut self) {
        self.hashes.sort_unstable();
        self.taken = vec![false; self.hashes.len()];
    }

    /// Takes an equal leaf that was not taken yet; returns false if there is none.
    fn take(&mut self, leaf: HashPrefix) -> bool {
        let from = self.hashes.partition_point(|hash| *hash < leaf);
        let equal = self.hashes[from..].iter().take_while(|hash| **hash == leaf).count();
        let free = (from..from + equal).find(|at| !self.taken[*at]);
        free.inspect(|at| self.taken[*at] = true).is_some()
    }
}

/// Calls `each` with every leaf and record of a manifest that was sealed before.
fn leaves<'a>(
    manifest: Box<dyn Read + 'a>,
    seal: &Seal,
    each: &mut dyn FnMut(HashPrefix, &Record) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut tree = MerkleTree::new(seal.algorithm);
    let mut held = Vec::new();
    let mut tell = |held: &mut Vec<Record>| {
        let mut messages = Messages::default();
        for record in &*held {
            leaf::message(record, None, &mut messages.bytes);
            messages.end();
        }
        for (leaf, record) in tree.add(&mut messages, &[]).iter().zip(held.drain(..)) {
            let half = leaf.as_bytes().first_chunk().copied().unwrap_or_default();
            each(half, &record)?;
        }
        Ok::<(), Error>(())
    };
    for record in open(manifest, Hint::None).map_err(Error::Unusable)?.reader {
        held.push(record.map_err(Error::Malformed)?);
        if held.len() == BATCH {
            tell(&mut held)?;
        }
    }
    tell(&mut held)?;
    if tree.count() != seal.records || tree.finish().root != seal.root {
        return Err(Error::Changed);
    }
    Ok(())
}
