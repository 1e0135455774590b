//! Standard base64 (RFC 4648, section 4) with padding.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends the encoded bytes.
pub(super) fn encode(bytes: &[u8], text: &mut Vec<u8>) {
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, i| bits << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= three.len() { letter } else { b'=' });
        }
    }
}

/// Decodes a text, or returns the position of an error.
pub(super) fn decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let padding = text.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
    let letters = &text[..text.len() - padding];
    if !text.len().is_multiple_of(4) {
        return Err(text.len());
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for (at, four) in letters.chunks(4).enumerate() {
        let mut bits = 0;
        for i in 0..4 {
            let six = four.get(i).map_or(Some(0), |letter| value(*letter)).ok_or(4 * at + i)?;
            bits = bits << 6 | six;
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    Ok(bytes)
}

fn value(letter: u8) -> Option<u32> {
    let value = match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")]
        {
            let mut written = Vec::new();
            encode(bytes.as_bytes(), &mut written);
            assert_eq!(written, text.as_bytes());
            assert_eq!(decode(text.as_bytes()).unwrap(), bytes.as_bytes());
        }
    }

    #[test]
    fn wrong_texts_say_where() {
        assert_eq!(decode(b"Zm9v!g=="), Err(4));
        assert_eq!(decode(b"Zm9"), Err(3));
        assert_eq!(decode(b"=m9v"), Err(0));
    }
}
