//! Digests of a list that can't be computed here: how many there are, and of which algorithms.

use crate::shown::count;
use hashloom_digest::of_bits;
use hashloom_manifest::format::Foreign;
use std::fmt::{self, Display};

/// Algorithms that are named.
const NAMED: usize = 8;

/// Digests of a list whose algorithm nothing names: no file matched by any that was tried, and they may be of one
/// that is not here.
#[derive(Debug, Clone, Copy)]
pub struct Tried {
    /// Bits of the digests.
    pub bits: u32,
}

impl Tried {
    /// If hashloom lacks an algorithm of this length.
    pub fn of(bits: u32) -> Option<Tried> {
        Foreign::of_bits(bits).next().map(|_| Tried { bits })
    }
}

impl Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tried: Vec<&str> = of_bits(self.bits).map(|algorithm| algorithm.name).collect();
        let others: Vec<String> = Foreign::of_bits(self.bits).map(|other| other.to_string()).collect();
        write!(
            f,
            "nothing names the algorithm of the digests with {} hexadecimal digits, and no file that was read \
             matches; tried: {}; they may be of {}, which hashloom does not have",
            self.bits / 4,
            tried.join(", "),
            others.join(", ")
        )
    }
}

/// Digests of a list that can't be computed here.
#[derive(Debug, Default)]
pub struct Unsupported {
    number: u64,
    algorithms: Vec<Foreign>,
}

impl Unsupported {
    /// Counts one.
    pub fn add(&mut self, algorithm: Foreign) {
        self.number += 1;
        if self.algorithms.len() < NAMED && !self.algorithms.contains(&algorithm) {
            self.algorithms.push(algorithm);
        }
    }

    /// Whether there is one.
    pub fn any(&self) -> bool {
        self.number > 0
    }
}

impl Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digests = count(self.number, "digest is", "digests are");
        let names: Vec<String> = self.algorithms.iter().map(Foreign::to_string).collect();
        write!(f, "WARNING: {digests} unsupported: hashloom does not have {}", names.join(", "))
    }
}
