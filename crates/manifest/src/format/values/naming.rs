//! Determines the algorithm of a digest from its text and from its tag, if there is one.

use super::foreign;
use super::foreign::{Foreign, bare};
use super::hint::Hint;
use crate::Named;
use crate::format::malformed::{Bad, Why};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use hashmill_digest::{ALGORITHMS, Algorithm, Digest, MAX_BYTES, Text, Unknown, find, of_bits};

/// Names the digests of one manifest; remembers results for later lines.
pub(crate) struct Naming {
    hint: Hint,
    /// For each length in bytes, the algorithm chosen before and whether it was guessed.
    lengths: [Option<(&'static Algorithm, bool)>; MAX_BYTES + 1],
    tags: Vec<(Box<[u8]>, Tag)>,
}

/// The meaning of a tag.
#[derive(Clone, Copy)]
enum Tag {
    Known {
        algorithm: &'static Algorithm,
        /// The digest has its least significant byte first (`xxhsum --little-endian`).
        reversed: bool,
    },
    /// An algorithm that can't be computed here.
    Foreign(Foreign),
}

/// The maximum number of tags remembered for one manifest.
const TAGS_KEPT: usize = 64;

impl Naming {
    pub fn new(hint: Hint) -> Self {
        Naming { hint, lengths: [None; MAX_BYTES + 1], tags: Vec::new() }
    }

    /// Names an untagged digest.
    pub fn untagged(&mut self, text: &[u8]) -> Result<Named, Bad> {
        if let Some(rest) = text.strip_prefix(b"XXH3_") {
            return self.tagged(b"XXH3", rest);
        }
        match self.hint {
            Hint::Forced(algorithm) => {
                // Shorter ones would be easier to forge than those that were asked for.
                let is_longer = |row: &&Algorithm| row.bits > algorithm.bits;
                let of_family = foreign::relative(algorithm, text).and_then(Result::ok).filter(is_longer);
                return named(of_family.unwrap_or(algorithm), text);
            }
            Hint::Foreign(foreign) if foreign.fits(text) => return Err(Bad::unsupported(foreign)),
            Hint::Name(algorithm) => match foreign::relative(algorithm, text) {
                Some(Ok(relative)) => return named(relative, text),
                Some(Err(foreign)) => return Err(Bad::unsupported(foreign)),
                None => {}
            },
            _ => {}
        }
        if let Some(algorithm) = of_base32(text) {
            return named(algorithm, text);
        }
        let digest = bytes(text)?;
        let bits = digest.bits();
        let length = (bits / 8) as usize;
        let (algorithm, guessed) = match self.lengths[length] {
            Some(chosen) => chosen,
            None => self.choose(bits)?,
        };
        self.lengths[length] = Some((algorithm, guessed));
        Ok(Named { algorithm, digest, guessed })
    }

    /// Returns whether the list or the user names an algorithm with digests of this many hexadecimal digits.
    pub fn names(&self, digits: usize) -> bool {
        let (Hint::Name(algorithm) | Hint::Forced(algorithm)) = self.hint else { return false };
        4 * digits == algorithm.bits as usize
    }

    fn choose(&self, bits: u32) -> Result<(&'static Algorithm, bool), Bad> {
        if let Some(algorithm) = self.hint.for_bits(bits) {
            return Ok((algorithm, false));
        }
        let likeliest = of_bits(bits).next();
        let digits = (bits / 4) as usize;
        likeliest.map(|algorithm| (algorithm, true)).ok_or(Bad::new("digest", Why::NoAlgorithm { digits }))
    }

    /// Names a digest with an algorithm tag.
    pub fn tagged(&mut self, tag: &[u8], text: &[u8]) -> Result<Named, Bad> {
        let (algorithm, reversed) = match self.tag(tag)? {
            Tag::Known { algorithm, reversed } => (algorithm, reversed),
            Tag::Foreign(foreign) if foreign.fits(text) => return Err(Bad::unsupported(foreign)),
            Tag::Foreign(_) => return Err(Bad::new("digest", Why::Unrecognised)),
        };
        let text = text.strip_prefix(b"XXH3_").unwrap_or(text);
        let mut named = named(algorithm, text)?;
        if reversed {
            let bytes: Vec<u8> = named.digest.as_bytes().iter().rev().copied().collect();
            named.digest = Digest::new(&bytes);
        }
        Ok(named)
    }

    /// Names a digest by a separate algorithm name, by a prefix (`sha256:…`), or by its length.
    pub fn beside(&mut self, algorithm: Option<&[u8]>, text: &[u8]) -> Result<Named, Bad> {
        let colon = memchr::memchr(b':', text);
        match (algorithm, colon) {
            (Some(algorithm), _) => self.tagged(algorithm, text),
            (None, Some(colon)) => self.tagged(&text[..colon], &text[colon + 1..]),
            (None, None) => self.untagged(text),
        }
    }

    /// Takes a comment of the list, which may name the algorithm of the digests that follow.
    pub fn comment(&mut self, text: &[u8]) {
        if matches!(self.hint, Hint::Forced(_)) {
            return;
        }
        let is_first = self.hint == Hint::None && self.lengths.iter().all(Option::is_none);
        let found = match Hint::from_heading(text) {
            Hint::None if is_first => Hint::from_comment(text),
            found => found,
        };
        if found != Hint::None {
            (self.hint, self.lengths) = (found, [None; MAX_BYTES + 1]);
        }
    }

    fn tag(&mut self, tag: &[u8]) -> Result<Tag, Bad> {
        if let Some((_, known)) = self.tags.iter().find(|(text, _)| **text == *tag) {
            return Ok(*known);
        }
        let found = read_tag(tag).map_err(|unknown| Bad::new("tag", Why::Unknown(unknown)))?;
        if self.tags.len() < TAGS_KEPT {
            self.tags.push((tag.into(), found));
        }
        Ok(found)
    }
}

/// Parses a digest of a known algorithm.
pub(crate) fn named(algorithm: &'static Algorithm, text: &[u8]) -> Result<Named, Bad> {
    if algorithm.text != Text::Hex {
        // rclone also writes in hexadecimal those that are usually in base64.
        let other = || bytes(text).ok().filter(|digest| digest.bits() == algorithm.bits);
        let other = || if algorithm.text == Text::Base64 { other() } else { None };
        let digest = algorithm.parse(text).or_else(|bad| other().ok_or(bad));
        let digest = digest.map_err(|bad| Bad::new("digest", Why::Digest(bad)))?;
        return Ok(Named { algorithm, digest, guessed: false });
    }
    if 4 * text.len() != algorithm.bits as usize
        && let Some(Err(foreign)) = foreign::relative(algorithm, text)
    {
        return Err(Bad::unsupported(foreign));
    }
    let digest = match of_length(algorithm, text) {
        Some(digest) => digest,
        None => bytes(text)?,
    };
    if digest.bits() != algorithm.bits {
        return Err(Bad::new("digest", Why::Length { algorithm, digits: text.len() }));
    }
    Ok(Named { algorithm, digest, guessed: false })
}

/// Parses a digest in base64 that has the length of the algorithm's, or one in hexadecimal with colons between its bytes
/// (`openssl dgst -c`).
fn of_length(algorithm: &Algorithm, text: &[u8]) -> Option<Digest> {
    let bytes = algorithm.bits as usize / 8;
    if text.len() + 1 == 3 * bytes && text.iter().skip(2).step_by(3).all(|byte| *byte == b':') {
        let digits: Vec<u8> = text.chunks(3).flat_map(|byte| &byte[..2]).copied().collect();
        return Digest::from_hex(&digits).ok();
    }
    let shaped = text.len() == bytes.div_ceil(3) * 4 && !text.iter().all(u8::is_ascii_hexdigit);
    let decoded = shaped.then(|| URL_SAFE.decode(text).or_else(|_| STANDARD.decode(text)))?.ok()?;
    (decoded.len() == bytes).then(|| Digest::new(&decoded))
}

/// Parses a digest of the algorithm with this name.
pub(crate) fn named_as(name: &str, text: &[u8]) -> Result<Named, Bad> {
    let algorithm = find(name).map_err(|unknown| Bad::new("digest", Why::Unknown(unknown)))?;
    named(algorithm, text)
}

/// Returns the algorithm of a tag.
fn read_tag(tag: &[u8]) -> Result<Tag, Unknown> {
    let text = String::from_utf8_lossy(tag);
    // rhash wrote this tag before it supported the later standard, which is what a user means by the name.
    if text.eq_ignore_ascii_case("gost") {
        return find("gost94").map(|algorithm| Tag::Known { algorithm, reversed: false });
    }
    if let Some(foreign) = Foreign::of_name(&text) {
        return Ok(Tag::Foreign(foreign));
    }
    let (name, reversed) = text.strip_suffix("_LE").map_or((&*text, false), |name| (name, true));
    let wanted = bare(name);
    let by_letters = |row: &&Algorithm| {
        let mut names = row.aliases.iter().chain([&row.name, &row.tag]);
        names.any(|name| bare(name) == wanted)
    };
    let found = if name.contains(':') { None } else { ALGORITHMS.iter().find(by_letters) };
    let algorithm = found.map_or_else(|| find(name), Ok)?;
    Ok(Tag::Known { algorithm, reversed })
}

/// Returns whether a tag is the name of an algorithm, supported or not.
pub(crate) fn is_tag(tag: &[u8]) -> bool {
    read_tag(tag).is_ok()
}

/// Returns whether a text is hexadecimal digits of a possible length.
pub(crate) fn is_hex(text: &[u8]) -> bool {
    (8..=2 * MAX_BYTES).contains(&text.len())
        && text.len().is_multiple_of(2)
        && text.iter().all(u8::is_ascii_hexdigit)
}

/// Returns whether a text has the length of a digest, and digits at its ends: enough to tell it from a tag. The rest is
/// checked when it is decoded.
pub(crate) fn may_be_digest(text: &[u8]) -> bool {
    let ends = [text.first(), text.last()];
    let digits = ends.iter().all(|byte| byte.is_some_and(u8::is_ascii_hexdigit));
    digits && (8..=2 * MAX_BYTES).contains(&text.len()) && text.len().is_multiple_of(2)
}

/// Parses a digest in hexadecimal or base64.
fn bytes(text: &[u8]) -> Result<Digest, Bad> {
    match Digest::from_hex(text) {
        Ok(digest) => Ok(digest),
        Err(bad) => of_base64(text).ok_or(Bad::new("digest", Why::Digest(bad))),
    }
}

/// Parses a digest in base64, with the URL-safe alphabet of `rclone hashsum --base64` or the usual one. It must end
/// with `=` or have the length of a SHA-384, so that no word is taken for a digest.
pub(crate) fn of_base64(text: &[u8]) -> Option<Digest> {
    const SHA384: usize = 64;
    let shaped = text.len().is_multiple_of(4) && (text.ends_with(b"=") || text.len() == SHA384);
    if !shaped || text.len() > MAX_BYTES.div_ceil(3) * 4 || text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let bytes = URL_SAFE.decode(text).or_else(|_| STANDARD.decode(text)).ok()?;
    of_bits(8 * bytes.len() as u32).next().map(|_| Digest::new(&bytes))
}

/// Appends a digest in its algorithm's usual text form.
pub(crate) fn write_digest(named: &Named, line: &mut Vec<u8>) {
    match named.algorithm.text {
        Text::Hex => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            let (bytes, mut text) = (named.digest.as_bytes(), [[0; 2]; MAX_BYTES]);
            for (pair, byte) in text.iter_mut().zip(bytes) {
                *pair = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
            }
            line.extend_from_slice(text[..bytes.len()].as_flattened());
        }
        _ => line.extend_from_slice(named.algorithm.format(&named.digest).as_bytes()),
    }
}

/// The lengths of a TTH and of an AICH in base32.
const TTH: usize = 39;
const AICH: usize = 32;

/// Returns the algorithm of a digest in base32; rhash always writes these two so.
pub(crate) fn of_base32(text: &[u8]) -> Option<&'static Algorithm> {
    let name = match text.len() {
        TTH => "tth",
        AICH => "aich",
        _ => return None,
    };
    let letters = text.iter().all(u8::is_ascii_lowercase) || text.iter().all(u8::is_ascii_uppercase);
    if letters || text.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    find(name).ok().filter(|algorithm| algorithm.parse(text).is_ok())
}

