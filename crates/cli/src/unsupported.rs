//! Digests of a list that can't be computed here: how many there are, and of which algorithms.

use crate::message::{self, count};
use hashloom_manifest::format::Foreign;
use std::fmt::Display;

/// Algorithms that are named.
const NAMED: usize = 8;

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
