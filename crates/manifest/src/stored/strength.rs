//! How strong a proof a stored digest is.

use hashloom_digest::{Algorithm, Class};

/// How strong a proof what a store says of an object is, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strength {
    /// The store says nothing that could be compared.
    None,
    /// The length alone.
    Size,
    /// A digest that whoever uploaded the object named, and that the store did not check against the bytes.
    Declared,
    /// A checksum, of the whole object or of the checksums of its parts: it finds accidents.
    Crc,
    /// A digest of the digests of parts.
    Composite,
    /// A digest of the whole content by an algorithm that was made as a cryptographic hash.
    Content,
}

impl Strength {
    /// All of them, weakest first.
    pub const ALL: [Strength; 6] = [
        Strength::None,
        Strength::Size,
        Strength::Declared,
        Strength::Crc,
        Strength::Composite,
        Strength::Content,
    ];

    /// The word in manifests, options and messages.
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

    /// The strength of this word.
    pub fn from_word(word: &[u8]) -> Option<Strength> {
        Strength::ALL.into_iter().find(|strength| strength.word().as_bytes() == word)
    }

    /// What a digest by this algorithm proves at most.
    pub fn of(algorithm: &Algorithm) -> Strength {
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
    use hashloom_digest::find;

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
            assert_eq!(Strength::of(find(name).unwrap()), wanted, "{name}");
        }
    }
}
