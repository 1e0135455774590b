//! SHA-1, FIPS 180-4.

use super::{BlockHash, Kernel, Padding, Single};
use crate::lanes::{Lanes, Order, unroll};
use crate::sha1::K;
use std::hint::black_box;

/// The 160-bit hash.
pub(crate) struct Sha1;

impl BlockHash for Sha1 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::Big64;
    const BYTES: usize = 20;
    const START: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
}

/// Section 6.1.2, with the schedule kept in 16 words (6.1.3).
pub(crate) struct Compress;

impl Kernel for Compress {
    type Word = u32;
    type State<T: Copy + Send> = [T; 5];
    type Block<T: Copy + Send> = [T; 16];
    const NAME: &'static str = "sha1";
    const ORDER: Order = Order::Big;
    const PAIRS: bool = true;

    fn single() -> Single<Self> {
        Single::of(&crate::sha1::CHOICE)
    }

    #[inline(always)]
    fn compress<L: Lanes<Word = u32>>(isa: L::Isa, state: &mut [L; 5], block: &mut [L; 16]) {
        let [mut a, mut b, mut c, mut d, mut e] = *state;
        let k = black_box(&K);
        macro_rules! step {
            ($round:literal, $i:ident, $f:expr) => {
                const T: usize = 20 * $round + $i;
                if T >= 16 {
                    let mixed = block[(T + 13) % 16].xor3(block[(T + 8) % 16], block[(T + 2) % 16]);
                    block[T % 16] = (mixed ^ block[T % 16]).rotl(1);
                }
                let sum = (e + L::splat(isa, k[$round]) + block[T % 16]) + $f + a.rotl(5);
                (a, b, c, d, e) = (sum, a, b.rotl(30), c, d);
            };
        }
        unroll!(i in 0..20 { step!(0, i, b.choose(c, d)); });
        unroll!(i in 0..20 { step!(1, i, b.xor3(c, d)); });
        unroll!(i in 0..20 { step!(2, i, b.majority(c, d)); });
        unroll!(i in 0..20 { step!(3, i, b.xor3(c, d)); });
        *state = [state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e];
    }
}
