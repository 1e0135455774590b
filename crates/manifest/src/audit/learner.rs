//! Learning which algorithm the untagged digests of a list are of.
//!
//! A list of 64 hexadecimal digits may be SHA-256, BLAKE3, SHA3-256 and more. The first file that matches by
//! one of them tells; until then all have to be computed. A line may have several of one length, as rhash writes them
//! side by side: then each place is learnt by itself.

use crate::{Named, Record};
use hashloom_digest::{Algorithm, of_bits};

/// What was learnt so far of one list.
#[derive(Debug, Clone, Default)]
pub struct Learner {
    learnt: Vec<Lesson>,
}

/// The algorithm of the untagged digests of its length that stand at this place among those of a line.
#[derive(Debug, Clone, Copy)]
struct Lesson {
    place: usize,
    algorithm: &'static Algorithm,
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
        for (named, place) in placed(&line.digests) {
            let may_be =
                if named.guessed { self.may_be(named.algorithm.bits, place) } else { vec![named.algorithm] };
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
        for (named, place) in placed(&line.digests) {
            let may_be =
                if named.guessed { self.may_be(named.algorithm.bits, place) } else { vec![named.algorithm] };
            let mut computed =
                may_be.into_iter().filter(|algorithm| observed.digest(algorithm).is_some()).peekable();
            if computed.peek().is_none() {
                continue;
            }
            match computed.find(|algorithm| observed.digest(algorithm) == Some(&named.digest)) {
                Some(algorithm) if named.guessed => self.learn_at(algorithm, place),
                Some(_) => {}
                None => return Outcome::Different,
            }
            outcome = Outcome::Same;
        }
        outcome
    }

    /// Notes the algorithm of untagged digests of its length.
    pub fn learn(&mut self, algorithm: &'static Algorithm) {
        self.learn_at(algorithm, 0);
    }

    fn learn_at(&mut self, algorithm: &'static Algorithm, place: usize) {
        if self.learnt_at(algorithm.bits, place).is_none() {
            self.learnt.push(Lesson { place, algorithm });
        }
    }

    /// The algorithm of untagged digests of this length, once known.
    pub fn learnt(&self, bits: u32) -> Option<&'static Algorithm> {
        self.learnt_at(bits, 0)
    }

    fn learnt_at(&self, bits: u32, place: usize) -> Option<&'static Algorithm> {
        let fits = |lesson: &&Lesson| lesson.algorithm.bits == bits && lesson.place == place;
        self.learnt.iter().find(fits).map(|lesson| lesson.algorithm)
    }

    fn may_be(&self, bits: u32, place: usize) -> Vec<&'static Algorithm> {
        self.learnt_at(bits, place).map_or_else(|| of_bits(bits).collect(), |algorithm| vec![algorithm])
    }
}

/// The digests of a line, each with its place among the untagged ones of its length.
fn placed(digests: &[Named]) -> impl Iterator<Item = (&Named, usize)> {
    digests.iter().enumerate().map(|(at, named)| {
        let bits = named.digest.bits();
        let like = digests[..at].iter().filter(|other| other.guessed && other.digest.bits() == bits);
        (named, like.count())
    })
}
