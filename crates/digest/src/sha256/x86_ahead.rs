//! SHA-256 with schedules made ahead.

#![allow(unsafe_code)]

use super::constants::K;
use super::{Compress, single};
use crate::ahead::compress;
use crate::ahead::pairs::sha2_pairs;
use crate::ahead::rows::{Avx2x8, Avx512x8};
use crate::ahead::sha2::sha2_ahead;
use crate::path::compiled_for;
use std::arch::x86_64::*;

sha2_ahead!(Compress: u32, sha256, K, single::compress, 17 19 10, 7 18 3);

sha2_pairs!(InPairs: u32, _mm_set1_epi32, pair, _mm_cvtsi128_si32, _mm_add_epi32, _mm_mask_add_epi32, _mm_rorv_epi32,
    _mm_ternarylogic_epi32, _mm_shuffle_epi32::<0x55>, _mm_unpacklo_epi32, K, single::compress, 17 19 10, 7 18 3,
    2 13 22, 6 11 25);

/// Two words in the lowest lanes.
#[target_feature(enable = "sse2")]
fn pair(second: i32, first: i32) -> __m128i {
    _mm_set_epi32(0, 0, second, first)
}

compiled_for! { Avx2, "avx2,bmi1,bmi2":
    /// For processors with AVX2, BMI1 and BMI2.
    pub(super) avx2([u32; 8]) = compress::<Compress, Avx2x8, 32>;
}
compiled_for! { Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2":
    /// For processors with AVX-512, which have instructions that rotate and that combine three words.
    pub(super) avx512([u32; 8]) = compress::<Compress, Avx512x8, 32>;
    /// The same with the rounds in vector registers.
    pub(super) avx512_pairs([u32; 8]) = compress_pairs;
}

/// Takes blocks.
///
/// # Safety
/// AVX-512 and BMI2.
#[inline(always)]
unsafe fn compress_pairs(state: &mut [u32; 8], blocks: &[u8]) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut pairs = InPairs::pairs(state);
        compress::<InPairs, Avx512x8, 32>(&mut pairs, blocks);
        *state = InPairs::words(&pairs);
    }
}
