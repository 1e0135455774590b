//! The piece hashes of all block sizes side by side, one byte lane each.
//!
//! A piece hash is `h = h * 0x01000193 ^ byte` on 32 bits, but only its low six bits are ever written, and
//! those depend only on the low six bits before: `h = h * 19 ^ byte` on a byte lane gives the same. Bits 6
//! and 7 of a lane hold nothing of use.

/// Takes a byte into every piece hash.
#[inline(always)]
pub(super) fn step<const N: usize>(hashes: &mut [u8; N], byte: u8) {
    for hash in hashes {
        let thrice = hash.wrapping_add(*hash).wrapping_add(*hash);
        *hash = thrice.wrapping_add(*hash << 4) ^ byte;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_bits_are_those_of_the_whole_hash() {
        let mut whole: [u32; 32] = std::array::from_fn(|i| 0x2802_1967_u32.wrapping_mul(i as u32 + 1));
        let mut lanes = whole.map(|hash| hash as u8);
        for byte in (0..=255).chain([7, 7, 0, 200]) {
            whole = whole.map(|hash| hash.wrapping_mul(0x0100_0193) ^ u32::from(byte));
            step(&mut lanes, byte);
            assert_eq!(lanes.map(|lane| lane & 63), whole.map(|hash| hash as u8 & 63));
        }
    }
}
