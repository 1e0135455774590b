//! Encoding of keys in addresses, and decoding.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};

/// The characters that a part of a key keeps: the unreserved characters of RFC 3986, section 2.3.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Likewise, with slashes between parts.
const PATH: &AsciiSet = &PART.remove(b'/');

/// Encodes a key as the path of an address.
pub(crate) fn path(key: &[u8]) -> String {
    percent_encode(key, PATH).to_string()
}

/// Encodes a key, or a value of a query, as one part of an address.
pub(crate) fn part(text: &[u8]) -> String {
    percent_encode(text, PART).to_string()
}

/// Encodes a query, with its question mark; empty without pairs.
pub(crate) fn query(pairs: &[(String, String)]) -> String {
    let mut text = String::new();
    for (name, value) in pairs {
        text.push(if text.is_empty() { '?' } else { '&' });
        text.push_str(&part(name.as_bytes()));
        text.push('=');
        text.push_str(&part(value.as_bytes()));
    }
    text
}

/// Decodes a key of a listing that escapes keys: as in addresses, or with `+` for blanks, as S3 does.
pub(crate) fn unescaped(text: &str) -> Box<[u8]> {
    let blanks = text.replace('+', " ");
    percent_decode(blanks.as_bytes()).collect::<Vec<u8>>().into()
}

/// Encodes a key as a path in which nothing is resolved, because its slashes are escaped. None if there is no slash.
pub(crate) fn unresolved(key: &[u8]) -> Option<String> {
    key.contains(&b'/').then(|| part(key))
}

/// Returns whether clients would resolve a part of this path.
pub(crate) fn has_dot_segment(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|part| part == b"." || part == b"..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_key_comes_back() {
        for key in [b"a//b/ +%c".as_slice(), "größe/\u{202e}".as_bytes(), b"\x01\xff\n", b"~-_.", b""] {
            assert_eq!(&*unescaped(&path(key)), key);
            assert_eq!(&*unescaped(&part(key)), key);
        }
        assert_eq!(path(b"a/b c"), "a/b%20c");
        assert_eq!(part(b"a/b"), "a%2Fb");
        assert_eq!(&*unescaped("a+b%2B"), b"a b+");
    }

    #[test]
    fn dots_are_resolved_only_as_whole_parts() {
        for (path, is) in
            [("a/../b", true), ("..", true), ("a/.", true), ("a..b/...", false), ("%2e%2e", false)]
        {
            assert_eq!(has_dot_segment(path.as_bytes()), is, "{path}");
        }
    }

    #[test]
    fn queries_are_strictly_escaped() {
        let pairs = [("prefix".to_owned(), "a/b&c".to_owned()), ("uploads".to_owned(), String::new())];
        assert_eq!(query(&pairs), "?prefix=a%2Fb%26c&uploads=");
        assert_eq!(query(&[]), "");
    }
}
