//! Guesses the algorithm of a digest without a name.

use crate::algorithm::{Algorithm, Class, Text};
use crate::registry::ALGORITHMS;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Returns the algorithms that an unnamed digest of this many bits may be of, likeliest first. A changed file could be
/// made to fit a checksum or a broken hash, so only cryptographic hashes are included, and MD5 and SHA-1, which are the
/// most common of their lengths. Digests made of leaves are not: for a short message they may equal those of another
/// algorithm.
pub fn guesses(bits: u32) -> &'static [&'static Algorithm] {
    const THOUGH_BROKEN: [&str; 2] = ["md5", "sha1"];
    // For a short message Dropbox's digest equals this one. It would be mistaken for it, and long files would not
    // match.
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
    /// Returns whether an unnamed digest may be of this algorithm: recognised by its form, or guessed by its length.
    pub fn stands_alone(&self) -> bool {
        self.text == Text::Decimal || guesses(self.bits).contains(&self)
    }
}
