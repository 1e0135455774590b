//! SHA-256 and SHA-224, FIPS 180-4.

use super::{BlockHash, Kernel, Padding, Pair, Single};
use crate::lanes::{Lanes, Order, unroll};
use crate::sha256::K;
use std::hint::black_box;

/// The 256-bit hash.
pub(crate) struct Sha256;

impl BlockHash for Sha256 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::Big64;
    const BYTES: usize = 32;
    const START: [u32; 8] = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
}

/// The same with another start, cut to 224 bits.
pub(crate) struct Sha224;

impl BlockHash for Sha224 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::Big64;
    const BYTES: usize = 28;
    const START: [u32; 8] = [
        0xc105_9ed8,
        0x367c_d507,
        0x3070_dd17,
        0xf70e_5939,
        0xffc0_0b31,
        0x6858_1511,
        0x64f9_8fa7,
        0xbefa_4fa4,
    ];
}

/// Section 6.2.2, with the schedule kept in 16 words.
pub(crate) struct Compress;

impl Kernel for Compress {
    type Word = u32;
    type State<T: Copy + Send> = [T; 8];
    type Block<T: Copy + Send> = [T; 16];
    const NAME: &'static str = "sha256";
    const ORDER: Order = Order::Big;

    fn pair() -> Option<Pair<Self>> {
        crate::hw::sha256_pair()
    }

    fn single() -> Single<Self> {
        Single::of(&crate::sha256::CHOICE)
    }

    #[inline(always)]
    fn compress<L: Lanes<Word = u32>>(isa: L::Isa, state: &mut [L; 8], block: &mut [L; 16]) {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
        let k = black_box(&K);
        macro_rules! steps {
            ($first:literal) => {
                unroll!(i in 0..16 {
                    const T: usize = $first + i;
                    if T >= 16 {
                        let (new, old) = (block[(T + 14) % 16], block[(T + 1) % 16]);
                        let new = new.rotr(17).xor3(new.rotr(19), new.shr(10));
                        let old = old.rotr(7).xor3(old.rotr(18), old.shr(3));
                        block[T % 16] = (block[T % 16] + block[(T + 9) % 16]) + old + new;
                    }
                    let sum = (h + L::splat(isa, k[T]) + block[T % 16]) + e.choose(f, g)
                        + e.rotr(6).xor3(e.rotr(11), e.rotr(25));
                    let mixed = a.rotr(2).xor3(a.rotr(13), a.rotr(22)) + a.majority(b, c);
                    (a, b, c, d, e, f, g, h) = (sum + mixed, a, b, c, d + sum, e, f, g);
                });
            };
        }
        steps!(0);
        steps!(16);
        steps!(32);
        steps!(48);
        let [s0, s1, s2, s3, s4, s5, s6, s7] = *state;
        *state = [s0 + a, s1 + b, s2 + c, s3 + d, s4 + e, s5 + f, s6 + g, s7 + h];
    }
}
