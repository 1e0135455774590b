//! MD5, RFC 1321.

use super::{BlockHash, Kernel, Padding, Single};
use crate::lanes::{Lanes, Order, unroll};
use crate::md5::K;
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
