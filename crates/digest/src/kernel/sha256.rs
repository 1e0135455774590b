//! SHA-256 and SHA-224, FIPS 180-4.

use super::{BlockHash, Kernel, Padding, Single};
use crate::lanes::{Lanes, Order, unroll};
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

/// The first bits of the fractions of the cube roots of the first primes.
const K: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];
