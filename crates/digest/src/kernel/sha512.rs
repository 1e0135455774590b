//! SHA-512, SHA-384, SHA-512/256 and SHA-512/224, FIPS 180-4.

use super::{BlockHash, Kernel, Padding, Single};
use crate::lanes::{Lanes, Order, unroll};
use crate::sha512::K;
use std::hint::black_box;

/// The 512-bit hash.
pub(crate) struct Sha512;

impl BlockHash for Sha512 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::Big128;
    const BYTES: usize = 64;
    const START: [u64; 8] = [
        0x6a09_e667_f3bc_c908,
        0xbb67_ae85_84ca_a73b,
        0x3c6e_f372_fe94_f82b,
        0xa54f_f53a_5f1d_36f1,
        0x510e_527f_ade6_82d1,
        0x9b05_688c_2b3e_6c1f,
        0x1f83_d9ab_fb41_bd6b,
        0x5be0_cd19_137e_2179,
    ];
}

/// The same with another start, cut to 384 bits.
pub(crate) struct Sha384;

impl BlockHash for Sha384 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::Big128;
    const BYTES: usize = 48;
    const START: [u64; 8] = [
        0xcbbb_9d5d_c105_9ed8,
        0x629a_292a_367c_d507,
        0x9159_015a_3070_dd17,
        0x152f_ecd8_f70e_5939,
        0x6733_2667_ffc0_0b31,
        0x8eb4_4a87_6858_1511,
        0xdb0c_2e0d_64f9_8fa7,
        0x47b5_481d_befa_4fa4,
    ];
}

/// The same with another start, cut to 256 bits.
pub(crate) struct Sha512256;

impl BlockHash for Sha512256 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::Big128;
    const BYTES: usize = 32;
    const START: [u64; 8] = [
        0x2231_2194_fc2b_f72c,
        0x9f55_5fa3_c84c_64c2,
        0x2393_b86b_6f53_b151,
        0x9638_7719_5940_eabd,
        0x9628_3ee2_a88e_ffe3,
        0xbe5e_1e25_5386_3992,
        0x2b01_99fc_2c85_b8aa,
        0x0eb7_2ddc_81c5_2ca2,
    ];
}

/// The same with another start, cut to 224 bits.
pub(crate) struct Sha512224;

impl BlockHash for Sha512224 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::Big128;
    const BYTES: usize = 28;
    const START: [u64; 8] = [
        0x8c3d_37c8_1954_4da2,
        0x73e1_9966_89dc_d4d6,
        0x1dfa_b7ae_32ff_9c82,
        0x679d_d514_582f_9fcf,
        0x0f6d_2b69_7bd4_4da8,
        0x77e3_6f73_04c4_8942,
        0x3f9d_85a8_6a1d_36c8,
        0x1112_e6ad_91d6_92a1,
    ];
}

/// Section 6.4.2, with the schedule kept in 16 words.
pub(crate) struct Compress;

impl Kernel for Compress {
    type Word = u64;
    type State<T: Copy + Send> = [T; 8];
    type Block<T: Copy + Send> = [T; 16];
    const NAME: &'static str = "sha512";
    const ORDER: Order = Order::Big;

    fn single() -> Single<Self> {
        Single::of(&crate::sha512::CHOICE)
    }

    #[inline(always)]
    fn compress<L: Lanes<Word = u64>>(isa: L::Isa, state: &mut [L; 8], block: &mut [L; 16]) {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
        let k = black_box(&K);
        macro_rules! steps {
            ($first:literal) => {
                unroll!(i in 0..16 {
                    const T: usize = $first + i;
                    if T >= 16 {
                        let (new, old) = (block[(T + 14) % 16], block[(T + 1) % 16]);
                        let new = new.rotr(19).xor3(new.rotr(61), new.shr(6));
                        let old = old.rotr(1).xor3(old.rotr(8), old.shr(7));
                        block[T % 16] = (block[T % 16] + block[(T + 9) % 16]) + old + new;
                    }
                    let sum = (h + L::splat(isa, k[T]) + block[T % 16]) + e.choose(f, g)
                        + e.rotr(14).xor3(e.rotr(18), e.rotr(41));
                    let mixed = a.rotr(28).xor3(a.rotr(34), a.rotr(39)) + a.majority(b, c);
                    (a, b, c, d, e, f, g, h) = (sum + mixed, a, b, c, d + sum, e, f, g);
                });
            };
        }
        steps!(0);
        steps!(16);
        steps!(32);
        steps!(48);
        steps!(64);
        let [s0, s1, s2, s3, s4, s5, s6, s7] = *state;
        *state = [s0 + a, s1 + b, s2 + c, s3 + d, s4 + e, s5 + f, s6 + g, s7 + h];
    }
}
