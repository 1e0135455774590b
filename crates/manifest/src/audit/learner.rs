//! Determines the algorithms of a list's unnamed digests.
//!
//! Sixty-four hexadecimal digits may be SHA-256, BLAKE3, SHA3-256 and others. A file that matches by one of them
//! decides; an empty file doesn't, as several algorithms may share its digest. A line may have several digests of one
//! length (rhash writes such lines): each position is learnt separately.

use super::comparison::{Comparison, Line, Observed, compare, fits};
use super::digests::{Stored, placed};
use crate::{Named, Record};
use hashmill_digest::{Algorithm, guesses};
use std::slice;

/// The algorithms learnt so far for one list.
#[derive(Debug, Clone, Default)]
pub struct Learner {
    learnt: Vec<LearntAlgorithm>,
    /// The number of files tried for each length and position.
    tried: Vec<(Unnamed, usize)>,
    /// The algorithms that are not guessed, by which files match: messages name them.
    hints: Vec<(Unnamed, Option<&'static str>)>,
}

/// The unnamed digests of one length at one position of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unnamed {
    /// The length of the digests in bits.
    pub bits: u32,
    /// The number of digests of this length before it in a line.
    pub place: usize,
}

/// The learnt algorithm of unnamed digests.
#[derive(Debug, Clone, Copy)]
struct LearntAlgorithm {
    of: Unnamed,
    algorithm: &'static Algorithm,
}

/// The result of comparing a file with a line of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineOutcome {
    /// All that could be compared is equal.
    Same,
    /// Something is equal and nothing differs, but the algorithm of some digest is unknown.
    Partly,
    /// Something differs.
    Different,
    /// The digests are unnamed, and digests of this length are not guessed.
    Unnamed,
    /// There is no algorithm in common.
    Apart,
}

impl Learner {
    /// Returns the unnamed digests of a line that can be guessed and are not learnt yet.
    pub fn unsettled<'a>(&'a self, line: &'a Record) -> impl Iterator<Item = Unnamed> + 'a {
        self.open(line).filter(|of| !guesses(of.bits).is_empty())
    }

    /// Returns the unnamed digests of a line that are not learnt yet.
    pub fn open<'a>(&'a self, line: &'a Record) -> impl Iterator<Item = Unnamed> + 'a {
        let open = placed(&line.digests).filter(|(named, _)| named.guessed);
        let open = open.map(|(named, place)| unnamed(named, place));
        open.filter(|of| self.learnt(of.bits, of.place).is_none())
    }

    /// Returns whether it is still to be found out by which algorithm that is not guessed such digests fit.
    pub fn lacks_hint(&self, of: Unnamed) -> bool {
        self.learnt(of.bits, of.place).is_none() && self.hints.iter().all(|(known, _)| *known != of)
    }

    /// Notes the first of these algorithms by which all of these files match their lines. It is not learnt.
    pub fn hint(&mut self, of: Unnamed, all: &[&'static Algorithm], tried: &[(&Record, Record)]) {
        let matches = |algorithm: &&&'static Algorithm| {
            tried.iter().all(|(line, observed)| {
                let mut wanted = placed(&line.digests).filter(|(named, place)| unnamed(named, *place) == of);
                observed.is_sound()
                    && wanted.any(|(named, _)| fits(algorithm, named.digest.as_bytes(), observed))
            })
        };
        let found = all.iter().filter(|_| !tried.is_empty()).find(matches);
        self.hints.push((of, found.map(|algorithm| algorithm.name)));
    }

