//! MD5, RFC 1321.

mod single;
#[cfg(target_arch = "x86_64")]
mod x86_avx512;

use crate::block::{BlockHash, LaneKernel, Padding, kernel};
use crate::lanes::costs::{Costs, costs};
use crate::lanes::vector::{Vector, unroll};
use crate::machine::Isa;
#[cfg(target_arch = "x86_64")]
use crate::machine::path::Path;
use std::hint::black_box;

pub(crate) struct Md5;

impl BlockHash for Md5 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::LITTLE64;
    const BYTES: usize = 16;
    const START: [u32; 4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
}

kernel! {
    /// Section 3.4.
    u32, 4 by 16, Little;
    best: [
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx512, "avx512 ternary logic", x86_avx512::compress)
            .only_if(crate::machine::quick_rotations),
    ];
    always: single::compress
}

impl LaneKernel for Compress {
    const PLACE: usize = 0;
    const COSTS: [Costs; 2] = costs! { "md5":
        with_avx512: alone 88, hardware 88, Portable [89, 100], Neon [110, 129], Sse41 [110, 129],
            Avx2 [113, 161], Avx512 [120, 202];
        up_to_avx2: alone 90, hardware 90, Portable [103, 113], Neon [137, 148], Sse41 [137, 148],
            Avx2 [138, 158];
    };
    const PAIRS: &'static [Isa] = &[Isa::Portable, Isa::Neon, Isa::Sse41, Isa::Avx2, Isa::Avx512];

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(simd: V::Simd, state: &mut [V; 4], block: &mut [V; 16]) {
        let [mut a, mut b, mut c, mut d] = *state;
        let k = black_box(&K);
        macro_rules! step {
            ($round:literal, $i:ident, $f:expr, $word:expr) => {
                let sum = (a + V::splat(simd, k[16 * $round + $i]) + block[$word % 16]) + $f;
                (a, b, c, d) = (d, b + sum.rotl(SHIFT[$round][$i % 4]), b, c);
            };
        }
        unroll!(i in 0..16 { step!(0, i, b.choose(c, d), i); });
        unroll!(i in 0..16 { step!(1, i, d.choose(b, c), 5 * i + 1); });
        unroll!(i in 0..16 { step!(2, i, b.xor3(c, d), 3 * i + 5); });
        unroll!(i in 0..16 { step!(3, i, c.xor_or_not(b, d), 7 * i); });
        *state = [state[0] + a, state[1] + b, state[2] + c, state[3] + d];
    }
}

const SHIFT: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// RFC 1321, 3.4: the integer part of 2^32 times abs(sin(i + 1)).
const K: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];
