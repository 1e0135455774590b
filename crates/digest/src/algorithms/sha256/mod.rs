//! SHA-256 and SHA-224, FIPS 180-4.

mod constants;
pub(crate) mod single;
#[cfg(target_arch = "x86_64")]
mod x86_ahead;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_sha;

use crate::block::{BlockHash, LaneKernel, Padding, kernel};
use crate::lanes::costs::{Costs, costs};
use crate::lanes::vector::{Vector, unroll};
#[cfg(target_arch = "x86_64")]
use crate::machine::Isa;
#[cfg(target_arch = "x86_64")]
use crate::machine::path::{Pair, Path};
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

/// Defines the rounds of SHA-2 over lanes (FIPS 180-4, 6.2.2 and 6.4.2) with this word and these rotations, of the
/// schedule (new and old words), then of the sums; and with these first rounds of each sixteen.
macro_rules! sha2_lanes {
    ($word:ident, $n1:literal $n2:literal $n3:literal, $o1:literal $o2:literal $o3:literal,
     $e1:literal $e2:literal $e3:literal, $a1:literal $a2:literal $a3:literal; $($block:literal)*) => {
        #[inline(always)]
        fn compress<V: Vector<Word = $word>>(simd: V::Simd, state: &mut [V; 8], block: &mut [V; 16]) {
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
            let k = black_box(&K);
            macro_rules! steps {
                ($first:literal) => {
                    unroll!(i in 0..16 {
                        const T: usize = $first + i;
                        if T >= 16 {
                            let (new, old) = (block[(T + 14) % 16], block[(T + 1) % 16]);
                            let new = new.rotr($n1).xor3(new.rotr($n2), new.shr($n3));
                            let old = old.rotr($o1).xor3(old.rotr($o2), old.shr($o3));
                            block[T % 16] = (block[T % 16] + block[(T + 9) % 16]) + old + new;
                        }
                        let sum = (h + V::splat(simd, k[T]) + block[T % 16]) + e.choose(f, g)
                            + e.rotr($e1).xor3(e.rotr($e2), e.rotr($e3));
                        let mixed = a.rotr($a1).xor3(a.rotr($a2), a.rotr($a3)) + a.majority(b, c);
                        (a, b, c, d, e, f, g, h) = (sum + mixed, a, b, c, d + sum, e, f, g);
                    });
                };
            }
            $(steps!($block);)*
            let [s0, s1, s2, s3, s4, s5, s6, s7] = *state;
            *state = [s0 + a, s1 + b, s2 + c, s3 + d, s4 + e, s5 + f, s6 + g, s7 + h];
        }
    };
}
pub(crate) use sha2_lanes;

impl LaneKernel for Compress {
    const PLACE: usize = 2;
    const COSTS: [Costs; 2] = costs! { "sha256":
        with_avx512: alone 162, hardware 35, Portable [162, 466], Neon [351, 1035], Sse41 [351, 1035],
            Avx2 [271, 767], Avx512 [275, 606], Shani [0, 38];
        up_to_avx2: alone 231, hardware 41, Portable [231, 0], Neon [465, 0], Sse41 [465, 0], Avx2 [352, 0],
            Shani [0, 45];
    };

    #[cfg(target_arch = "x86_64")]
    fn pair() -> Option<Pair<[u32; 8]>> {
        Isa::Shani.present().then_some(x86_sha::pair)
    }

    sha2_lanes!(u32, 17 19 10, 7 18 3, 6 11 25, 2 13 22; 0 16 32 48);
}
