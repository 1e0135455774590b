//! MD5 in one lane of a vector register. AVX-512 computes each of its functions in one instruction, so a step takes
//! four dependent instructions, compared with four or five in general registers.

#![allow(unsafe_code)]

use super::K;
use super::single::steps;
use crate::machine::Isa;
use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_cvtsi32_si128, _mm_cvtsi128_si32, _mm_rol_epi32, _mm_ternarylogic_epi32,
};

pub(super) fn compress(state: &mut [u32; 4], blocks: &[u8]) {
    assert!(Isa::Avx512.present());
    // SAFETY: the assertion above checks the processor's features.
    unsafe { run(state, blocks) }
}

#[target_feature(enable = "avx512f,avx512vl,avx2,bmi1,bmi2")]
fn run(state: &mut [u32; 4], blocks: &[u8]) {
    let [mut a, mut b, mut c, mut d] = [lane(state[0]), lane(state[1]), lane(state[2]), lane(state[3])];
    for block in blocks.chunks_exact(64) {
        let start = [a, b, c, d];
        macro_rules! step {
            // The constants are truth tables over (b, c, d), b the most significant.
            (0, $($rest:tt)*) => { step!(@ 0xca, $($rest)*) };
            (1, $($rest:tt)*) => { step!(@ 0xe4, $($rest)*) };
            (2, $($rest:tt)*) => { step!(@ 0x96, $($rest)*) };
            (3, $($rest:tt)*) => { step!(@ 0x39, $($rest)*) };
            (@ $table:literal, $a:ident $b:ident $c:ident $d:ident, $k:expr, $i:expr, $shift:literal) => {
                let at = 4 * ($i);
                let word = u32::from_le_bytes([block[at], block[at + 1], block[at + 2], block[at + 3]]);
                $a = _mm_add_epi32($a, lane(word.wrapping_add(K[$k])));
                $a = _mm_add_epi32($a, _mm_ternarylogic_epi32::<$table>($b, $c, $d));
                $a = _mm_add_epi32(_mm_rol_epi32::<$shift>($a), $b);
            };
        }
        steps!(step, a b c d);
        a = _mm_add_epi32(a, start[0]);
        b = _mm_add_epi32(b, start[1]);
        c = _mm_add_epi32(c, start[2]);
        d = _mm_add_epi32(d, start[3]);
    }
    *state = [word(a), word(b), word(c), word(d)];
}

#[target_feature(enable = "sse2")]
fn lane(word: u32) -> __m128i {
    _mm_cvtsi32_si128(word.cast_signed())
}

#[target_feature(enable = "sse2")]
fn word(lane: __m128i) -> u32 {
    _mm_cvtsi128_si32(lane).cast_unsigned()
}
