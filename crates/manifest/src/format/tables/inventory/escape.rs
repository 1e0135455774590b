//! Decoding of URL-encoded keys.

/// Decodes `%` with two digits to a byte, and `+` to a blank; returns `None` if the text is malformed.
///
/// Source: HTML, "application/x-www-form-urlencoded", the encoding of keys in S3 Inventory.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => 16 * digit(*rest.next()?)? + digit(*rest.next()?)?,
            byte => *byte,
        });
    }
    Some(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone_or_refused() {
        assert_eq!(decode(b"a%20b+c%2Bd/%C3%a9").unwrap(), "a b c+d/\u{e9}".as_bytes());
        for text in [&b"%"[..], b"%2", b"%zz", b"a%", b"%+1"] {
            assert_eq!(decode(text), None, "{}", text.escape_ascii());
        }
    }
}
