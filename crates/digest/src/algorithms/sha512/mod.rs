//! SHA-512, SHA-384 and SHA-512/256, FIPS 180-4.

mod constants;
mod single;
#[cfg(target_arch = "x86_64")]
mod x86_ahead;
#[cfg(target_arch = "x86_64")]
mod x86_pairs;

use super::sha256::sha2_lanes;
use crate::block::{BlockHash, LaneKernel, Padding, kernel};
use crate::lanes::costs::{Costs, costs};
use crate::lanes::vector::{Vector, unroll};
#[cfg(target_arch = "x86_64")]
use crate::machine::Isa;
#[cfg(target_arch = "x86_64")]
use crate::machine::path::Path;
use constants::K;
use std::hint::black_box;

pub(crate) struct Sha512;

impl BlockHash for Sha512 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::BIG128;
    const BYTES: usize = 64;
    const START: [u64; 8] = [
        0x6a09e667f3bcc908,
        0xbb67ae8584caa73b,
        0x3c6ef372fe94f82b,
        0xa54ff53a5f1d36f1,
        0x510e527fade682d1,
        0x9b05688c2b3e6c1f,
        0x1f83d9abfb41bd6b,
        0x5be0cd19137e2179,
    ];
}

/// Like [`Sha512`] with another initial state, cut to 384 bits.
pub(crate) struct Sha384;

impl BlockHash for Sha384 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::BIG128;
    const BYTES: usize = 48;
    const START: [u64; 8] = [
        0xcbbb9d5dc1059ed8,
        0x629a292a367cd507,
        0x9159015a3070dd17,
        0x152fecd8f70e5939,
        0x67332667ffc00b31,
        0x8eb44a8768581511,
        0xdb0c2e0d64f98fa7,
        0x47b5481dbefa4fa4,
    ];
}

/// Like [`Sha512`] with another initial state, cut to 256 bits.
pub(crate) struct Sha512_256;

impl BlockHash for Sha512_256 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::BIG128;
    const BYTES: usize = 32;
    const START: [u64; 8] = [
        0x22312194fc2bf72c,
        0x9f555fa3c84c64c2,
        0x2393b86b6f53b151,
        0x963877195940eabd,
        0x96283ee2a88effe3,
        0xbe5e1e2553863992,
        0x2b0199fc2c85b8aa,
        0x0eb72ddc81c52ca2,
    ];
}

kernel! {
    /// Section 6.4.2, with the schedule kept in 16 words.
    u64, 8 by 16, Big;
    // The order was measured (2026-11) on a processor with AVX-512 (Zen 4).
    best: [
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx512, "avx512 schedule ahead x8", x86_ahead::avx512_wide)
            .only_if(crate::machine::steady_clock),
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx512, "avx512 schedule ahead, pairs", x86_ahead::avx512_pairs)
            .only_if(crate::machine::quick_rotations),
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx512, "avx512 schedule ahead", x86_ahead::avx512),
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx2, "avx2 schedule ahead", x86_ahead::avx2),
    ];
    always: single::compress
}

impl LaneKernel for Compress {
    const PLACE: usize = 3;
    const COSTS: [Costs; 2] = costs! { "sha512":
        with_avx512: alone 203, hardware 203, Portable [204, 652], Neon [481, 1264], Sse41 [481, 1264],
            Avx2 [335, 927], Avx512 [342, 676];
        up_to_avx2: alone 200, hardware 200, Portable [291, 0], Neon [590, 0], Sse41 [590, 0], Avx2 [431, 0];
    };

    sha2_lanes!(u64, 19 61 6, 1 8 7, 14 18 41, 28 34 39; 0 16 32 48 64);
}
