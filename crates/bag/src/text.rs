//! The text encodings of tag files.

use std::borrow::Cow;
use std::fmt;

/// The values of `Tag-File-Character-Encoding`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, and US-ASCII as its subset.
    Utf8,
    /// ISO 8859-1: each byte is the code point of a character.
    Latin1,
    /// UTF-16 of the byte order that a mark tells; big-endian without one.
    Utf16,
    /// UTF-16, big-endian.
    Utf16Be,
    /// UTF-16, little-endian.
    Utf16Le,
}

/// Bytes that are not text in the declared encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotText {
    /// The offset of the first bad byte.
    pub offset: usize,
}

impl Encoding {
    /// Finds a supported encoding by name.
    pub fn from_name(name: &str) -> Option<Encoding> {
        match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" | "us-ascii" | "ascii" => Some(Encoding::Utf8),
            "iso-8859-1" | "iso8859-1" | "latin1" | "latin-1" => Some(Encoding::Latin1),
            "utf-16" | "utf16" => Some(Encoding::Utf16),
            "utf-16be" => Some(Encoding::Utf16Be),
            "utf-16le" => Some(Encoding::Utf16Le),
            _ => None,
        }
    }

    /// Decodes bytes. A byte-order mark of UTF-16 is left out.
    ///
    /// # Errors
    /// [`NotText`] with the position of the first bad byte.
    pub fn decode(self, bytes: &[u8]) -> Result<Cow<'_, str>, NotText> {
        match self {
            Encoding::Utf8 => str::from_utf8(bytes)
                .map(Cow::Borrowed)
                .map_err(|error| NotText { offset: error.valid_up_to() }),
            Encoding::Latin1 => Ok(Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect())),
            Encoding::Utf16 | Encoding::Utf16Be | Encoding::Utf16Le => {
                self.decode_utf16(bytes).map(Cow::Owned)
            }
        }
    }

    fn decode_utf16(self, bytes: &[u8]) -> Result<String, NotText> {
        let (is_little, bytes, mark) = match bytes {
            [0xff, 0xfe, rest @ ..] if self != Encoding::Utf16Be => (true, rest, 2),
            [0xfe, 0xff, rest @ ..] if self != Encoding::Utf16Le => (false, rest, 2),
            _ => (self == Encoding::Utf16Le, bytes, 0),
        };
        let (pairs, odd) = bytes.as_chunks::<2>();
        let unit =
            |pair: &[u8; 2]| if is_little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) };
        let mut text = String::with_capacity(bytes.len() / 2);
        let mut offset = mark;
        for letter in char::decode_utf16(pairs.iter().map(unit)) {
            let letter = letter.map_err(|_| NotText { offset })?;
            offset += letter.len_utf16() * 2;
            text.push(letter);
        }
        if odd.is_empty() { Ok(text) } else { Err(NotText { offset }) }
    }
}

/// Returns the non-empty lines with their numbers from 1. Lines end in LF, CR or CR LF.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let mut rest = text;
    let mut number = 0;
    let next = move || {
        if rest.is_empty() {
            return None;
        }
        number += 1;
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (line, after) = rest.split_at(end);
        let end = if after.starts_with("\r\n") { 2 } else { usize::from(!after.is_empty()) };
        rest = &after[end..];
        Some((number, line))
    };
    std::iter::from_fn(next).filter(|(_, line)| !line.trim().is_empty())
}

impl fmt::Display for NotText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} is not text in the declared encoding", self.offset)
    }
}

impl std::error::Error for NotText {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_in_any_way_and_keep_their_numbers() {
        let found: Vec<_> = lines("a\r\nb\r\rc\n\n d").collect();
        assert_eq!(found, [(1, "a"), (2, "b"), (4, "c"), (6, " d")]);
    }

    #[test]
    fn latin_letters_are_their_numbers() {
        assert_eq!(Encoding::from_name("ISO-8859-1").unwrap().decode(b"\xe9").unwrap(), "é");
        assert_eq!(Encoding::Utf8.decode(b"ab\xff"), Err(NotText { offset: 2 }));
        assert_eq!(Encoding::from_name("UTF-7"), None);
    }

    #[test]
    fn utf_16_is_read_by_its_mark_or_name() {
        let read = |name: &str, bytes: &[u8]| {
            Encoding::from_name(name).unwrap().decode(bytes).map(|text| text.to_string())
        };
        for (name, bytes) in [
            ("UTF-16", &b"\xff\xfea\0\xe9\0\x3d\xd8\0\xde"[..]),
            ("UTF-16", b"\xfe\xff\0a\0\xe9\xd8\x3d\xde\0"),
            ("utf-16be", b"\0a\0\xe9\xd8\x3d\xde\0"),
            ("utf-16le", b"a\0\xe9\0\x3d\xd8\0\xde"),
        ] {
            assert_eq!(read(name, bytes).as_deref(), Ok("aé😀"), "{name}");
        }
        assert_eq!(read("UTF-16", b"\xff\xfea\0\x3d\xd8"), Err(NotText { offset: 4 }));
        assert_eq!(read("UTF-16", b"\0ab"), Err(NotText { offset: 2 }));
    }
}