/// Parses a decimal number below 2^64, digits only.
pub(crate) fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 20 {
        return None;
    }
    text.iter().try_fold(0_u64, |sum, byte| {
        let digit = byte.wrapping_sub(b'0');
        let tens = (digit < 10).then(|| sum.checked_mul(10)).flatten()?;
        tens.checked_add(u64::from(digit))
    })
}

pub(crate) fn write_number(value: u64, line: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = value;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_of(tag: &str) -> &'static Algorithm {
        match read_tag(tag.as_bytes()) {
            Ok(Tag::Known { algorithm, .. }) => algorithm,
            Ok(Tag::Foreign(foreign)) => panic!("{tag} is {foreign}"),
            Err(unknown) => panic!("{tag}: {unknown}"),
        }
    }

    #[test]
    fn tags_of_other_tools_are_known() {
        for (tag, name) in [
            ("SHA256", "sha256"),
            ("SHA2-256", "sha256"),
            ("SHA2-512/256", "sha512-256"),
            ("BLAKE2b", "blake2b-512"),
            ("BLAKE2b-256", "blake2b-256"),
            ("BLAKE2S-256", "blake2s-256"),
            ("RMD160", "ripemd160"),
            ("RIPEMD-160", "ripemd160"),
            ("WHIRLPOOL", "whirlpool"),
            ("XXH3", "xxh3"),
            ("SHA3-256", "sha3-256"),
            ("CRC32C", "crc32c"),
            ("GOST12-256", "streebog256"),
            ("GOST", "gost94"),
            ("BLAKE2b-128", "blake2b:16"),
            ("BLAKE3-512", "blake3:64"),
            ("HAS-160", "has160"),
            ("EDON-R512", "edonr512"),
            ("tree:tiger", "tth"),
            ("S3-ETAG:5M", "s3-etag:5M"),
        ] {
            assert_eq!(row_of(tag).name, name);
        }
        assert_eq!(read_tag(b"SHA9").err().map(|unknown| unknown.name).as_deref(), Some("SHA9"));
    }

    #[test]
    fn every_row_is_found_by_its_own_names() {
        for row in ALGORITHMS {
            for name in [row.name, row.tag, &row.name.to_ascii_uppercase()] {
                assert_eq!(row_of(name), row, "{name}");
            }
        }
    }

    #[test]
    fn little_endian_tags_reverse_the_digest() {
        let mut naming = Naming::new(Hint::None);
        let found = naming.tagged(b"XXH64_LE", b"990977adf52cbc44").unwrap();
        assert_eq!(found.digest.to_string(), "44bc2cf5ad770999");
    }

    #[test]
    fn lengths_are_checked_and_guesses_marked() {
        let mut naming = Naming::new(Hint::None);
        let guess = naming.untagged(&[b'a'; 32]).unwrap();
        assert!(guess.guessed && guess.algorithm.bits == 128);
        assert!(naming.untagged(&[b'a'; 34]).is_err());
        assert!(naming.tagged(b"MD5", &[b'a'; 30]).is_err());
        let md5 = find("md5").unwrap();
        let mut forced = Naming::new(Hint::Forced(md5));
        assert!(!forced.untagged(&[b'a'; 32]).unwrap().guessed);
        assert!(forced.untagged(&[b'a'; 40]).is_err());
        let mut learnt = Naming::new(Hint::Name(md5));
        assert!(learnt.untagged(&[b'a'; 40]).unwrap().guessed);
    }

    #[test]
    fn other_lengths_of_an_algorithm_are_told_from_other_algorithms() {
        let foreign = |naming: &mut Naming, text: &[u8]| match naming.untagged(text).map_err(|bad| bad.why) {
            Err(Why::Unsupported { algorithm, .. }) => algorithm.to_string(),
            other => panic!("{other:?}"),
        };
        let (blake2b, blake3) = (find("blake2b-512").unwrap(), find("blake3").unwrap());
        let short = Naming::new(Hint::Name(blake2b)).untagged(&[b'a'; 32]).unwrap();
        assert_eq!((short.algorithm.name, short.guessed), ("blake2b:16", false));
        let short = Naming::new(Hint::Name(blake3)).untagged(&[b'a'; 34]).unwrap();
        assert_eq!((short.algorithm.name, short.guessed), ("blake3:17", false));
        let shake = find("shake128").unwrap();
        assert_eq!(foreign(&mut Naming::new(Hint::Name(shake)), &[b'a'; 32]), "SHAKE128-128");
        assert_eq!(foreign(&mut Naming::new(Hint::Name(blake3)), &[b'a'; 256]), "BLAKE3-1024");
        let short = Naming::new(Hint::Name(blake2b)).untagged(&[b'a'; 64]).unwrap();
        assert_eq!((short.algorithm.name, short.guessed), ("blake2b-256", false));
        assert!(Naming::new(Hint::Name(blake3)).untagged(&[b'a'; 63]).is_err());
    }

    #[test]
    fn base32_is_told_from_words() {
        let found = |text: &str| of_base32(text.as_bytes()).map(|algorithm| algorithm.name);
        assert_eq!(found("5ic6v5nh2ecns4no3vrjlitplxyb7scm3ebgu5i"), Some("tth"));
        assert_eq!(found("KXFGFBXD4T2PXJOQISBTH6UZ7RNEASTT"), Some("aich"));
        assert_eq!(found("7291db6af45a90d1f945751cb095f193"), None);
        assert_eq!(found("abcdefghijklmnopqrstuvwxyzabcdef"), None);
    }

    #[test]
    fn base64_is_told_from_words() {
        let bits = |text: &str| of_base64(text.as_bytes()).map(|digest| digest.bits());
        assert_eq!(bits("h0KPxSKAPTEGXnvOPPA_5HUJZjHl4Hu9eg_eYMTPJcc="), Some(256));
        assert_eq!(bits("h0KPxSKAPTEGXnvOPPA/5HUJZjHl4Hu9eg/eYMTPJcc="), Some(256));
        assert_eq!(bits("9sfyxA=="), Some(32));
        assert_eq!(bits("kAFQmDzST7DWlj99KOF/cg=="), Some(128));
        for text in [
            "Checksum",
            "9sfyxB==",
            "9sfyxA=",
            "====",
            "h0KP",
            "abcdefgh=",
            "h0KPxSKAPTEGXnvOPPA_5HUJZjHl4Hu9eg/eYMTPJcc=",
        ] {
            assert_eq!(bits(text), None, "{text}");
        }
        let found = Naming::new(Hint::None).untagged(b"kAFQmDzST7DWlj99KOF/cg==").unwrap();
        assert_eq!(found.digest.to_string(), "900150983cd24fb0d6963f7d28e17f72");
        let quickxor = find("quickxor").unwrap();
        for text in ["6150000000000000000000000200000000000000", "YVAAAAAAAAAAAAAAAgAAAAAAAAA="] {
            let found = named(quickxor, text.as_bytes()).unwrap();
            assert_eq!(found.digest.to_string(), "6150000000000000000000000200000000000000");
        }
        let sha256 = Naming::new(Hint::Forced(find("sha256").unwrap()));
        assert!({ sha256 }.untagged(b"kAFQmDzST7DWlj99KOF/cg==").is_err());
    }

    #[test]
    fn numbers_are_decimal_and_bounded() {
        for value in [0, 7, 10, u64::MAX] {
            let mut text = Vec::new();
            write_number(value, &mut text);
            assert_eq!(text, value.to_string().into_bytes());
            assert_eq!(number(&text), Some(value));
        }
        for text in ["", "-1", "+1", "1a", "18446744073709551616", "99999999999999999999"] {
            assert_eq!(number(text.as_bytes()), None, "{text}");
        }
    }
}
