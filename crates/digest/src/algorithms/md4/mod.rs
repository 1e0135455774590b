//! MD4, RFC 1320. Collisions can be found by hand; it is needed for eDonkey.

use crate::block::{BlockHash, LaneKernel, Padding, kernel};
use crate::lanes::costs::{Costs, costs};
use crate::lanes::one_lane;
use crate::lanes::vector::{Vector, unroll};
use crate::machine::Isa;

pub(crate) struct Md4;

impl BlockHash for Md4 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::LITTLE64;
    const BYTES: usize = 16;
    const START: [u32; 4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
}

kernel! {
    /// Section 3.4.
    u32, 4 by 16, Little;
    best: [];
    always: one_lane::<Compress>
}

impl LaneKernel for Compress {
    const PLACE: usize = 10;
    /// The costs of MD5, scaled by the ratio of both on Cascade Lake (2026-11-22, medians of three).
    const COSTS: [Costs; 2] = costs! { "md4":
        with_avx512: alone 85, hardware 85, Portable [59, 69], Neon [81, 96], Sse41 [81, 96], Avx2 [86, 123],
            Avx512 [81, 152];
        up_to_avx2: alone 87, hardware 87, Portable [68, 78], Neon [100, 110], Sse41 [100, 110],
            Avx2 [105, 120];
    };
    const PAIRS: &'static [Isa] = &[Isa::Portable, Isa::Neon, Isa::Sse41, Isa::Avx2, Isa::Avx512];

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(simd: V::Simd, state: &mut [V; 4], block: &mut [V; 16]) {
        let [mut a, mut b, mut c, mut d] = *state;
        macro_rules! step {
            ($round:literal, $i:ident, $f:expr, $word:expr) => {
                let sum = (a + V::splat(simd, K[$round]) + block[$word]) + $f;
                (a, b, c, d) = (d, sum.rotl(SHIFT[$round][$i % 4]), b, c);
            };
        }
        unroll!(i in 0..16 { step!(0, i, b.choose(c, d), i); });
        unroll!(i in 0..16 { step!(1, i, b.majority(c, d), ORDER[0][i]); });
        unroll!(i in 0..16 { step!(2, i, b.xor3(c, d), ORDER[1][i]); });
        *state = [state[0] + a, state[1] + b, state[2] + c, state[3] + d];
    }
}

/// The roots of 2 and 3, times 2^30.
const K: [u32; 3] = [0, 0x5a82_7999, 0x6ed9_eba1];

const SHIFT: [[u32; 4]; 3] = [[3, 7, 11, 19], [3, 5, 9, 13], [3, 9, 11, 15]];

/// The word order of the second and third rounds.
const ORDER: [[usize; 16]; 2] = [
    [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
];
