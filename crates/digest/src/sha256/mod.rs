//! SHA-256 and SHA-224, FIPS 180-4.

mod constants;
pub(crate) mod single;
#[cfg(target_arch = "x86_64")]
mod x86_ahead;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_sha;

use crate::block::{BlockHash, LaneKernel, Padding, kernel};
use crate::lanes::costs::{BuiltIn, costs};
use crate::lanes::vector::{Vector, unroll};
#[cfg(target_arch = "x86_64")]
use crate::machine::Isa;
#[cfg(target_arch = "x86_64")]
use crate::path::{Pair, Path};
use constants::K;
use std::hint::black_box;

pub(crate) struct Sha256;

impl BlockHash for Sha256 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::BIG64;
    const BYTES: usize = 32;
    const START: [u32; 8] =
        [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
}

/// Like [`Sha256`] with another initial state, cut to 224 bits.
pub(crate) struct Sha224;

impl BlockHash for Sha224 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::BIG64;
    const BYTES: usize = 28;
    const START: [u32; 8] =
        [0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4];
}

kernel! {
    /// Section 6.2.2, with the schedule kept in 16 words.
    u32, 8 by 16, Big;
    // The order was measured (2026-11) on a processor with SHA instructions and AVX-512 (Zen 4).
    best: [
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Shani, "x86 sha", x86_sha::compress),
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx512, "avx512 schedule ahead", x86_ahead::avx512),
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx2, "avx2 schedule ahead", x86_ahead::avx2),
    ];
    always: single::compress
}

impl LaneKernel for Compress {
    const NAME: &'static str = "sha256";
    const PLACE: usize = 2;
    const COSTS: BuiltIn = costs! {
        with_avx512: alone 162, hardware 35, portable [162, 466], neon [351, 1035], sse41 [351, 1035],
            avx2 [271, 767], avx512 [275, 606], shani [0, 38];
        up_to_avx2: alone 231, hardware 41, portable [231, 0], neon [465, 0], sse41 [465, 0], avx2 [352, 0],
            shani [0, 45];
    };

    #[cfg(target_arch = "x86_64")]
    fn pair() -> Option<Pair<[u32; 8]>> {
        Isa::Shani.present().then_some(x86_sha::pair)
    }

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(simd: V::Simd, state: &mut [V; 8], block: &mut [V; 16]) {
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
                    let sum = (h + V::splat(simd, k[T]) + block[T % 16]) + e.choose(f, g)
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
