//! Digests of other tools that can't be computed here, because their algorithm or length is not in the registry. They
//! are neither mismatches nor malformed lines.

use hashmill_digest::{ALGORITHMS, Algorithm, find};
use std::fmt;

/// The algorithm of a digest that can't be computed here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// An unsupported algorithm, by its usual name.
    Named {
        /// The name.
        name: &'static str,
        /// The length of its digests in bits.
        bits: u32,
    },
    /// A supported algorithm with an unsupported length.
    Sized {
        /// Its name without a length.
        family: &'static str,
        /// The length of the digest in bits.
        bits: u32,
    },
}

/// An unsupported algorithm.
struct UnsupportedAlgorithm {
    name: &'static str,
    bits: u32,
    /// Other names, as [`bare`] returns them.
    aliases: &'static [&'static str],
}

const fn row(name: &'static str, bits: u32, aliases: &'static [&'static str]) -> UnsupportedAlgorithm {
    UnsupportedAlgorithm { name, bits, aliases }
}

/// Unsupported algorithms of rhash, OpenSSL and others.
const ROWS: &[UnsupportedAlgorithm] = &[
    row("MD2", 128, &[]),
    row("RIPEMD-128", 128, &["rmd128"]),
    row("MDC-2", 128, &[]),
    row("SHA-0", 160, &[]),
    row("TIGER2", 192, &[]),
    row("RIPEMD-256", 256, &["rmd256"]),
    row("KECCAK-256", 256, &[]),
    row("SKEIN-256", 256, &["skein512256"]),
    row("MD5-SHA1", 288, &[]),
    row("RIPEMD-320", 320, &["rmd320"]),
    row("KECCAK-512", 512, &[]),
    row("SKEIN-512", 512, &["skein512512"]),
];

/// An algorithm with digests of many lengths.
struct Family {
    name: &'static str,
    /// The names of its rows in the registry.
    rows: &'static [&'static str],
    /// The prefixes of a number of bits in tags, as [`bare`] returns them.
    tags: &'static [&'static str],
    /// The maximum number of bits.
    most: u32,
    /// Whether tools offer all lengths.
    any: bool,
}

const FAMILIES: &[Family] = &[
    Family {
        name: "BLAKE2b",
        rows: &["blake2b-512", "blake2b-256"],
        tags: &["blake2b"],
        most: 512,
        any: true,
    },
    Family { name: "BLAKE2s", rows: &["blake2s-256"], tags: &["blake2s"], most: 256, any: true },
    Family { name: "BLAKE3", rows: &["blake3"], tags: &["blake3"], most: u32::MAX, any: true },
    Family {
        name: "SHA-512/",
        rows: &["sha512-256"],
        tags: &["sha512", "sha2512", "sha512t"],
        most: 504,
        any: false,
    },
    Family { name: "SHAKE128", rows: &["shake128"], tags: &["shake128"], most: u32::MAX, any: false },
    Family { name: "SHAKE256", rows: &["shake256"], tags: &["shake256"], most: u32::MAX, any: false },
    Family {
        name: "KangarooTwelve",
        rows: &["kangarootwelve"],
        tags: &["kangarootwelve"],
        most: u32::MAX,
        any: false,
    },
];

/// The minimum number of bits of a plausible digest.
const FEWEST_BITS: u32 = 8;

/// The maximum length of an algorithm's name.
const LONGEST_NAME: usize = 24;

impl Foreign {
    /// Returns the names of all unsupported algorithms.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().map(|row| row.name)
    }

    /// Returns the names of the algorithms that are supported in some lengths alone.
    pub fn families() -> impl Iterator<Item = &'static str> {
        FAMILIES.iter().map(|family| family.name.trim_end_matches('/'))
    }

    /// Returns the unsupported algorithm that a tag, a column or a word in a file's name stands for, if any.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let wanted = bare(name);
        let known =
            |row: &&UnsupportedAlgorithm| bare(row.name) == wanted || row.aliases.contains(&wanted.as_str());
        let sized = || FAMILIES.iter().find_map(|family| family.sized(&wanted));
        ROWS.iter().find(known).map(UnsupportedAlgorithm::foreign).or_else(sized)
    }

    /// Returns the unsupported algorithms with digests of this many bits.
    pub fn of_bits(bits: u32) -> impl Iterator<Item = Self> {
        let rows = ROWS.iter().filter(move |row| row.bits == bits).map(UnsupportedAlgorithm::foreign);
        let families = FAMILIES.iter().filter(move |family| family.any && family.row(bits).is_none());
        rows.chain(families.map(move |family| Foreign::Sized { family: family.name, bits }))
    }

    /// Returns the length of its digests in bits.
    fn bits(self) -> u32 {
        match self {
            Foreign::Named { bits, .. } | Foreign::Sized { bits, .. } => bits,
        }
    }

    /// Returns whether a text has the length and the digits of such a digest.
    pub(crate) fn fits(self, text: &[u8]) -> bool {
        let bits = self.bits() as usize;
        let hex = text.len() == bits / 4 && text.iter().all(u8::is_ascii_hexdigit);
        hex || text.len() == bits.div_ceil(5) && is_base32(text)
    }
}

