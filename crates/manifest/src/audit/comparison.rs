//! What is observed against what is known of one path.

use super::known::Known;
use crate::stored::{Strength, may_be_of_others};
use crate::{Named, Record};

/// What a comparison says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    /// All that both sides say is equal, and something is. Where one is only stored, so strong is the proof.
    Equal(Option<Strength>),
    /// Something differs. Where that is only declared, it may be the declaration that is wrong.
    Different(Option<Strength>),
    /// Nothing but a digest of parts differs, which may have other lengths than a store's list lets one think.
    Doubted,
    /// Nothing to compare.
    Apart,
}

/// What is observed of a file.
pub(super) struct Observed<'a> {
    pub size: Option<u64>,
    pub digests: &'a [Named],
    /// How strong a proof its digests are, if they are only stored.
    pub strength: Option<Strength>,
}

impl<'a> Observed<'a> {
    pub fn of(record: &'a Record) -> Observed<'a> {
        Observed { size: record.size, digests: &record.digests, strength: record.status.strength() }
    }
}

/// Compares what is observed with known records of one path: different if anything is, equal if something is and nothing
/// differs. What is only stored is equal by its size at least, if that is known.
pub(super) fn compare(known: &Known, entries: &[u32], observed: &Observed<'_>) -> Comparison {
    let (mut found, mut doubted) = (Comparison::Apart, false);
    for &entry in entries {
        let side = observed.strength.into_iter().chain(known.strength(entry)).min();
        match observed.size.zip(known.size(entry)) {
            Some((a, b)) if a != b => return Comparison::Different(side.map(|_| Strength::Content)),
            Some(_) if side.is_some() && found == Comparison::Apart => {
                found = Comparison::Equal(Some(Strength::Size));
            }
            _ => {}
        }
        if found == Comparison::Apart && side.is_some() {
            found = Comparison::Equal(Some(Strength::None));
        }
        for (algorithm, digest) in known.digests(entry) {
            // A manifest that is compared may contradict itself: then nothing is equal to what it says.
            for named in observed.digests.iter().filter(|named| named.algorithm == algorithm) {
                let proof = side.map(|side| side.min(Strength::of(algorithm)));
                if named.digest.as_bytes() != digest {
                    if side.is_some() && may_be_of_others(algorithm, digest) {
                        doubted = true;
                        continue;
                    }
                    return Comparison::Different(proof);
                }
                found = Comparison::Equal(stronger(found, proof));
            }
        }
    }
    let proved = |proof: Option<Strength>| proof.is_none_or(|proof| proof > Strength::Size);
    match found {
        Comparison::Equal(proof) if doubted && !proved(proof) => Comparison::Doubted,
        found => found,
    }
}

/// The stronger of two proofs; where both sides were read, there is nothing to say.
fn stronger(found: Comparison, proof: Option<Strength>) -> Option<Strength> {
    match found {
        Comparison::Equal(Some(known)) => proof.map(|proof| proof.max(known)),
        _ => proof,
    }
}