    /// Returns an algorithm that is not guessed by which files match their digests of this length.
    pub fn hinted(&self, bits: u32) -> Option<&'static str> {
        self.hints.iter().filter(|(of, _)| of.bits == bits).find_map(|(_, algorithm)| *algorithm)
    }

    /// Returns the algorithms to compute for a line: those it names, and for an unnamed digest the learnt one, or all
    /// that are guessed, likeliest first.
    pub fn candidates(&self, line: &Record) -> Vec<&'static Algorithm> {
        let mut all = Vec::new();
        for stored in self.stored(line) {
            all.extend(
                stored.may_be.iter().filter(|algorithm| !all.contains(*algorithm)).collect::<Vec<_>>(),
            );
        }
        all
    }

    /// Compares a file with a line of the list.
    pub fn compare(&self, line: &Record, observed: &Record) -> LineOutcome {
        let unnamed = self.candidates(line).is_empty() && !line.digests.is_empty();
        let line = Line { size: line.size, strength: None, digests: self.stored(line) };
        match compare([line].into_iter(), &Observed::from_record(observed)) {
            Comparison::Equal(_) => LineOutcome::Same,
            Comparison::Partly => LineOutcome::Partly,
            Comparison::Different(_) | Comparison::Doubted => LineOutcome::Different,
            Comparison::Apart if unnamed => LineOutcome::Unnamed,
            Comparison::Apart => LineOutcome::Apart,
        }
    }

    /// Learns algorithms from a file that matches a line.
    pub fn learn(&mut self, line: &Record, observed: &Record) {
        let empty = observed.size == Some(0);
        let other_size = line.size.zip(observed.size).is_some_and(|(a, b)| a != b);
        if empty || other_size || !observed.is_sound() {
            return;
        }
        for of in self.unsettled(line).collect::<Vec<_>>() {
            let is_it = |(named, place): &(&Named, usize)| named.guessed && unnamed(named, *place) == of;
            let digest = placed(&line.digests).find(is_it);
            let Some((named, _)) = digest else { continue };
            let matches =
                |algorithm: &&&'static Algorithm| fits(algorithm, named.digest.as_bytes(), observed);
            if let Some(algorithm) = guesses(of.bits).iter().find(matches) {
                self.learnt.push(LearntAlgorithm { of, algorithm });
            }
        }
    }

    /// Counts a tried file; returns the number of files tried for these digests.
    pub fn count(&mut self, of: Unnamed) -> usize {
        let place = self.tried.iter().position(|(known, _)| *known == of).unwrap_or_else(|| {
            self.tried.push((of, 0));
            self.tried.len() - 1
        });
        self.tried[place].1 += 1;
        self.tried[place].1
    }

    /// Returns the number of files tried for these digests.
    pub fn tried(&self, of: Unnamed) -> usize {
        self.tried.iter().find(|(known, _)| *known == of).map_or(0, |(_, files)| *files)
    }

    /// Returns the algorithm of unnamed digests of this length and position, if it was learnt.
    pub fn learnt(&self, bits: u32, place: usize) -> Option<&'static Algorithm> {
        let of = Unnamed { bits, place };
        self.learnt.iter().find(|lesson| lesson.of == of).map(|lesson| lesson.algorithm)
    }

    /// Returns all learnt algorithms, in the order of lengths and positions.
    pub fn all_learnt(&self) -> Vec<&'static Algorithm> {
        let mut learnt = self.learnt.clone();
        learnt.sort_by_key(|lesson| lesson.of);
        learnt.iter().map(|lesson| lesson.algorithm).collect()
    }

    /// Gives the unnamed digests of a line the algorithms that were learnt.
    pub fn settle(&self, line: &mut Record) {
        let learnt = |digest: (&Named, usize)| {
            self.learnt(digest.0.digest.bits(), digest.1).filter(|_| digest.0.guessed)
        };
        let learnt: Vec<_> = placed(&line.digests).map(learnt).collect();
        for (named, learnt) in line.digests.iter_mut().zip(learnt) {
            named.algorithm = learnt.unwrap_or(named.algorithm);
        }
    }

    fn stored<'a>(&'a self, line: &'a Record) -> impl Iterator<Item = Stored<'a>> + 'a {
        placed(&line.digests).map(|(named, place)| {
            let lesson = |lesson: &&LearntAlgorithm| lesson.of == unnamed(named, place);
            let learnt = self.learnt.iter().find(lesson).filter(|_| named.guessed);
            let may_be = match learnt {
                Some(lesson) => slice::from_ref(&lesson.algorithm),
                None if named.guessed => guesses(named.digest.bits()),
                None => slice::from_ref(&named.algorithm),
            };
            let open = named.guessed && learnt.is_none();
            Stored { may_be, unnamed: named.guessed, open, bytes: named.digest.as_bytes() }
        })
    }
}

fn unnamed(named: &Named, place: usize) -> Unnamed {
    Unnamed { bits: named.digest.bits(), place }
}
