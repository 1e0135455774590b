//! Digests as cells of tables and as values in JSON have them: in quotes, after `0x` or a tag, in base32, or absent.

use super::left_out::is_digest;
use super::meaning::{Meaning, ValueKind, algorithm, behind_bar};
use hashmill_digest::{Algorithm, Digest, find, of_bits};
use hashmill_manifest::format::{self, Hint};

/// A digest and its algorithm.
pub(super) type NamedDigest = (&'static Algorithm, Digest);

/// A part that can't be read, and why.
pub(super) type Bad = (&'static str, format::Why);

/// Returns the text of a cell without quotes around it, and without the `0x` before a number.
pub(super) fn clean(cell: &[u8]) -> &[u8] {
    let mut text = cell.trim_ascii();
    while let [quote @ (b'"' | b'\''), inner @ .., last] = text {
        if quote != last {
            break;
        }
        text = inner.trim_ascii();
    }
    match text {
        [b'0', b'x' | b'X', digits @ ..] if digits.len() >= 32 => digits,
        _ => text,
    }
}

/// The words for a digest that is not there.
const ABSENT: [&str; 13] =
    ["-", "--", "0", "n/a", "#n/a", "na", "n.a.", "null", "(null)", "none", "nil", "nan", "unknown"];

/// Returns whether a text says that there is no digest. Zeros are of a file that was not read, or of the first lines of
/// an index of The Sleuth Kit, with a number at their end.
pub(super) fn is_absent(text: &[u8]) -> bool {
    let zeros = || text.len() >= 32 && text[..text.len() - 1].iter().all(|byte| *byte == b'0');
    text.is_empty() || ABSENT.iter().any(|word| text.eq_ignore_ascii_case(word.as_bytes())) || zeros()
}

/// Returns whether a text looks like a digest of a known length.
pub(super) fn is_shaped(text: &[u8]) -> bool {
    is_digest(text) && !is_absent(text) || base32(text).is_some()
}

/// Returns the SHA-1 that a text of 32 letters and digits has in base32.
fn base32(text: &[u8]) -> Option<Digest> {
    // The algorithm whose digests are always written so, and as long.
    let aich = || find("aich").ok()?.parse(text).ok();
    if text.len() == 32 && !text.iter().all(u8::is_ascii_hexdigit) { aich() } else { None }
}

/// Reads a digest of this algorithm.
pub(super) fn named(algorithm: &'static Algorithm, text: &[u8]) -> Result<NamedDigest, Bad> {
    let sha1 = if algorithm.name == "sha1" { base32(text) } else { None };
    let digest = sha1.map_or_else(|| algorithm.parse(text), Ok);
    digest.map(|digest| (algorithm, digest)).map_err(|bad| ("digest", format::Why::Digest(bad)))
}

/// Reads digests that nothing but the user or the name of the list names.
#[derive(Clone, Copy)]
pub(super) struct Untagged {
    forced: Option<&'static Algorithm>,
    likely: Option<&'static Algorithm>,
}

impl Untagged {
    /// Takes the user's word, or the name of the list.
    pub fn new(forced: Option<&'static Algorithm>, hint: Hint) -> Self {
        let likely = if let Hint::Name(algorithm) = hint { Some(algorithm) } else { None };
        Untagged { forced, likely }
    }

    /// Reads a digest by its tag (`sha256:…`) or by its length.
    pub fn read(self, text: &[u8]) -> Result<NamedDigest, Bad> {
        if let Some(algorithm) = self.forced {
            return named(algorithm, text);
        }
        if let Some((tag, digits)) = tagged(text) {
            return named(tag, digits);
        }
        if let Some(digest) = base32(text) {
            return Ok((find("sha1").expect("the registry has sha1"), digest));
        }
        let digest = Digest::from_hex(text).map_err(|bad| ("digest", format::Why::Digest(bad)))?;
        let likely = self.likely.filter(|algorithm| algorithm.bits == digest.bits());
        let algorithm = likely.or_else(|| of_bits(digest.bits()).next());
        let none = ("digest", format::Why::NoAlgorithm { digits: text.len() });
        algorithm.map(|algorithm| (algorithm, digest)).ok_or(none)
    }
}

/// The meaning of a cell's text.
pub(super) enum Cell<'k> {
    /// A digest, and whether its length alone named the algorithm.
    Digest(NamedDigest, bool),
    /// It should be a digest, but can't be read.
    Bad(Bad),
    /// It has no digest.
    Nothing,
    /// It is a digest of something else than a file's content.
    NotOfFile,
    /// It looks like a digest, but this kind is unknown.
    Unknown(&'k str),
}

impl<'k> Cell<'k> {
    /// Reads a cell by its meaning, and by the kind that is told beside it.
    pub fn read(meaning: Meaning, kind: Option<&'k str>, text: &[u8], untagged: Untagged) -> Cell<'k> {
        let kind_of = || kind.map(ValueKind::parse);
        let (read, by_length) = match (meaning, is_absent(text)) {
            (_, true) => return Cell::Nothing,
            (Meaning::Of(algorithm), _) => (named(algorithm, text), false),
            (Meaning::Any | Meaning::Value, _) => match (kind_of(), kind) {
                (Some(ValueKind::Of(algorithm)), _) => (named(algorithm, behind_bar(text)), false),
                (Some(ValueKind::NotOfFile), _) => return Cell::NotOfFile,
                (Some(ValueKind::Any), _) => (untagged.read(text), true),
                (_, Some(kind)) if meaning == Meaning::Value && is_shaped(text) => {
                    return Cell::Unknown(kind);
                }
                _ if meaning == Meaning::Value => return Cell::Nothing,
                _ => (untagged.read(text), true),
            },
            (Meaning::NotOfFile, _) => return Cell::NotOfFile,
            _ => return Cell::Nothing,
        };
        read.map_or_else(Cell::Bad, |digest| Cell::Digest(digest, by_length))
    }
}

/// Returns the algorithm before a colon, and the text behind it.
fn tagged(text: &[u8]) -> Option<(&'static Algorithm, &[u8])> {
    let colon = text.iter().position(|byte| *byte == b':')?;
    let tag = str::from_utf8(&text[..colon]).ok()?;
    Some((algorithm(tag)?, text[colon + 1..].trim_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

    #[test]
    fn quotes_and_prefixes_are_taken_off() {
        for cell in ["{}", " \"{}\" ", "'{}'", "\"'{}'\"", "0x{}", "\"0X{}\""] {
            assert_eq!(clean(cell.replace("{}", MD5).as_bytes()), MD5.as_bytes(), "{cell}");
        }
        assert_eq!(clean(b"0x10"), b"0x10");
        assert_eq!(clean(b"\"a'"), b"\"a'");
    }

    #[test]
    fn what_is_absent_is_no_digest() {
        for text in ["", "-", "N/A", "NULL", "0", &"0".repeat(32), &format!("{}1", "0".repeat(40))] {
            assert!(is_absent(text.as_bytes()) && !is_shaped(text.as_bytes()), "{text}");
        }
        assert!(!is_absent(MD5.as_bytes()) && is_shaped(MD5.as_bytes()));
    }

    #[test]
    fn tags_and_lengths_name_algorithms() {
        let untagged = Untagged { forced: None, likely: None };
        let name = |text: &str| untagged.read(text.as_bytes()).map(|(algorithm, _)| algorithm.name).ok();
        assert_eq!(name(MD5), Some("md5"));
        assert_eq!(name(&format!("md5:{MD5}")), Some("md5"));
        assert_eq!(name(&format!("sha1:{MD5}")), None);
        assert_eq!(name("VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5"), Some("sha1"));
        assert_eq!(name("no digest"), None);
        let sha3 = Untagged { likely: find("sha3-256").ok(), ..untagged };
        assert_eq!(sha3.read("a".repeat(64).as_bytes()).unwrap().0.name, "sha3-256");
    }
}
