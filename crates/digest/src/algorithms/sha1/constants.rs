//! The constants of SHA-1.

/// FIPS 180-4, 4.2.1: one for each 20 rounds.
pub(super) const K: [u32; 4] = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];
