//! Digests of a list that can't be computed here: how many there are, and of which algorithms.

use crate::message::{self, count};
use hashloom_digest::of_bits;
use hashloom_manifest::format::Foreign;
use std::fmt::Display;

/// Algorithms that are named.
const NAMED: usize = 8;

/// Says that digests of a list whose algorithm nothing names may be of one that is not here: no file matched by any that
/// was tried.
pub fn tell_tried(list: &dyn Display, bits: u32) {
    let tried: Vec<&str> = of_bits(bits).map(|algorithm| algorithm.name).collect();
    let others: Vec<String> = Foreign::of_bits(bits).map(|other| other.to_string()).collect();
    if !others.is_empty() {
        message::say(format_args!(
            "{list}: nothing names the algorithm of the digests with {} hexadecimal digits, and no file that was read \
             matches; tried: {}; they may be of {}, which hashloom does not have",
            bits / 4,
            tried.join(", "),
            others.join(", ")
        ));
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

    /// Says how many there are, and of what.
    pub fn tell(&self, list: &dyn Display) {
        if self.any() {
            let digests = count(self.number, "digest is", "digests are");
            let names: Vec<String> = self.algorithms.iter().map(Foreign::to_string).collect();
            let names = names.join(", ");
            message::say(format_args!(
                "{list}: WARNING: {digests} unsupported: hashloom does not have {names}"
            ));
        }
    }
}
