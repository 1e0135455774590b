//! SM3, GB/T 32905-2016 (ISO/IEC 10118-3).

mod single;

use crate::block::{BlockHash, LaneKernel, Padding, kernel};
use crate::lanes::costs::{Costs, costs};
use crate::lanes::vector::{Vector, unroll};
#[cfg(target_arch = "x86_64")]
use crate::machine::Isa;
#[cfg(target_arch = "x86_64")]
use crate::machine::path::Path;

pub(crate) struct Sm3;

impl BlockHash for Sm3 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::BIG64;
    const BYTES: usize = 32;
    const START: [u32; 8] =
        [0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e];
}

#[cfg(target_arch = "x86_64")]
crate::machine::path::compiled_for! { Avx2, "bmi1,bmi2":
    /// With `andn`, and rotations that need no copy.
    bmi([u32; 8]) = single::compress;
}

kernel! {
    /// Section 5.3, with the schedule kept in 16 words.
    u32, 8 by 16, Big;
    best: [
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx2, "bmi", bmi),
    ];
    always: single::compress
}

impl LaneKernel for Compress {
    const PLACE: usize = 6;
    const COSTS: [Costs; 2] = costs! { "sm3":
        with_avx512: alone 160, hardware 160, Portable [164, 438], Neon [273, 1033], Sse41 [273, 1033],
            Avx2 [271, 903], Avx512 [285, 632];
        up_to_avx2: alone 176, hardware 176, Portable [210, 0], Neon [452, 0], Sse41 [452, 0], Avx2 [365, 0];
    };

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(simd: V::Simd, state: &mut [V; 8], block: &mut [V; 16]) {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
        macro_rules! steps {
            ($first:literal, $ff:ident, $gg:ident) => {
                unroll!(i in 0..16 {
                    const T: usize = $first + i;
                    if T >= 12 {
                        schedule(block, T + 4);
                    }
                    let turned = a.rotl(12);
                    let ss1 = (turned + e + V::splat(simd, constant(T))).rotl(7);
                    let tt1 = a.$ff(b, c) + d + (ss1 ^ turned) + (block[T % 16] ^ block[(T + 4) % 16]);
                    let tt2 = e.$gg(f, g) + h + ss1 + block[T % 16];
                    let p0 = tt2.xor3(tt2.rotl(9), tt2.rotl(17));
                    (a, b, c, d, e, f, g, h) = (tt1, a, b.rotl(9), c, p0, e, f.rotl(19), g);
                });
            };
        }
        steps!(0, xor3, xor3);
        steps!(16, majority, choose);
        steps!(32, majority, choose);
        steps!(48, majority, choose);
        let [s0, s1, s2, s3, s4, s5, s6, s7] = *state;
        *state = [s0 ^ a, s1 ^ b, s2 ^ c, s3 ^ d, s4 ^ e, s5 ^ f, s6 ^ g, s7 ^ h];
    }
}

/// Computes word `t` of the expanded block, in the place of word `t - 16`.
#[inline(always)]
fn schedule<V: Vector<Word = u32>>(block: &mut [V; 16], t: usize) {
    let mixed = block[t % 16].xor3(block[(t + 7) % 16], block[(t + 13) % 16].rotl(15));
    let p1 = mixed.xor3(mixed.rotl(15), mixed.rotl(23));
    block[t % 16] = p1.xor3(block[(t + 3) % 16].rotl(7), block[(t + 10) % 16]);
}

/// Returns T of step `t`, rotated.
const fn constant(t: usize) -> u32 {
    let base: u32 = if t < 16 { 0x79cc_4519 } else { 0x7a87_9d8a };
    base.rotate_left(t as u32 % 32)
}
