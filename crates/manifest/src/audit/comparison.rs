//! Compares an observed file with the lines about its path. Every comparison uses this module: an audit passes all
//! lines of a path at once, a check passes each line by itself.

use super::digests::Stored;
use crate::stored::{Strength, may_be_of_others};
use crate::{Named, Record};
use hashmill_digest::{Algorithm, guesses, hash};

/// The result of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    /// Something is equal and nothing differs. If one side is only stored, the strength is that of the evidence.
    Equal(Option<Strength>),
    /// Something is equal and nothing differs, but the algorithm of some digest is unknown.
    Partly,
    /// Something differs. If the digest was only declared, the declaration may be wrong.
    Different(Option<Strength>),
    /// Only a composite digest differs, and its parts may have other lengths than the store's list suggests.
    Doubted,
    /// There is nothing to compare.
    Apart,
}

/// The observed size and digests of a file.
pub(super) struct Observed<'a> {
    pub size: Option<u64>,
    pub digests: &'a [Named],
    /// The strength of the digests as evidence, if they are only stored.
    pub strength: Option<Strength>,
}

/// The claims of a list's line about a file.
pub(super) struct Line<D> {
    pub size: Option<u64>,
    /// The strength of the digests as evidence, if they are only stored.
    pub strength: Option<Strength>,
    /// The digests; empty if none of them can be computed here.
    pub digests: D,
}

impl<'a> Observed<'a> {
    pub fn from_record(record: &'a Record) -> Observed<'a> {
        Observed { size: record.size, digests: &record.digests, strength: record.status.strength() }
    }
}

/// The result of comparing one digest.
enum Agreement {
    Equal(&'static Algorithm),
    Different(&'static Algorithm),
    /// It matches none of the algorithms that were tried, and its algorithm is unknown.
    Unknown,
    /// It could not be compared.
    Apart,
}

/// Compares an observed file with the lines about its path: different if anything differs, equal if something is equal
/// and nothing differs. A stored object is equal by its size at least, if that is known.
pub(super) fn compare<'a, D: Iterator<Item = Stored<'a>>>(
    lines: impl Iterator<Item = Line<D>>,
    observed: &Observed<'_>,
) -> Comparison {
    let (mut found, mut doubted) = (Comparison::Apart, false);
    // Whether a digest matched no algorithm, and whether a line had nothing to compare.
    let (mut unknown, mut lacking) = (false, false);
    for line in lines {
        let side = observed.strength.into_iter().chain(line.strength).min();
        match observed.size.zip(line.size) {
            Some((a, b)) if a != b => return Comparison::Different(side.map(|_| Strength::Content)),
            Some(_) if side.is_some() && found == Comparison::Apart => {
                found = Comparison::Equal(Some(Strength::Size));
            }
            _ => {}
        }
        if found == Comparison::Apart && side.is_some() {
            found = Comparison::Equal(Some(Strength::None));
        }
        let mut silent = side.is_none();
        for stored in line.digests {
            silent = false;
            let proof = |algorithm| side.map(|side| side.min(Strength::from_algorithm(algorithm)));
            match agree(&stored, observed) {
                Agreement::Equal(algorithm) => found = Comparison::Equal(stronger(found, proof(algorithm))),
                Agreement::Different(algorithm) => {
                    if side.is_some() && may_be_of_others(algorithm, stored.bytes) {
                        doubted = true;
                        continue;
                    }
                    return Comparison::Different(proof(algorithm));
                }
                Agreement::Unknown => unknown = true,
                Agreement::Apart => lacking |= stored.open,
            }
        }
        lacking |= silent;
    }
    let proved = |proof: Option<Strength>| proof.is_none_or(|proof| proof > Strength::Size);
    match found {
        Comparison::Equal(proof) if doubted && !proved(proof) => Comparison::Doubted,
        Comparison::Equal(proof) if (unknown || lacking) && proved(proof) => Comparison::Partly,
        Comparison::Apart if unknown => Comparison::Different(None),
        found => found,
    }
}

/// Compares one digest. If the manifest contradicts itself, nothing is equal to it.
fn agree(stored: &Stored<'_>, observed: &Observed<'_>) -> Agreement {
    let mut different = None;
    let mut computed = 0;
    for algorithm in stored.may_be {
        let mut of_it = observed.digests.iter().filter(|named| named.algorithm == *algorithm).peekable();
        computed += usize::from(of_it.peek().is_some());
        let equal = of_it.peek().is_some() && of_it.all(|named| named.digest.as_bytes() == stored.bytes);
        if equal {
            return Agreement::Equal(algorithm);
        }
        different = Some(*algorithm);
    }
    if stored.unnamed
        && observed.size == Some(0)
        && let Some(algorithm) = of_empty(stored.bytes)
    {
        return Agreement::Equal(algorithm);
    }
    match different {
        Some(algorithm) if computed == stored.may_be.len() => {
            if stored.open {
                Agreement::Unknown
            } else {
                Agreement::Different(algorithm)
            }
        }
        _ => Agreement::Apart,
    }
}

/// Returns the algorithm for which an unnamed digest is that of the empty input, whatever the algorithm of other lines.
pub(super) fn of_empty(digest: &[u8]) -> Option<&'static Algorithm> {
    let is = |algorithm: &&&'static Algorithm| hash(algorithm, b"").as_bytes() == digest;
    guesses(8 * digest.len() as u32).iter().find(is).copied()
}

/// Returns whether a digest by this algorithm is that of an observed file.
pub(super) fn fits(algorithm: &Algorithm, digest: &[u8], observed: &Record) -> bool {
    observed.digest(algorithm).is_some_and(|found| found.as_bytes() == digest)
}

/// Returns the stronger evidence; `None` if both sides were read.
fn stronger(found: Comparison, proof: Option<Strength>) -> Option<Strength> {
    match found {
        Comparison::Equal(Some(known)) => proof.map(|proof| proof.max(known)),
        _ => proof,
    }
}
