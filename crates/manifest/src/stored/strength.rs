//! The strength of stored digests as evidence.

use hashmill_digest::{Algorithm, Class};

/// The strength of a store's metadata as evidence of an object's content, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// The store has nothing that could be compared.
    None,
    /// The size alone.
    Size,
    /// A digest that the uploader declared and the store did not check against the bytes.
    Declared,
    /// A checksum of the whole object or of its parts' checksums: it detects accidental changes only.
    Crc,
    /// A digest of the digests of parts.
    Composite,
    /// A digest of the whole content by an algorithm designed as a cryptographic hash.
    Content,
}

impl Strength {
    /// All strengths, weakest first.
    pub const ALL: [Strength; 6] = [
        Strength::None,
        Strength::Size,
        Strength::Declared,
        Strength::Crc,
        Strength::Composite,
        Strength::Content,
    ];

    /// Returns the word used in manifests, options and messages.
    pub fn word(self) -> &'static str {
        match self {
            Strength::None => "none",
            Strength::Size => "size",
            Strength::Declared => "declared",
            Strength::Crc => "crc",
            Strength::Composite => "composite",
            Strength::Content => "content",
        }
    }

    /// Parses the word used in manifests, options and messages.
    pub fn from_word(word: &[u8]) -> Option<Strength> {
        Strength::ALL.into_iter().find(|strength| strength.word().as_bytes() == word)
    }

    /// Returns the strongest evidence that a digest by this algorithm can be.
    pub fn from_algorithm(algorithm: &Algorithm) -> Strength {
        match algorithm.class {
            Class::Checksum | Class::Truncated => Strength::Crc,
            Class::Cryptographic | Class::Broken if algorithm.leaves.is_some() => Strength::Composite,
            Class::Cryptographic | Class::Broken => Strength::Content,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::find;

    #[test]
    fn strengths_have_words_and_an_order() {
        for pair in Strength::ALL.windows(2) {
            assert!(pair[0] < pair[1]);
        }
        for strength in Strength::ALL {
            assert_eq!(Strength::from_word(strength.word().as_bytes()), Some(strength));
        }
        assert_eq!(Strength::from_word(b"CRC"), None);
    }

    #[test]
    fn what_an_algorithm_proves_follows_from_its_kind() {
        for (name, wanted) in [
            ("sha256", Strength::Content),
            ("md5", Strength::Content),
            ("s3-etag:8M", Strength::Composite),
            ("s3-sha256:5M", Strength::Composite),
            ("s3-crc32c:8M", Strength::Crc),
            ("crc64nvme", Strength::Crc),
            ("crc32c", Strength::Crc),
        ] {
            assert_eq!(Strength::from_algorithm(find(name).unwrap()), wanted, "{name}");
        }
    }
}
