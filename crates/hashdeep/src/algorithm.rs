//! The five algorithms of these commands in hashdeep's order for listing, computing and searching, and sets of them.

use hashmill_digest::find;

/// One of hashdeep's algorithms, as an index into [`NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Algorithm(u8);

/// The names in headers, `-c` and the commands' own names, with the length of the digests in bits.
const NAMES: [(&str, usize); 5] =
    [("md5", 128), ("sha1", 160), ("sha256", 256), ("tiger", 192), ("whirlpool", 512)];

pub const COUNT: usize = NAMES.len();

impl Algorithm {
    /// MD5, the only algorithm of some formats of known hashes.
    pub const MD5: Algorithm = Algorithm(0);

    /// Returns all algorithms in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Algorithm> {
        (0..COUNT as u8).map(Algorithm)
    }

    /// Returns the algorithm with this lowercase name; dashes are ignored. As in hashdeep, an empty name is MD5, which
    /// lists such as `sha1,,tiger` show.
    pub fn named(name: &[u8]) -> Option<Algorithm> {
        let plain: Vec<u8> = name.iter().filter(|byte| **byte != b'-').map(u8::to_ascii_lowercase).collect();
        if plain.is_empty() {
            return Some(Algorithm::MD5);
        }
        Algorithm::all().find(|algorithm| algorithm.name().as_bytes() == plain)
    }

    pub fn name(self) -> &'static str {
        NAMES[self.index()].0
    }

    /// Returns the length of a digest in hexadecimal digits.
    pub fn digits(self) -> usize {
        NAMES[self.index()].1 / 4
    }

    /// Returns the length of a digest in bytes.
    pub fn bytes(self) -> usize {
        NAMES[self.index()].1 / 8
    }

    /// Returns the position in the order.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the row of the registry.
    pub fn row(self) -> &'static hashmill_digest::Algorithm {
        // The test below looks up every name.
        find(self.name()).unwrap_or_else(|unknown| unreachable!("{unknown}"))
    }
}

/// A set of algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AlgorithmSet(u8);

impl AlgorithmSet {
    /// The default algorithms of hashdeep.
    pub const DEFAULT: AlgorithmSet = AlgorithmSet(0b101);

    pub const NONE: AlgorithmSet = AlgorithmSet(0);

    /// Creates a set of one algorithm.
    pub fn only(algorithm: Algorithm) -> AlgorithmSet {
        let mut algorithms = AlgorithmSet::NONE;
        algorithms.insert(algorithm);
        algorithms
    }

    pub fn insert(&mut self, algorithm: Algorithm) {
        self.0 |= 1 << algorithm.0;
    }

    pub fn contains(self, algorithm: Algorithm) -> bool {
        self.0 & 1 << algorithm.0 != 0
    }

    /// Returns the algorithms of the set in order.
    pub fn iter(self) -> impl Iterator<Item = Algorithm> {
        Algorithm::all().filter(move |algorithm| self.contains(*algorithm))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_has_every_kind_with_the_right_length() {
        for algorithm in Algorithm::all() {
            assert_eq!(algorithm.row().bits as usize, algorithm.bytes() * 8, "{algorithm:?}");
        }
    }

    #[test]
    fn names_are_found_in_any_case_and_with_dashes() {
        assert_eq!(Algorithm::named(b"SHA-256").map(Algorithm::name), Some("sha256"));
        assert_eq!(Algorithm::named(b""), Some(Algorithm::MD5));
        assert_eq!(Algorithm::named(b"sha512"), None);
    }

    #[test]
    fn sets_keep_the_order() {
        let mut algorithms = AlgorithmSet::DEFAULT;
        algorithms.insert(Algorithm(1));
        let names: Vec<_> = algorithms.iter().map(Algorithm::name).collect();
        assert_eq!(names, ["md5", "sha1", "sha256"]);
    }
}
