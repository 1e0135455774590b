//! The algorithms that are guessed for a digest that nothing names.

use crate::algorithm::{Algorithm, Class, Text};
use crate::registry::ALGORITHMS;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The algorithms that a digest of this many bits may be of if nothing names one, likeliest first. Whoever can write to
/// the files could fit them to a checksum or to a broken hash, and a changed file would pass: so only cryptographic ones
/// are among them, and MD5 and SHA-1, which most lists of their length are of. Digests of parts are not: theirs of a
/// short message may be those of another algorithm.
pub fn guesses(bits: u32) -> &'static [&'static Algorithm] {
    const THOUGH_BROKEN: [&str; 2] = ["md5", "sha1"];
    // Dropbox's digest of a short message is this one: it would be taken for it, and long files would fail.
    const LIKE_OTHERS: [&str; 2] = ["sha256d", "blake3d"];
    static BY_BITS: LazyLock<HashMap<u32, Vec<&'static Algorithm>>> = LazyLock::new(|| {
        let mut by_bits: HashMap<u32, Vec<&'static Algorithm>> = HashMap::new();
        for row in ALGORITHMS {
            let sound = row.class == Class::Cryptographic || THOUGH_BROKEN.contains(&row.name);
            let whole = row.leaves.is_none() && row.of_entry.is_none();
            let alone = row.likely && !LIKE_OTHERS.contains(&row.name);
            if alone && row.text == Text::Hex && sound && whole {
                by_bits.entry(row.bits).or_default().push(row);
            }
        }
        by_bits
    });
    BY_BITS.get(&bits).map_or(&[], Vec::as_slice)
}

impl Algorithm {
    /// Whether a list may have a digest of it that nothing names: it is told by its form, or guessed by its length.
    pub fn stands_alone(&self) -> bool {
        self.text == Text::Decimal || guesses(self.bits).contains(&self)
    }
}
