//! Digests of other tools that can't be computed here: their algorithm or length is not in the registry. They are
//! neither mismatches nor malformed lines.

use hashloom_digest::{ALGORITHMS, Algorithm};
use std::fmt;

/// What a digest is of that can't be computed here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// An algorithm that is not here, by its usual name.
    Named {
        /// The name.
        name: &'static str,
        /// Bits of its digests.
        bits: u32,
    },
    /// An algorithm that is here, but not with digests of this length.
    Sized {
        /// Its name without a length.
        family: &'static str,
        /// Bits of the digest.
        bits: u32,
    },
}

/// An algorithm that is not here.
struct Row {
    name: &'static str,
    bits: u32,
    /// Names besides its own, as [`bare`] gives them.
    aliases: &'static [&'static str],
}

const fn row(name: &'static str, bits: u32, aliases: &'static [&'static str]) -> Row {
    Row { name, bits, aliases }
}

/// Algorithms of rhash, OpenSSL and others that are not here.
const ROWS: &[Row] = &[
    row("MD2", 128, &[]),
    row("MD4", 128, &[]),
    row("ED2K", 128, &["edonkey", "emule", "ed2khash"]),
    row("SNEFRU-128", 128, &["snefru"]),
    row("RIPEMD-128", 128, &["rmd128"]),
    row("MDC-2", 128, &[]),
    row("SHA-0", 160, &[]),
    row("AICH", 160, &[]),
    row("BTIH", 160, &["bittorrent"]),
    row("HAS-160", 160, &[]),
    row("TTH", 192, &["treetiger", "tigertree"]),
    row("TIGER2", 192, &[]),
    // What rhash wrote before it knew the later standard. A row of the registry has the name, too, where a user types it.
    row("GOST94", 256, &["gost", "mdgost94"]),
    row("GOST94-CRYPTOPRO", 256, &["gostcryptopro"]),
    row("SNEFRU-256", 256, &[]),
    row("EDON-R256", 256, &[]),
    row("RIPEMD-256", 256, &["rmd256"]),
    row("KECCAK-256", 256, &[]),
    row("SKEIN-256", 256, &["skein512256"]),
    row("MD5-SHA1", 288, &[]),
    row("RIPEMD-320", 320, &["rmd320"]),
    row("EDON-R512", 512, &[]),
    row("KECCAK-512", 512, &[]),
    row("SKEIN-512", 512, &["skein512512"]),
];

/// An algorithm whose digests may have many lengths.
struct Family {
    name: &'static str,
    /// How its rows in the registry are named.
    rows: &'static [&'static str],
    /// What stands before a number of bits in tags, as [`bare`] gives it.
    tags: &'static [&'static str],
    /// The most bits.
    most: u32,
}

const FAMILIES: &[Family] = &[
    Family { name: "BLAKE2b", rows: &["blake2b-512", "blake2b-256"], tags: &["blake2b"], most: 512 },
    Family { name: "BLAKE2s", rows: &["blake2s-256"], tags: &["blake2s"], most: 256 },
    Family { name: "BLAKE3", rows: &["blake3"], tags: &["blake3"], most: u32::MAX },
    Family { name: "SHA-512/", rows: &["sha512-256"], tags: &["sha512", "sha2512", "sha512t"], most: 504 },
    Family { name: "SHAKE128", rows: &["shake128"], tags: &["shake128"], most: u32::MAX },
    Family { name: "SHAKE256", rows: &["shake256"], tags: &["shake256"], most: u32::MAX },
    Family { name: "KangarooTwelve", rows: &["kangarootwelve"], tags: &["kangarootwelve"], most: u32::MAX },
];

/// The fewest bits of a digest that anybody would write.
const LEAST: u32 = 8;

/// No name of an algorithm is longer.
const LONGEST: usize = 24;

/// Digits of a TTH and of an AICH or BTIH in base32.
const TTH: usize = 39;
const AICH: usize = 32;

impl Foreign {
    /// The algorithm that a tag, a column or a word in a file's name stands for, if it is not here.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        if name.len() > LONGEST {
            return None;
        }
        let wanted = bare(name);
        let known = |row: &&Row| bare(row.name) == wanted || row.aliases.contains(&wanted.as_str());
        let sized = || FAMILIES.iter().find_map(|family| family.sized(&wanted));
        ROWS.iter().find(known).map(Row::foreign).or_else(sized)
    }

    /// The algorithms that are not here and have digests of this many bits.
    pub fn of_bits(bits: u32) -> impl Iterator<Item = Self> {
        let rows = ROWS.iter().filter(move |row| row.bits == bits).map(Row::foreign);
        // Tools offer other lengths of the first three.
        let families =
            FAMILIES[..3].iter().filter(move |family| bits <= family.most && family.row(bits).is_none());
        rows.chain(families.map(move |family| Foreign::Sized { family: family.name, bits }))
    }

    /// What a digest is of that is in base32, as some that rhash writes always are.
    pub(crate) fn of_base32(text: &[u8]) -> Option<Self> {
        let name = match text.len() {
            TTH => "TTH",
            AICH => "AICH",
            _ => return None,
        };
        let letters = text.iter().all(u8::is_ascii_lowercase) || text.iter().all(u8::is_ascii_uppercase);
        if letters || text.iter().all(u8::is_ascii_hexdigit) || !is_base32(text) {
            return None;
        }
        Foreign::of_name(name)
    }

    /// The bits of its digests.
    fn bits(self) -> u32 {
        match self {
            Foreign::Named { bits, .. } | Foreign::Sized { bits, .. } => bits,
        }
    }

    /// Whether a text has the length and the digits of such a digest.
    pub(crate) fn fits(self, text: &[u8]) -> bool {
        let bits = self.bits() as usize;
        let hex = text.len() == bits / 4 && text.iter().all(u8::is_ascii_hexdigit);
        hex || text.len() == bits.div_ceil(5) && is_base32(text)
    }
}

