//! Learns the algorithm of a list's untagged digests.
//!
//! A list of 64 hexadecimal digits may be SHA-256, BLAKE3, SHA3-256 and more. The first file that matches decides;
//! until then, all must be computed. A line may have several digests of one length (rhash writes such lines): then each
//! place is learnt by itself.

use crate::{Named, Record};
use hashloom_digest::{Algorithm, of_bits};

/// Bits of a digest that no other file has by chance.
const PROOF: u32 = 128;

/// What is learnt so far about one list.
#[derive(Debug, Clone, Default)]
pub struct Learner {
    learnt: Vec<LearntAlgorithm>,
}

/// The learnt algorithm of untagged digests of its length at one place in a line.
#[derive(Debug, Clone, Copy)]
struct LearntAlgorithm {
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
            match self.agrees(named, place, observed) {
                Some(true) if outcome == Outcome::Apart => outcome = Outcome::Same,
                None | Some(true) => {}
                Some(false) if self.is_apart(line, (named, place), observed) => {}
                Some(false) => outcome = Outcome::Different,
            }
        }
        outcome
    }

    /// Whether a digest is that of the observed record by an algorithm that it may be of; none if none was computed.
    fn agrees(&mut self, named: &Named, place: usize, observed: &Record) -> Option<bool> {
        let may_be =
            if named.guessed { self.may_be(named.algorithm.bits, place) } else { vec![named.algorithm] };
        let mut computed = false;
        for algorithm in may_be {
            let Some(digest) = observed.digest(algorithm) else { continue };
            computed = true;
            if *digest == named.digest {
                if named.guessed {
                    self.learn_at(algorithm, place);
                }
                return Some(true);
            }
        }
        computed.then_some(false)
    }

    /// Whether a digest that does not agree is of another algorithm than those that were tried: nothing names it, and
    /// another digest of the line agrees. That one has the same length (MD4 and ED2K beside MD5), or no digest of this
    /// length has ever agreed and the other is long enough to be proof.
    fn is_apart(&mut self, line: &Record, (named, place): (&Named, usize), observed: &Record) -> bool {
        let bits = named.digest.bits();
        let unknown = self.learnt_at(bits, place).is_none();
        let tells = |(other, _): &(&Named, usize)| {
            let twin = other.guessed && other.digest.bits() == bits && other.digest != named.digest;
            twin || unknown && other.digest.bits() >= PROOF && other.digest.bits() != bits
        };
        named.guessed
            && placed(&line.digests)
                .filter(tells)
                .any(|(other, place)| self.agrees(other, place, observed) == Some(true))
    }

    /// Notes the algorithm of untagged digests of its length.
    pub fn learn(&mut self, algorithm: &'static Algorithm) {
        self.learn_at(algorithm, 0);
    }

    fn learn_at(&mut self, algorithm: &'static Algorithm, place: usize) {
        if self.learnt_at(algorithm.bits, place).is_none() {
            self.learnt.push(LearntAlgorithm { place, algorithm });
        }
    }

    /// The algorithm of untagged digests of this length, once known.
    pub fn learnt(&self, bits: u32) -> Option<&'static Algorithm> {
        self.learnt_at(bits, 0)
    }

    fn learnt_at(&self, bits: u32, place: usize) -> Option<&'static Algorithm> {
        let fits = |lesson: &&LearntAlgorithm| lesson.algorithm.bits == bits && lesson.place == place;
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
