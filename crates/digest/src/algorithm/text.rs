//! The notation of digests.

use crate::algorithm::{Algorithm, Class};
use crate::{BadDigest, Digest};

/// The usual notation of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Lower-case hexadecimal, most significant byte first.
    Hex,
    /// An unsigned decimal number (POSIX `cksum`).
    Decimal,
    /// Base64 with padding (RFC 4648, section 4).
    Base64,
    /// Base32 in lower case without padding (RFC 4648, section 6).
    Base32,
    /// Hexadecimal, a hyphen, and the number of parts, which is in the digest's last four bytes.
    HexParts,
    /// Base64, a hyphen, and the number of parts.
    Base64Parts,
    /// Hexadecimal after this name and a colon.
    Named(&'static str),
    /// Base32 after the letter `b`: a content identifier of IPFS (multibase).
    Multibase,
}

/// The encoding of digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Style {
    /// The algorithm's usual text.
    #[default]
    Usual,
    /// S3 (`x-amz-checksum-…`, `Content-MD5`): base64; composite ones as usual.
    S3,
    /// Azure (`x-ms-content-crc64`, `Content-MD5`): base64, with the least significant byte of a CRC first.
    Azure,
}

impl Style {
    /// All styles.
    pub const ALL: [Style; 3] = [Style::Usual, Style::S3, Style::Azure];

    /// Returns the name in options.
    pub fn name(self) -> &'static str {
        match self {
            Style::Usual => "usual",
            Style::S3 => "s3",
            Style::Azure => "azure",
        }
    }

    /// Returns the names of the algorithms for which the system has digests of whole objects.
    fn rows(self) -> &'static [&'static str] {
        match self {
            Style::Usual => &[],
            Style::S3 => &[
                "md5",
                "sha1",
                "sha256",
                "sha512",
                "crc32",
                "crc32c",
                "crc64nvme",
                "xxh64",
                "xxh3",
                "xxh128",
            ],
            Style::Azure => &["md5", "crc64nvme"],
        }
    }
}

/// The bytes of the number of parts at the end of a digest.
const PARTS: usize = 4;

impl Algorithm {
    /// Whether the style can write digests of this algorithm.
    pub fn has(&self, style: Style) -> bool {
        let parts = matches!(self.text, Text::HexParts | Text::Base64Parts);
        style == Style::Usual || style == Style::S3 && parts || style.rows().contains(&self.name)
    }

    /// Writes the digest in this style; in the usual notation if the style has none.
    pub fn format_in(&self, style: Style, digest: &Digest) -> String {
        if !style.rows().contains(&self.name) {
            return self.format(digest);
        }
        BASE64.encode(self.turned(style, digest).as_bytes())
    }

    /// Reads the output of [`Algorithm::format_in`]. The usual style accepts that of S3, too, as it can't be mistaken
    /// for hexadecimal; Azure's must be named.
    ///
    /// # Errors
    /// As [`Algorithm::parse`].
    pub fn parse_in(&self, style: Style, text: &[u8]) -> Result<Digest, BadDigest> {
        if style != Style::Azure || !style.rows().contains(&self.name) {
            return self.parse(text);
        }
        let digest = decoded(BASE64.decode(text), "a digest in base64")?;
        let digest = (digest.bits() == self.bits).then_some(digest).ok_or(BadDigest::Length(text.len()))?;
        Ok(self.turned(style, &digest))
    }

    /// Converts between the usual byte order and that of the style.
    fn turned(&self, style: Style, digest: &Digest) -> Digest {
        if style != Style::Azure || self.class != Class::Checksum {
            return *digest;
        }
        let bytes: Vec<u8> = digest.as_bytes().iter().rev().copied().collect();
        Digest::new(&bytes)
    }

    /// Whether a text has the length of this digest in base64, if S3 uses that.
    fn is_base64(&self, text: &[u8]) -> bool {
        let bytes = (self.bits / 8) as usize;
        Style::S3.rows().contains(&self.name)
            && text.len() == bytes.div_ceil(3) * 4
            && (text.len() != 2 * bytes || text.ends_with(b"="))
    }

    /// Writes the digest in the algorithm's usual notation.
    pub fn format(&self, digest: &Digest) -> String {
        let bytes = digest.as_bytes();
        match self.text {
            Text::Hex => digest.to_string(),
            Text::Decimal => number(bytes).to_string(),
            Text::Base64 => BASE64.encode(bytes),
            Text::Base32 => BASE32.encode(bytes),
            Text::HexParts => with_parts(bytes, |digest| Digest::new(digest).to_string()),
            Text::Base64Parts => with_parts(bytes, |digest| BASE64.encode(digest)),
            Text::Named(name) => format!("{name}:{digest}"),
            Text::Multibase => format!("b{}", BASE32.encode(bytes)),
        }
    }

