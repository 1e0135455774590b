//! The codec of WTF-8: units of 16 bits to bytes and back.
//!
//! It is UTF-8, where a surrogate that is no part of a pair is encoded like any other code point. Bytes that encode the
//! two halves of a pair one by one are refused: otherwise two byte strings would mean one name.

/// The bits of a code point that the last bytes of a sequence have.
const LOW: u8 = 0x3f;

/// Encodes units of 16 bits.
pub(crate) fn encode(units: impl IntoIterator<Item = u16>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for decoded in char::decode_utf16(units) {
        match decoded {
            Ok(letter) => bytes.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(lone) => bytes.extend_from_slice(&surrogate(lone.unpaired_surrogate())),
        }
    }
    bytes
}

fn surrogate(unit: u16) -> [u8; 3] {
    [0xe0 | (unit >> 12) as u8, 0x80 | (unit >> 6) as u8 & LOW, 0x80 | unit as u8 & LOW]
}

/// Decodes bytes; `None` if they are not well formed.
pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<u16>> {
    let mut units: Vec<u16> = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    // The unit that a lone leading surrogate ended with, if nothing follows it yet.
    let mut leads = false;
    while !rest.is_empty() {
        let text = valid(rest);
        units.extend(text.encode_utf16());
        rest = &rest[text.len()..];
        leads &= text.is_empty();
        let Some((lone, behind)) = rest.split_first_chunk::<3>() else { break };
        let unit = lone_surrogate(lone)?;
        if leads && is_trailing(unit) {
            return None;
        }
        units.push(unit);
        (leads, rest) = (!is_trailing(unit), behind);
    }
    rest.is_empty().then_some(units)
}

/// Returns the longest beginning that is UTF-8.
fn valid(bytes: &[u8]) -> &str {
    bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid())
}

fn lone_surrogate(bytes: &[u8; 3]) -> Option<u16> {
    let [0xed, second @ 0xa0..=0xbf, third @ 0x80..=0xbf] = *bytes else { return None };
    Some(0xd000 | u16::from(second & LOW) << 6 | u16::from(third & LOW))
}

fn is_trailing(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// Units of all classes; surrogates are as frequent as others, so that there are pairs.
    fn unit() -> impl Strategy<Value = u16> {
        prop_oneof![
            0..0x80_u16,
            0x80..0x800_u16,
            0x800..0xd800_u16,
            0xd800..0xdc00_u16,
            0xdc00..0xe000_u16,
            0xe000..=0xffff_u16
        ]
    }

    /// Bytes that are often nearly well formed.
    fn byte() -> impl Strategy<Value = u8> {
        prop_oneof![
            any::<u8>(),
            0x80..0xc0_u8,
            prop_oneof![Just(0xed), Just(0xa0), Just(0xb0), Just(0xf0), Just(0x61)]
        ]
    }

    /// Decodes units as code points, where a lone surrogate counts as one.
    fn code_points(units: &[u16]) -> Vec<u32> {
        let points = char::decode_utf16(units.iter().copied());
        points.map(|point| point.map_or_else(|lone| lone.unpaired_surrogate().into(), u32::from)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(hashmill_testing::cases(256) as u32))]

        #[test]
        fn units_come_back(units in vec(unit(), 0..12)) {
            prop_assert_eq!(decode(&encode(units.iter().copied())), Some(units));
        }

        #[test]
        fn bytes_have_one_meaning(bytes in vec(byte(), 0..12)) {
            if let Some(units) = decode(&bytes) {
                prop_assert_eq!(encode(units), bytes);
            }
        }

        #[test]
        fn text_is_itself(text in any::<String>()) {
            prop_assert_eq!(encode(text.encode_utf16()), text.as_bytes());
            prop_assert_eq!(decode(text.as_bytes()), Some(text.encode_utf16().collect()));
        }

        #[test]
        fn bytes_sort_as_code_points(one in vec(unit(), 0..4), other in vec(unit(), 0..4)) {
            let bytes = encode(one.iter().copied()).cmp(&encode(other.iter().copied()));
            prop_assert_eq!(bytes, code_points(&one).cmp(&code_points(&other)));
        }
    }

    #[test]
    fn a_pair_in_two_parts_is_refused() {
        assert_eq!(decode(b"\xed\xa0\xbd\xed\xb8\x80"), None);
        assert_eq!(decode(b"\xed\xa0\xbda\xed\xb8\x80").unwrap(), [0xd83d, 0x61, 0xde00]);
        assert_eq!(decode(b"\xed\xb8\x80\xed\xa0\xbd").unwrap(), [0xde00, 0xd83d]);
        assert_eq!(decode(b"\xed\xa0\xbd\xf0\x9f\x98\x80").unwrap(), [0xd83d, 0xd83d, 0xde00]);
    }

    #[test]
    fn other_bytes_are_refused() {
        for bytes in [&b"\xff"[..], b"a\x80", b"\xed\xa0", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\xed\xa0\x41"]
        {
            assert_eq!(decode(bytes), None, "{bytes:x?}");
        }
    }
}