impl UnsupportedAlgorithm {
    fn foreign(&self) -> Foreign {
        Foreign::Named { name: self.name, bits: self.bits }
    }
}

impl Family {
    /// Parses a tag with an unsupported length, such as `blake2b128`.
    fn sized(&self, tag: &str) -> Option<Foreign> {
        let bits: u32 = self.tags.iter().find_map(|name| tag.strip_prefix(name)?.parse().ok())?;
        let fits =
            bits.is_multiple_of(8) && (FEWEST_BITS..=self.most).contains(&bits) && self.row(bits).is_none();
        fits.then_some(Foreign::Sized { family: self.name, bits })
    }

    /// Returns the supported algorithm with digests of this many bits.
    fn row(&self, bits: u32) -> Option<&'static Algorithm> {
        let row = ALGORITHMS.iter().find(|row| self.rows.contains(&row.name) && row.bits == bits);
        let sized = || find(&format!("{}:{}", self.tags[0], bits / 8)).ok();
        row.or_else(|| if self.any { sized() } else { None })
    }
}

/// Finds the algorithm of a digest whose length is not that of the named algorithm: it may belong to a family with
/// digests of many lengths. Returns `None` otherwise.
pub(crate) fn relative(algorithm: &Algorithm, text: &[u8]) -> Option<Result<&'static Algorithm, Foreign>> {
    let bits = u32::try_from(text.len()).ok()?.checked_mul(4)?;
    // This is the case for nearly all lines.
    if bits == algorithm.bits {
        return None;
    }
    let family = FAMILIES.iter().find(|family| family.rows.contains(&algorithm.name))?;
    let fits = bits.is_multiple_of(8) && (FEWEST_BITS..=family.most).contains(&bits);
    if !fits || !text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    Some(family.row(bits).ok_or(Foreign::Sized { family: family.name, bits }))
}

/// Returns whether two algorithms are of one family, which differ in the lengths of their digests.
pub(in crate::format) fn are_relatives(one: &Algorithm, other: &Algorithm) -> bool {
    FAMILIES.iter().any(|family| [one, other].iter().all(|row| family.rows.contains(&row.name)))
}

fn is_base32(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'2'..=b'7'))
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Foreign::Named { name, .. } => f.write_str(name),
            Foreign::Sized { family, bits } if family.ends_with('/') => write!(f, "{family}{bits}"),
            Foreign::Sized { family, bits } => write!(f, "{family}-{bits}"),
        }
    }
}

/// Returns only the letters and digits, in lower case: tools differ in the punctuation of their tags.
pub(in crate::format) fn bare(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Option<String> {
        Foreign::of_name(text).map(|foreign| foreign.to_string())
    }

    #[test]
    fn names_of_other_tools_are_known() {
        for (text, wanted) in [
            ("MD2", "MD2"),
            ("mdc2", "MDC-2"),
            ("SHAKE128-128", "SHAKE128-128"),
            ("SHA2-512/224", "SHA-512/224"),
            ("BLAKE3-1024", "BLAKE3-1024"),
        ] {
            assert_eq!(name(text).as_deref(), Some(wanted), "{text}");
        }
        for text in [
            "SHA9",
            "BLAKE2b-128",
            "MD4",
            "tree:tiger",
            "BLAKE2b",
            "BLAKE2b-520",
            "BLAKE2b-12",
            "SHA-512",
            "SHA-512/256",
            "blake2b-256",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn no_name_of_the_registry_is_foreign() {
        for row in ALGORITHMS {
            for text in row.aliases.iter().chain([&row.name, &row.tag]) {
                assert_eq!(name(text), None, "{text}");
            }
        }
    }

    #[test]
    fn lengths_of_a_family_are_told_apart() {
        let of = |algorithm: &str, digits: usize| {
            let found = relative(find(algorithm).unwrap(), &vec![b'a'; digits]);
            found.map(|found| found.map_or_else(|foreign| foreign.to_string(), |row| row.name.into()))
        };
        assert_eq!(of("blake2b-512", 32).as_deref(), Some("blake2b:16"));
        assert_eq!(of("blake2b-512", 64).as_deref(), Some("blake2b-256"));
        assert_eq!(of("blake2b-512", 128), None);
        assert_eq!(of("blake2b-512", 130), None);
        assert_eq!(of("blake3", 34).as_deref(), Some("blake3:17"));
        assert_eq!(of("blake3", 130).as_deref(), Some("BLAKE3-520"));
        assert_eq!(of("shake256", 32).as_deref(), Some("SHAKE256-128"));
        assert_eq!(of("blake3", 33), None);
        assert_eq!(of("md5", 40), None);
    }
}
