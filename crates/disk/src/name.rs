//! Names of entries, as bytes.

use std::borrow::Cow;

/// Returns UTF-16 as UTF-8; a lone surrogate becomes its three bytes, as in WTF-8.
pub fn utf16(units: impl IntoIterator<Item = u16>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for unit in char::decode_utf16(units) {
        match unit {
            Ok(char) => bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => {
                let unit = lone.unpaired_surrogate();
                bytes.extend([
                    0xe0 | (unit >> 12) as u8,
                    0x80 | (unit >> 6 & 0x3f) as u8,
                    0x80 | (unit & 0x3f) as u8,
                ]);
            }
        }
    }
    bytes
}

/// Returns UTF-16 whose least byte comes first as UTF-8; an odd last byte is left out.
pub fn utf16_le(bytes: &[u8]) -> Vec<u8> {
    utf16(bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])))
}

/// Returns whether a name can be a part of a path.
pub(crate) fn is_plain(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && !name.iter().any(|byte| matches!(byte, b'/' | 0))
}

/// Returns a name as a part of a path. In one that can't be, `/` and NUL become U+FFFD, as dots and nothing do.
pub(crate) fn shown(name: &[u8]) -> Cow<'_, [u8]> {
    const REPLACED: &str = "\u{fffd}";
    Cow::Owned(match name {
        _ if is_plain(name) => return Cow::Borrowed(name),
        b"" | b"." | b".." => REPLACED.repeat(name.len().max(1)).into_bytes(),
        _ => {
            let parts: Vec<&[u8]> = name.split(|byte| matches!(byte, b'/' | 0)).collect();
            parts.join(REPLACED.as_bytes())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_keep_their_bits() {
        assert_eq!(utf16("a\u{e4}\u{20ac}\u{1f600}".encode_utf16()), "a\u{e4}\u{20ac}\u{1f600}".as_bytes());
        assert_eq!(utf16([0xd83d, 0x41]), b"\xed\xa0\xbdA");
        assert_eq!(utf16([0xde00]), b"\xed\xb8\x80");
        assert_eq!(utf16_le(b"a\0b\0c"), b"ab");
    }

    #[test]
    fn a_name_that_leads_elsewhere_is_shown_as_one_that_does_not() {
        for (name, expected) in [
            (&b""[..], "\u{fffd}"),
            (b".", "\u{fffd}"),
            (b"..", "\u{fffd}\u{fffd}"),
            (b"a/../b", "a\u{fffd}..\u{fffd}b"),
            (b"a\0b", "a\u{fffd}b"),
        ] {
            assert!(!is_plain(name));
            assert_eq!(*shown(name), *expected.as_bytes());
            assert!(is_plain(&shown(name)));
        }
        assert!(is_plain(b"...") && is_plain(b"a\\b"));
    }
}