    /// Reads the algorithm's usual notation. Hexadecimal and base32 may be in either case. Digests that are usually in
    /// base32 or after a name may be plain hexadecimal. S3's base64 is accepted for its algorithms.
    ///
    /// # Errors
    /// [`BadDigest`] if the text or its length is wrong.
    pub fn parse(&self, text: &[u8]) -> Result<Digest, BadDigest> {
        let digest = match self.text {
            Text::Hex if self.is_base64(text) => decoded(BASE64.decode(text), "a digest in base64")?,
            Text::Hex => Digest::from_hex(text)?,
            Text::Decimal => return self.decimal(text),
            Text::Base64 => decoded(BASE64.decode(text), "a digest in base64")?,
            Text::Base32 if 4 * text.len() == self.bits as usize => Digest::from_hex(text)?,
            Text::Base32 => decoded(BASE32.decode(text), "a digest in base32")?,
            Text::HexParts => {
                parts(text, |text| Digest::from_hex(text).map(|digest| digest.as_bytes().to_vec()))?
            }
            Text::Base64Parts => {
                parts(text, |text| BASE64.decode(text).ok_or(BadDigest::Text("a digest in base64")))?
            }
            Text::Named(name) => {
                let rest = text.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b":"));
                Digest::from_hex(rest.unwrap_or(text))?
            }
            Text::Multibase => {
                let rest = text.strip_prefix(b"b").or(text.strip_prefix(b"B"));
                decoded(rest.and_then(|rest| BASE32.decode(rest)), "a content identifier in base32")?
            }
        };
        (digest.bits() == self.bits).then_some(digest).ok_or(BadDigest::Length(text.len()))
    }

    /// Returns the bits of the digest itself, without the number of parts or the head of an identifier.
    pub fn digest_bits(&self) -> u32 {
        match self.text {
            Text::HexParts | Text::Base64Parts | Text::Multibase => self.bits - 8 * PARTS as u32,
            _ => self.bits,
        }
    }

    fn decimal(&self, text: &[u8]) -> Result<Digest, BadDigest> {
        let value: u64 = decimal(text).ok_or(BadDigest::Number)?;
        let bytes = value.to_be_bytes();
        let unused = 8 - (self.bits / 8) as usize;
        let fits = bytes[..unused].iter().all(|byte| *byte == 0);
        fits.then(|| Digest::new(&bytes[unused..])).ok_or(BadDigest::Number)
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn decimal<N: std::str::FromStr>(text: &[u8]) -> Option<N> {
    let plain = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    plain.then(|| str::from_utf8(text).ok()?.parse().ok()).flatten()
}

fn with_parts(bytes: &[u8], text: impl Fn(&[u8]) -> String) -> String {
    let (digest, count) = bytes.split_at(bytes.len() - PARTS);
    format!("{}-{}", text(digest), number(count))
}

fn parts(text: &[u8], read: impl Fn(&[u8]) -> Result<Vec<u8>, BadDigest>) -> Result<Digest, BadDigest> {
    const LACK: BadDigest = BadDigest::Text("a digest, a hyphen and a number of parts");
    let hyphen = text.iter().rposition(|byte| *byte == b'-').ok_or(LACK)?;
    let count = Some(&text[hyphen + 1..]).filter(|count| !count.starts_with(b"0"));
    let count: u32 = count.and_then(decimal).ok_or(LACK)?;
    let mut bytes = read(&text[..hyphen])?;
    bytes.extend(count.to_be_bytes());
    decoded(Some(bytes), "a digest of this length")
}

fn decoded(bytes: Option<Vec<u8>>, kind: &'static str) -> Result<Digest, BadDigest> {
    let bytes = bytes.filter(|bytes| bytes.len() <= crate::MAX_BYTES);
    bytes.map(|bytes| Digest::new(&bytes)).ok_or(BadDigest::Text(kind))
}

/// An encoding of RFC 4648.
struct Base {
    /// Bits of a digit.
    bits: u32,
    digits: &'static [u8],
    /// Digits of a group, padded by `=`; 1 without padding.
    group: usize,
}

const BASE64: Base =
    Base { bits: 6, digits: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", group: 4 };
const BASE32: Base = Base { bits: 5, digits: b"abcdefghijklmnopqrstuvwxyz234567", group: 1 };

impl Base {
    fn encode(&self, bytes: &[u8]) -> String {
        let mut text = String::new();
        let (mut held, mut count) = (0_u32, 0);
        let mut put = |held: u32| text.push(char::from(self.digits[held as usize & (self.digits.len() - 1)]));
        for byte in bytes {
            held = held << 8 | u32::from(*byte);
            count += 8;
            while count >= self.bits {
                count -= self.bits;
                put(held >> count);
            }
        }
        if count > 0 {
            put(held << (self.bits - count));
        }
        while !text.len().is_multiple_of(self.group) {
            text.push('=');
        }
        text
    }

    /// Decodes a text in its only valid encoding; base32 in either case.
    fn decode(&self, text: &[u8]) -> Option<Vec<u8>> {
        let (mut bytes, mut held, mut count) = (Vec::new(), 0_u32, 0);
        let filling = text.iter().rev().take_while(|byte| **byte == b'=').count();
        for byte in &text[..text.len() - filling] {
            let digit = if self.bits == 5 { byte.to_ascii_lowercase() } else { *byte };
            held = held << self.bits | self.digits.iter().position(|known| *known == digit)? as u32;
            count += self.bits;
            if count >= 8 {
                count -= 8;
                bytes.push((held >> count) as u8);
                held &= (1 << count) - 1;
            }
        }
        let again = self.encode(&bytes);
        again.as_bytes().eq_ignore_ascii_case(text).then_some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ALGORITHMS, hash};

    /// RFC 4648, section 10.
    const EXAMPLES: [(&str, &str, &str); 7] = [
        ("", "", ""),
        ("f", "Zg==", "my"),
        ("fo", "Zm8=", "mzxq"),
        ("foo", "Zm9v", "mzxw6"),
        ("foob", "Zm9vYg==", "mzxw6yq"),
        ("fooba", "Zm9vYmE=", "mzxw6ytb"),
        ("foobar", "Zm9vYmFy", "mzxw6ytboi"),
    ];

    #[test]
    fn encodings_are_those_of_the_standard() {
        for (plain, base64, base32) in EXAMPLES {
            assert_eq!(BASE64.encode(plain.as_bytes()), base64);
            assert_eq!(BASE32.encode(plain.as_bytes()), base32);
            assert_eq!(BASE64.decode(base64.as_bytes()).unwrap(), plain.as_bytes());
            assert_eq!(BASE32.decode(base32.to_uppercase().as_bytes()).unwrap(), plain.as_bytes());
        }
        for wrong in ["Zg", "Zg=", "Zh==", "Z", "Zg==Zg==", "Z-==", "===="] {
            assert_eq!(BASE64.decode(wrong.as_bytes()), None, "{wrong}");
        }
        for wrong in ["mz", "m1", "m", "my======"] {
            assert_eq!(BASE32.decode(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn every_row_reads_what_it_writes_and_nothing_shorter() {
        for row in ALGORITHMS {
            for message in [&b""[..], b"abc", &[7; 100_000]] {
                let digest = hash(row, message);
                let text = row.format(&digest);
                assert_eq!(row.parse(text.as_bytes()), Ok(digest), "{text}");
                if row.text != Text::Decimal {
                    assert!(row.parse(&text.as_bytes()[..text.len() / 2]).is_err(), "{text}");
                }
            }
        }
    }

    #[test]
    fn styles_are_those_of_the_stores() {
        // The check value of CRC-64/NVME, and the MD5 and CRC-32C of the same nine digits, in the notation of S3 and
        // Azure.
        for (name, style, text) in [
            ("crc64nvme", Style::S3, "rosUhgp5mIg="),
            ("crc64nvme", Style::Azure, "iJh5CoYUi64="),
            ("crc64nvme", Style::Usual, "ae8b14860a799888"),
            ("md5", Style::Azure, "JfnnlDI7RTiF9RgfG2JNCw=="),
            ("crc32c", Style::S3, "4waSgw=="),
        ] {
            let row = crate::find(name).unwrap();
            let digest = hash(row, b"123456789");
            assert_eq!(row.format_in(style, &digest), text, "{name}");
            assert_eq!(row.parse_in(style, text.as_bytes()), Ok(digest), "{name}");
        }
        for row in ALGORITHMS {
            let digest = hash(row, b"abc");
            for style in Style::ALL.into_iter().filter(|style| row.has(*style)) {
                let text = row.format_in(style, &digest);
                assert_eq!(row.parse_in(style, text.as_bytes()), Ok(digest), "{text}");
                assert!(style == Style::Azure || row.parse(text.as_bytes()) == Ok(digest), "{text}");
            }
        }
        let crc = crate::find("crc64nvme").unwrap();
        assert!(crc.parse_in(Style::Azure, b"ae8b14860a799888").is_err(), "hexadecimal is not Azure's");
        assert!(!crate::find("blake3").unwrap().has(Style::S3));
        assert!(crate::find("s3-sha256:5M").unwrap().has(Style::S3));
    }

    #[test]
    fn a_number_of_parts_is_one_without_zeros_before_it() {
        let etag = crate::find("s3-etag").unwrap();
        assert!(etag.parse(b"d41d8cd98f00b204e9800998ecf8427e-12").is_ok());
        for wrong in ["", "-1", "d41d8cd98f00b204e9800998ecf8427e", "d41d8cd98f00b204e9800998ecf8427e-01"] {
            assert!(etag.parse(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(etag.parse(b"d41d8cd98f00b204e9800998ecf8427e-99999999999").is_err());
    }
}
