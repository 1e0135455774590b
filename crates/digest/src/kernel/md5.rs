//! MD5, RFC 1321.

use super::{BlockHash, Kernel, Padding, Single};
use crate::lanes::{Lanes, Order, unroll};
use std::hint::black_box;

/// The 128-bit hash.
pub(crate) struct Md5;

impl BlockHash for Md5 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::Little64;
    const BYTES: usize = 16;
    const START: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
}

/// Section 3.4.
pub(crate) struct Compress;

impl Kernel for Compress {
    type Word = u32;
    type State<T: Copy + Send> = [T; 4];
    type Block<T: Copy + Send> = [T; 16];
    const NAME: &'static str = "md5";
    const ORDER: Order = Order::Little;
    const PAIRS: bool = true;

    fn single() -> Single<Self> {
        Single::of(&crate::md5::CHOICE)
    }

    #[inline(always)]
    fn compress<L: Lanes<Word = u32>>(isa: L::Isa, state: &mut [L; 4], block: &mut [L; 16]) {
        let [mut a, mut b, mut c, mut d] = *state;
        let k = black_box(&K);
        macro_rules! step {
            ($round:literal, $i:ident, $f:expr, $word:expr) => {
                let sum = (a + L::splat(isa, k[16 * $round + $i]) + block[$word % 16]) + $f;
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

/// The whole part of 2^32 |sin(i + 1)|.
const K: [u32; 64] = [
    0xd76a_a478,
    0xe8c7_b756,
    0x2420_70db,
    0xc1bd_ceee,
    0xf57c_0faf,
    0x4787_c62a,
    0xa830_4613,
    0xfd46_9501,
    0x6980_98d8,
    0x8b44_f7af,
    0xffff_5bb1,
    0x895c_d7be,
    0x6b90_1122,
    0xfd98_7193,
    0xa679_438e,
    0x49b4_0821,
    0xf61e_2562,
    0xc040_b340,
    0x265e_5a51,
    0xe9b6_c7aa,
    0xd62f_105d,
    0x0244_1453,
    0xd8a1_e681,
    0xe7d3_fbc8,
    0x21e1_cde6,
    0xc337_07d6,
    0xf4d5_0d87,
    0x455a_14ed,
    0xa9e3_e905,
    0xfcef_a3f8,
    0x676f_02d9,
    0x8d2a_4c8a,
    0xfffa_3942,
    0x8771_f681,
    0x6d9d_6122,
    0xfde5_380c,
    0xa4be_ea44,
    0x4bde_cfa9,
    0xf6bb_4b60,
    0xbebf_bc70,
    0x289b_7ec6,
    0xeaa1_27fa,
    0xd4ef_3085,
    0x0488_1d05,
    0xd9d4_d039,
    0xe6db_99e5,
    0x1fa2_7cf8,
    0xc4ac_5665,
    0xf429_2244,
    0x432a_ff97,
    0xab94_23a7,
    0xfc93_a039,
    0x655b_59c3,
    0x8f0c_cc92,
    0xffef_f47d,
    0x8584_5dd1,
    0x6fa8_7e4f,
    0xfe2c_e6e0,
    0xa301_4314,
    0x4e08_11a1,
    0xf753_7e82,
    0xbd3a_f235,
    0x2ad7_d2bb,
    0xeb86_d391,
];
