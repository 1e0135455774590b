//! Decodes hexadecimal text. Reading a manifest, a list or an RDS is mostly this.

/// The number of digits decoded at once.
const BLOCK: usize = 16;

/// The value of each hexadecimal digit; 255 for all other bytes.
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

/// Decodes pairs of digits in either case, as long as there are pairs and room. Returns whether all are digits; if not,
/// the output is invalid.
#[inline]
pub(crate) fn decode(text: &[u8], bytes: &mut [u8]) -> bool {
    let (blocks, pairs) = text.as_chunks::<BLOCK>();
    let (eights, _) = bytes.as_chunks_mut();
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code)]
    // SAFETY: every processor of this architecture has SSE2.
    let whole = unsafe { decode_blocks(blocks, eights) };
    #[cfg(not(target_arch = "x86_64"))]
    let whole = decode_blocks(blocks, eights);
    let rest = bytes.get_mut(blocks.len() * BLOCK / 2..).unwrap_or_default();
    decode_pairs(pairs, rest) && whole
}

fn decode_pairs(text: &[u8], bytes: &mut [u8]) -> bool {
    // Errors are checked once, after the loop.
    let mut seen = 0;
    for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
        let (high, low) = (NIBBLES[usize::from(pair[0])], NIBBLES[usize::from(pair[1])]);
        seen |= high | low;
        *byte = high << 4 | (low & 15);
    }
    seen < 16
}

#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "sse2")]
fn decode_blocks(blocks: &[[u8; BLOCK]], eights: &mut [[u8; BLOCK / 2]]) -> bool {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi8, _mm_and_si128, _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_min_epu8,
        _mm_movemask_epi8, _mm_or_si128, _mm_packus_epi16, _mm_set_epi64x, _mm_set1_epi8, _mm_set1_epi16,
        _mm_slli_epi16, _mm_srli_epi16, _mm_sub_epi8,
    };
    /// Returns a mask of the bytes that are at most this.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn up_to(bytes: __m128i, most: i8) -> __m128i {
        _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(most)), bytes)
    }
    let mut digits = _mm_set1_epi8(-1);
    for (block, eight) in blocks.iter().zip(eights) {
        let [low, high] = [0, 1].map(|half| {
            let half = block.as_chunks().0[half];
            i64::from_le_bytes(half)
        });
        let text = _mm_set_epi64x(high, low);
        let number = _mm_sub_epi8(text, _mm_set1_epi8(b'0' as i8));
        let letter = _mm_sub_epi8(_mm_or_si128(text, _mm_set1_epi8(0x20)), _mm_set1_epi8(b'a' as i8));
        let (is_number, is_letter) = (up_to(number, 9), up_to(letter, 5));
        digits = _mm_and_si128(digits, _mm_or_si128(is_number, is_letter));
        let letter = _mm_and_si128(_mm_add_epi8(letter, _mm_set1_epi8(10)), is_letter);
        let values = _mm_or_si128(_mm_and_si128(number, is_number), letter);
        // The first digit of each pair is the lower byte.
        let pairs = _mm_or_si128(_mm_slli_epi16(values, 4), _mm_srli_epi16(values, 8));
        let bytes = _mm_and_si128(pairs, _mm_set1_epi16(0xff));
        *eight = _mm_cvtsi128_si64(_mm_packus_epi16(bytes, bytes)).to_le_bytes();
    }
    _mm_movemask_epi8(digits) == 0xffff
}

#[cfg(not(target_arch = "x86_64"))]
fn decode_blocks(blocks: &[[u8; BLOCK]], eights: &mut [[u8; BLOCK / 2]]) -> bool {
    let each = blocks.iter().zip(eights).map(|(block, eight)| decode_pairs(block, eight));
    each.fold(true, |all, digits| all & digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_as_pairs_are() {
        for length in 0..80 {
            for byte in 0..=255 {
                let mut text: Vec<u8> =
                    (0..length).map(|at| b"0123456789abcdefABCDEF"[at * 7 % 22]).collect();
                if let Some(place) = text.get_mut(usize::from(byte) * 31 % length.max(1)) {
                    *place = byte;
                }
                let (mut quick, mut plain) = ([0; 40], [0; 40]);
                let (read, expected) = (decode(&text, &mut quick), decode_pairs(&text, &mut plain));
                assert_eq!(read, expected, "{length} {byte}");
                assert!(!read || quick == plain, "{length} {byte}");
            }
        }
    }

    #[test]
    fn what_has_no_room_is_left_out() {
        let mut bytes = [0; 2];
        assert!(decode(b"0123456789abcdef0123", &mut bytes));
        assert!(!decode(b"01x3", &mut bytes));
    }
}
