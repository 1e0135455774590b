//! Hexadecimal digits, decoded by a table: lists of digests and the rows of an RDS are mostly this.

use hashloom_digest::{BadDigest, Digest, MAX_BYTES};

/// The digest that a text of hexadecimal digits is.
///
/// # Errors
/// As [`Digest::from_hex`].
pub fn parse_hex(text: &[u8]) -> Result<Digest, BadDigest> {
    let mut bytes = [0; MAX_BYTES];
    let whole = text.len().is_multiple_of(2) && !text.is_empty() && text.len() <= 2 * MAX_BYTES;
    if whole && decode(text, &mut bytes) {
        Ok(Digest::new(&bytes[..text.len() / 2]))
    } else {
        Digest::from_hex(text)
    }
}

/// Decodes pairs of hexadecimal digits; false if some character is none.
pub(crate) fn decode(text: &[u8], bytes: &mut [u8]) -> bool {
    let mut seen = 0;
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let (high, low) = (NIBBLES[usize::from(pair[0])], NIBBLES[usize::from(pair[1])]);
        seen |= high | low;
        *byte = high << 4 | (low & 15);
    }
    seen < 16
}

/// The value of each hexadecimal digit, 255 for all other bytes.
const NIBBLES: [u8; 256] = {
    let mut table = [255; 256];
    let mut value = 0;
    while value < 16 {
        table[b"0123456789abcdef"[value] as usize] = value as u8;
        table[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_read_as_the_slow_way_reads_it() {
        let base = b"00112233445566778899aAbBcCdDeEfF";
        for byte in 0..=255 {
            for at in 0..base.len() {
                let mut text = *base;
                text[at] = byte;
                assert_eq!(parse_hex(&text), Digest::from_hex(&text), "{byte} at {at}");
            }
        }
        for length in 0..150 {
            let text = vec![b'a'; length];
            assert_eq!(parse_hex(&text), Digest::from_hex(&text), "{length}");
        }
    }
}
