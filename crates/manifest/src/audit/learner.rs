//! Learning which algorithm the untagged digests of a list are of.
//!
//! A list of 64 hexadecimal digits may be SHA-256, BLAKE3, SHA3-256 and more. The first file that matches by
//! one of them tells; until then all have to be computed.

use crate::{Named, Record};
use hashloom_digest::{Algorithm, of_bits};

/// Bits of a digest that no other file has by chance.
const PROOF: u32 = 128;

/// What was learnt so far of one list.
#[derive(Debug, Clone, Default)]
pub struct Learner {
    learnt: Vec<&'static Algorithm>,
}

/// How an observed record compares with a line of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All that both sides say is equal.
    Same,
    /// Something differs.
    Different,
    /// They have no algorithm in common.
    Apart,
}

impl Learner {
    /// The algorithms to compute for a line of the list: those it names, and for a guessed one the learnt
    /// one, or all that it may be, likeliest first.
    pub fn candidates(&self, line: &Record) -> Vec<&'static Algorithm> {
        let mut all = Vec::new();
        for named in &line.digests {
            let may_be =
                if named.guessed { self.may_be(named.algorithm.bits) } else { vec![named.algorithm] };
            all.extend(may_be.into_iter().filter(|algorithm| !all.contains(algorithm)).collect::<Vec<_>>());
        }
        all
    }

    /// Compares an observed record with a line of the list, and learns from a match.
    pub fn compare(&mut self, line: &Record, observed: &Record) -> Outcome {
        let other_size = line.size.zip(observed.size).is_some_and(|(a, b)| a != b);
        if other_size {
            return Outcome::Different;
        }
        let mut outcome = Outcome::Apart;
        for named in &line.digests {
            match self.agrees(named, observed) {
                Some(true) if outcome == Outcome::Apart => outcome = Outcome::Same,
                None | Some(true) => {}
                Some(false) if self.is_apart(line, named, observed) => {}
                Some(false) => outcome = Outcome::Different,
            }
        }
        outcome
    }

    /// Whether a digest is that of the observed record by an algorithm that it may be of; none if none was computed.
    fn agrees(&mut self, named: &Named, observed: &Record) -> Option<bool> {
        let may_be = if named.guessed { self.may_be(named.algorithm.bits) } else { vec![named.algorithm] };
        let mut computed = false;
        for algorithm in may_be {
            let Some(digest) = observed.digest(algorithm) else { continue };
            computed = true;
            if *digest == named.digest {
                if named.guessed {
                    self.learn(algorithm);
                }
                return Some(true);
            }
        }
        computed.then_some(false)
    }

    /// Whether a digest that does not agree is of another algorithm than those that were tried: nothing names it, and
    /// another digest of the line agrees. That one has the same length (MD4 and ED2K beside MD5), or no digest of this
    /// length has ever agreed and the other is long enough to be proof.
    fn is_apart(&mut self, line: &Record, named: &Named, observed: &Record) -> bool {
        let unknown = self.learnt(named.digest.bits()).is_none();
        let tells = |other: &&Named| {
            let bits = other.digest.bits();
            let twin = other.guessed && bits == named.digest.bits() && other.digest != named.digest;
            twin || unknown && bits >= PROOF && bits != named.digest.bits()
        };
        named.guessed
            && line.digests.iter().filter(tells).any(|other| self.agrees(other, observed) == Some(true))
    }

    /// Notes the algorithm of untagged digests of its length.
    pub fn learn(&mut self, algorithm: &'static Algorithm) {
        if self.learnt(algorithm.bits).is_none() {
            self.learnt.push(algorithm);
        }
    }

    /// The algorithm of untagged digests of this length, once known.
    pub fn learnt(&self, bits: u32) -> Option<&'static Algorithm> {
        self.learnt.iter().copied().find(|algorithm| algorithm.bits == bits)
    }

    fn may_be(&self, bits: u32) -> Vec<&'static Algorithm> {
        self.learnt(bits).map_or_else(|| of_bits(bits).collect(), |algorithm| vec![algorithm])
    }
}
