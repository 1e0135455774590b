//! Learning which algorithm the untagged digests of a list are of.
//!
//! A list of 64 hexadecimal digits may be SHA-256, BLAKE3, SHA3-256 and more. The first file that matches by
//! one of them tells; until then all have to be computed.

use crate::Record;
use hashloom_digest::{Algorithm, of_bits};

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
            let may_be =
                if named.guessed { self.may_be(named.algorithm.bits) } else { vec![named.algorithm] };
            let mut computed =
                may_be.into_iter().filter(|algorithm| observed.digest(algorithm).is_some()).peekable();
            if computed.peek().is_none() {
                continue;
            }
            match computed.find(|algorithm| observed.digest(algorithm) == Some(&named.digest)) {
                Some(algorithm) if named.guessed => self.learn(algorithm),
                Some(_) => {}
                None => return Outcome::Different,
            }
            outcome = Outcome::Same;
        }
        outcome
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
