//! Names of members.

/// Returns UTF-16 whose lowest byte comes first as UTF-8; a lone surrogate becomes its three bytes, as in WTF-8.
pub(super) fn utf8(bytes: &[u8]) -> Vec<u8> {
    let units = bytes.chunks_exact(2).filter_map(|pair| pair.try_into().ok().map(u16::from_le_bytes));
    let mut name = Vec::with_capacity(bytes.len() / 2);
    for unit in char::decode_utf16(units) {
        match unit {
            Ok(char) => name.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => {
                let unit = lone.unpaired_surrogate();
                let bits = |shift: u32| (unit >> shift & 0x3f) as u8;
                name.extend([0xe0 | (unit >> 12) as u8, 0x80 | bits(6), 0x80 | bits(0)]);
            }
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_keep_their_bits() {
        let bytes = |units: &[u16]| units.iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<u8>>();
        let text = "a\u{e4}\u{20ac}\u{1f600}";
        assert_eq!(utf8(&bytes(&text.encode_utf16().collect::<Vec<u16>>())), text.as_bytes());
        assert_eq!(utf8(&bytes(&[0xd83d, 0x41])), b"\xed\xa0\xbdA");
        assert_eq!(utf8(&bytes(&[0xde00])), b"\xed\xb8\x80");
        assert_eq!(utf8(b"a\0b\0c"), b"ab");
    }
}
