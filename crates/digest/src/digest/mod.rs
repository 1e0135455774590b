//! A finished digest: its bytes, its length, and its text.

pub(crate) mod hex;

use std::fmt;

/// The maximum size of a digest in bytes (512 bits).
pub const MAX_BYTES: usize = 64;

/// The digest of a message: up to [`MAX_BYTES`] bytes, stored inline.
///
/// Integers (checksums) are stored most significant byte first, as their tools print them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest {
    bytes: [u8; MAX_BYTES],
    len: u8,
}

/// The reason why a text is not a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadDigest {
    /// The text has this many hexadecimal digits, which is odd, or more than any digest has.
    Length(usize),
    /// The byte at this offset is not a hexadecimal digit.
    Character(usize),
    /// It is not a decimal number that fits the algorithm.
    Number,
    /// It is not this kind of text.
    Text(&'static str),
}

impl Digest {
    /// Creates a digest of these bytes.
    ///
    /// # Panics
    /// If there are more than [`MAX_BYTES`].
    pub fn new(value: &[u8]) -> Self {
        let mut bytes = [0; MAX_BYTES];
        bytes[..value.len()].copy_from_slice(value);
        Digest { bytes, len: value.len() as u8 }
    }

    /// Reads hexadecimal text in either case.
    ///
    /// # Errors
    /// [`BadDigest`] says what is wrong and where.
    pub fn from_hex(text: &[u8]) -> Result<Self, BadDigest> {
        let mut bytes = [0; MAX_BYTES];
        let fits = text.len().is_multiple_of(2) && !text.is_empty() && text.len() <= 2 * MAX_BYTES;
        if fits && hex::decode(text, &mut bytes) {
            return Ok(Digest { bytes, len: (text.len() / 2) as u8 });
        }
        match text.iter().position(|byte| !byte.is_ascii_hexdigit()) {
            Some(at) => Err(BadDigest::Character(at)),
            None => Err(BadDigest::Length(text.len())),
        }
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Returns the number of bits.
    pub fn bits(&self) -> u32 {
        u32::from(self.len) * 8
    }
}

/// Writes lower-case hexadecimal.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0; 2 * MAX_BYTES];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.as_bytes()) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        f.pad(str::from_utf8(&text[..2 * usize::from(self.len)]).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for BadDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadDigest::Length(digits) => write!(f, "a digest can't have {digits} hexadecimal digits"),
            BadDigest::Character(at) => write!(f, "character {} is not a hexadecimal digit", at + 1),
            BadDigest::Number => write!(f, "not a decimal checksum"),
            BadDigest::Text(kind) => write!(f, "not {kind}"),
        }
    }
}

impl std::error::Error for BadDigest {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips_in_either_case() {
        let digest = Digest::new(&[0x00, 0xff, 0x1a]);
        assert_eq!(digest.to_string(), "00ff1a");
        assert_eq!(Digest::from_hex(b"00fF1A"), Ok(digest));
    }

    #[test]
    fn bad_text_says_where() {
        assert_eq!(Digest::from_hex(b"0g"), Err(BadDigest::Character(1)));
        assert_eq!(Digest::from_hex(b"abc"), Err(BadDigest::Length(3)));
        assert_eq!(Digest::from_hex(b""), Err(BadDigest::Length(0)));
        assert_eq!(Digest::from_hex(&[b'0'; 130]), Err(BadDigest::Length(130)));
        for byte in (0..=255_u8).filter(|byte| !byte.is_ascii_hexdigit()) {
            for at in 0..32 {
                let mut text = *b"00112233445566778899aAbBcCdDeEfF";
                text[at] = byte;
                assert_eq!(Digest::from_hex(&text), Err(BadDigest::Character(at)), "{byte}");
            }
        }
    }
}