impl Row {
    fn foreign(&self) -> Foreign {
        Foreign::Named { name: self.name, bits: self.bits }
    }
}

impl Family {
    /// `blake2b128`: a tag with a length that is not here.
    fn sized(&self, tag: &str) -> Option<Foreign> {
        let bits: u32 = self.tags.iter().find_map(|name| tag.strip_prefix(name)?.parse().ok())?;
        let fits = bits.is_multiple_of(8) && (LEAST..=self.most).contains(&bits) && self.row(bits).is_none();
        fits.then_some(Foreign::Sized { family: self.name, bits })
    }

    /// The row of the registry that has digests of this many bits.
    fn row(&self, bits: u32) -> Option<&'static Algorithm> {
        ALGORITHMS.iter().find(|row| self.rows.contains(&row.name) && row.bits == bits)
    }
}

/// What a digest is of that has another length than the algorithm which is named for it: the algorithm may be one that
/// gives digests of many lengths. None if it is not.
pub(crate) fn relative(algorithm: &Algorithm, text: &[u8]) -> Option<Result<&'static Algorithm, Foreign>> {
    let family = FAMILIES.iter().find(|family| family.rows.contains(&algorithm.name))?;
    let bits = u32::try_from(text.len()).ok()?.checked_mul(4)?;
    let fits = bits.is_multiple_of(8) && (LEAST..=family.most).contains(&bits);
    if !fits || bits == algorithm.bits || !text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    Some(family.row(bits).ok_or(Foreign::Sized { family: family.name, bits }))
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

/// Letters and digits alone, in lower case: tools differ in the punctuation of their tags.
pub(super) fn bare(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashloom_digest::find;

    fn name(text: &str) -> Option<String> {
        Foreign::of_name(text).map(|foreign| foreign.to_string())
    }

    #[test]
    fn names_of_other_tools_are_known() {
        for (text, wanted) in [
            ("MD4", "MD4"),
            ("ed2k", "ED2K"),
            ("HAS-160", "HAS-160"),
            ("EDON-R512", "EDON-R512"),
            ("GOST", "GOST94"),
            ("GOST94-CRYPTOPRO", "GOST94-CRYPTOPRO"),
            ("BLAKE2b-128", "BLAKE2b-128"),
            ("BLAKE2s-128", "BLAKE2s-128"),
            ("SHA2-512/224", "SHA-512/224"),
            ("BLAKE3-512", "BLAKE3-512"),
            ("tree:tiger", "TTH"),
        ] {
            assert_eq!(name(text).as_deref(), Some(wanted), "{text}");
        }
        for text in ["SHA9", "BLAKE2b", "BLAKE2b-520", "BLAKE2b-12", "SHA-512", "SHA-512/256", "blake2b-256"]
        {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn no_name_of_the_registry_is_foreign() {
        for row in ALGORITHMS {
            for text in row.aliases.iter().chain([&row.name, &row.tag]).filter(|text| **text != "gost") {
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
        assert_eq!(of("blake2b-512", 32).as_deref(), Some("BLAKE2b-128"));
        assert_eq!(of("blake2b-512", 64).as_deref(), Some("blake2b-256"));
        assert_eq!(of("blake2b-512", 128), None);
        assert_eq!(of("blake2b-512", 130), None);
        assert_eq!(of("blake3", 34).as_deref(), Some("BLAKE3-136"));
        assert_eq!(of("blake3", 33), None);
        assert_eq!(of("md5", 40), None);
    }

    #[test]
    fn base32_is_told_from_words() {
        let found = |text: &str| Foreign::of_base32(text.as_bytes()).map(|foreign| foreign.to_string());
        assert_eq!(found("5ic6v5nh2ecns4no3vrjlitplxyb7scm3ebgu5i").as_deref(), Some("TTH"));
        assert_eq!(found("KXFGFBXD4T2PXJOQISBTH6UZ7RNEASTT").as_deref(), Some("AICH"));
        assert_eq!(found("7291db6af45a90d1f945751cb095f193"), None);
        assert_eq!(found("abcdefghijklmnopqrstuvwxyzabcdef"), None);
    }
}
