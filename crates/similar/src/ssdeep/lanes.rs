//! The piece hashes of all block sizes, computed in parallel.
//!
//! A piece hash is `h = h * 0x01000193 ^ byte` on 32 bits, but only its low six bits are ever written, and those only
//! depend on the previous low six bits: `h = h * 19 ^ byte` gives the same. The hashes have 16 bits because every
//! vector unit can multiply these; the upper ten bits are meaningless.

/// Feeds a byte into every piece hash.
#[inline(always)]
pub(super) fn step<const N: usize>(hashes: &mut [u16; N], byte: u8) {
    for hash in hashes {
        *hash = hash.wrapping_mul(19) ^ u16::from(byte);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_bits_are_those_of_the_whole_hash() {
        let mut whole: [u32; 32] = std::array::from_fn(|i| 0x2802_1967_u32.wrapping_mul(i as u32 + 1));
        let mut lanes = whole.map(|hash| hash as u16);
        for byte in (0..=255).chain([7, 7, 0, 200]) {
            whole = whole.map(|hash| hash.wrapping_mul(0x0100_0193) ^ u32::from(byte));
            step(&mut lanes, byte);
            assert_eq!(lanes.map(|lane| lane & 63), whole.map(|hash| hash as u16 & 63));
        }
    }
}
