//! Digests of a list that can't be computed here: their number and their algorithms.

use hashmill_digest::{ALGORITHMS, Algorithm, Text, guesses};
use hashmill_manifest::format::Foreign;
use hashmill_terminal::count;
use std::fmt::{self, Display};

/// Limit of algorithms that messages name.
const NAMED: usize = 8;

/// Digests of a list that names no algorithm: no file matched by any algorithm that is guessed, if any is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tried {
    /// Number of bits of the digests.
    pub bits: u32,
    /// An algorithm that is not guessed by which files match.
    pub fits: Option<&'static str>,
    /// Whether lines of the list have several digests, so that one name is not enough.
    pub has_several: bool,
}

/// Returns the algorithms with digests of this many bits that are not guessed.
pub(crate) fn others(bits: u32) -> impl Iterator<Item = &'static Algorithm> {
    let guesses = guesses(bits);
    let of_bits = ALGORITHMS.iter().filter(move |row| row.bits == bits && row.text == Text::Hex);
    of_bits.filter(move |row| !guesses.contains(row))
}

impl Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |all: &mut dyn Iterator<Item = &'static Algorithm>| {
            all.map(|algorithm| algorithm.name).collect::<Vec<_>>().join(", ")
        };
        let digits = self.bits / 4;
        let guesses = guesses(self.bits);
        write!(f, "nothing names the algorithm of the digests with {digits} hexadecimal digits")?;
        match guesses {
            [] => f.write_str(", and checksums are not guessed")?,
            _ => write!(f, ", and no file that was read matches by {}", names(&mut guesses.iter().copied()))?,
        }
        match self.fits {
            Some(name) if self.has_several => {
                return write!(
                    f,
                    "; files match by {name} (rhash --bsd writes lists that name the algorithms)"
                );
            }
            Some(name) => return write!(f, "; files match by {name}: name it with -c {name}"),
            None => f.write_str("; name it with -c")?,
        }
        let mut others = others(self.bits).peekable();
        if others.peek().is_some() {
            write!(f, " ({})", names(&mut others))?;
        }
        let lacking: Vec<String> = Foreign::of_bits(self.bits).map(|other| other.to_string()).collect();
        match lacking[..] {
            [] => Ok(()),
            _ => write!(f, ", unless it is one that hashmill lacks ({})", lacking.join(", ")),
        }
    }
}

/// Digests of a list that can't be computed here.
#[derive(Debug, Default)]
pub struct Unsupported {
    number: u64,
    algorithms: Vec<Foreign>,
}

impl Unsupported {
    /// Counts a digest.
    pub fn add(&mut self, algorithm: Foreign) {
        self.number += 1;
        if self.algorithms.len() < NAMED && !self.algorithms.contains(&algorithm) {
            self.algorithms.push(algorithm);
        }
    }

    /// Returns whether there are any such digests.
    pub fn any(&self) -> bool {
        self.number > 0
    }
}

impl Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digests = count(self.number, "digest is", "digests are");
        let names: Vec<String> = self.algorithms.iter().map(Foreign::to_string).collect();
        write!(f, "WARNING: {digests} unsupported: hashmill does not have {}", names.join(", "))
    }
}
