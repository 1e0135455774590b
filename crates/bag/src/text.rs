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
            _ => None,
        }
    }

    /// Decodes bytes.
    ///
    /// # Errors
    /// [`NotText`] with the position of the first bad byte.
    pub fn decode(self, bytes: &[u8]) -> Result<Cow<'_, str>, NotText> {
        match self {
            Encoding::Utf8 => str::from_utf8(bytes)
                .map(Cow::Borrowed)
                .map_err(|error| NotText { offset: error.valid_up_to() }),
            Encoding::Latin1 => Ok(Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect())),
        }
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
        assert_eq!(Encoding::from_name("UTF-16"), None);
    }
}
