//! The five algorithms of these commands, in the order in which hashdeep lists, computes and searches
//! them, and sets of them.

use hashloom_digest::find;

/// One of hashdeep's algorithms: its place in [`NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Algorithm(u8);

/// Names as they stand in headers, `-c` and the commands' own names, with the bits of the digests.
const NAMES: [(&str, usize); 5] =
    [("md5", 128), ("sha1", 160), ("sha256", 256), ("tiger", 192), ("whirlpool", 512)];

/// How many there are.
pub const COUNT: usize = NAMES.len();

impl Algorithm {
    /// MD5, for which alone some formats of known hashes exist.
    pub const MD5: Algorithm = Algorithm(0);

    /// All, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Algorithm> {
        (0..COUNT as u8).map(Algorithm)
    }

    /// The algorithm of this name in lower case. Dashes do not count. An empty name is MD5: an accident of
    /// hashdeep's that lists such as `sha1,,tiger` show.
    pub fn named(name: &[u8]) -> Option<Algorithm> {
        let plain: Vec<u8> = name.iter().filter(|byte| **byte != b'-').map(u8::to_ascii_lowercase).collect();
        if plain.is_empty() {
            return Some(Algorithm::MD5);
        }
        Algorithm::all().find(|algorithm| algorithm.name().as_bytes() == plain)
    }

    /// The name in lower case.
    pub fn name(self) -> &'static str {
        NAMES[self.index()].0
    }

    /// Hexadecimal digits of a digest.
    pub fn digits(self) -> usize {
        NAMES[self.index()].1 / 4
    }

    /// Bytes of a digest.
    pub fn bytes(self) -> usize {
        NAMES[self.index()].1 / 8
    }

    /// The place in the order.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The row of the registry.
    pub fn row(self) -> &'static hashloom_digest::Algorithm {
        // The test below looks every name up.
        find(self.name()).unwrap_or_else(|unknown| unreachable!("{unknown}"))
    }
}

/// A set of algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AlgorithmSet(u8);

impl AlgorithmSet {
    /// What hashdeep computes unless told otherwise.
    pub const DEFAULT: AlgorithmSet = AlgorithmSet(0b101);

    /// None.
    pub const NONE: AlgorithmSet = AlgorithmSet(0);

    /// Only this.
    pub fn only(algorithm: Algorithm) -> AlgorithmSet {
        let mut algorithms = AlgorithmSet::NONE;
        algorithms.insert(algorithm);
        algorithms
    }

    /// Adds an algorithm.
    pub fn insert(&mut self, algorithm: Algorithm) {
        self.0 |= 1 << algorithm.0;
    }

    /// Whether the algorithm is in it.
    pub fn contains(self, algorithm: Algorithm) -> bool {
        self.0 & 1 << algorithm.0 != 0
    }

    /// Its algorithms, in order.
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
