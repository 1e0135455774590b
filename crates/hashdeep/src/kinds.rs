//! The five algorithms of these commands, in the order in which hashdeep lists, computes and searches
//! them, and sets of them.

use hashloom_digest::{Algorithm, find};

/// One of hashdeep's algorithms: its place in [`NAMES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind(u8);

/// Names as they stand in headers, `-c` and the commands' own names, with the bits of the digests.
const NAMES: [(&str, usize); 5] =
    [("md5", 128), ("sha1", 160), ("sha256", 256), ("tiger", 192), ("whirlpool", 512)];

/// How many there are.
pub const COUNT: usize = NAMES.len();

impl Kind {
    /// MD5, for which alone some formats of known hashes exist.
    pub const MD5: Kind = Kind(0);

    /// All, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Kind> {
        (0..COUNT as u8).map(Kind)
    }

    /// The kind of this name in lower case. Dashes do not count. An empty name is MD5: an accident of
    /// hashdeep's that lists such as `sha1,,tiger` show.
    pub fn named(name: &[u8]) -> Option<Kind> {
        let plain: Vec<u8> = name.iter().filter(|byte| **byte != b'-').map(u8::to_ascii_lowercase).collect();
        if plain.is_empty() {
            return Some(Kind::MD5);
        }
        Kind::all().find(|kind| kind.name().as_bytes() == plain)
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
    pub fn algorithm(self) -> &'static Algorithm {
        // The test below looks every name up.
        find(self.name()).unwrap_or_else(|unknown| unreachable!("{unknown}"))
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds(u8);

impl Kinds {
    /// What hashdeep computes unless told otherwise.
    pub const DEFAULT: Kinds = Kinds(0b101);

    /// None.
    pub const NONE: Kinds = Kinds(0);

    /// Only this.
    pub fn only(kind: Kind) -> Kinds {
        let mut kinds = Kinds::NONE;
        kinds.insert(kind);
        kinds
    }

    /// Adds a kind.
    pub fn insert(&mut self, kind: Kind) {
        self.0 |= 1 << kind.0;
    }

    /// Whether the kind is in it.
    pub fn contains(self, kind: Kind) -> bool {
        self.0 & 1 << kind.0 != 0
    }

    /// Its kinds, in order.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::all().filter(move |kind| self.contains(*kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_has_every_kind_with_the_right_length() {
        for kind in Kind::all() {
            assert_eq!(kind.algorithm().bits as usize, kind.bytes() * 8, "{kind:?}");
        }
    }

    #[test]
    fn names_are_found_in_any_case_and_with_dashes() {
        assert_eq!(Kind::named(b"SHA-256").map(Kind::name), Some("sha256"));
        assert_eq!(Kind::named(b""), Some(Kind::MD5));
        assert_eq!(Kind::named(b"sha512"), None);
    }

    #[test]
    fn sets_keep_the_order() {
        let mut kinds = Kinds::DEFAULT;
        kinds.insert(Kind(1));
        let names: Vec<_> = kinds.iter().map(Kind::name).collect();
        assert_eq!(names, ["md5", "sha1", "sha256"]);
    }
}
