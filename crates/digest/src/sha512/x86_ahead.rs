//! SHA-512 with schedules made ahead.

#![allow(unsafe_code)]

use super::{Compress, K, single};
use crate::ahead::compress;
use crate::ahead::pairs::sha2_pairs;
use crate::ahead::rows::{Avx2x4, Avx512x4, Avx512x8Long};
use crate::ahead::sha2::sha2_ahead;
use crate::path::compiled_for;
use std::arch::x86_64::*;

sha2_ahead!(Compress: u64, sha512, K, single::compress, 19 61 6, 1 8 7);

sha2_pairs!(InPairs: u64, _mm_set1_epi64x, _mm_set_epi64x, _mm_cvtsi128_si64, _mm_add_epi64, _mm_mask_add_epi64,
    _mm_rorv_epi64, _mm_ternarylogic_epi64, high, _mm_unpacklo_epi64, K, single::compress, 19 61 6, 1 8 7,
    28 34 39, 14 18 41);

/// The second word in both lanes.
#[target_feature(enable = "sse2")]
fn high(pair: __m128i) -> __m128i {
    _mm_unpackhi_epi64(pair, pair)
}

compiled_for! { Avx2, "avx2,bmi1,bmi2":
    /// For processors with AVX2, BMI1 and BMI2.
    pub(super) avx2([u64; 8]) = compress::<Compress, Avx2x4, 32>;
}
compiled_for! { Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2":
    /// For processors with AVX-512, which have instructions that rotate and that combine three words.
    pub(super) avx512([u64; 8]) = compress::<Compress, Avx512x4, 32>;
    /// The same with 512 bits.
    pub(super) avx512_wide([u64; 8]) = compress::<Compress, Avx512x8Long, 64>;
    /// The first with the rounds in vector registers.
    pub(super) avx512_pairs([u64; 8]) = compress_pairs;
}

/// Takes blocks.
///
/// # Safety
/// AVX-512 and BMI2.
#[inline(always)]
unsafe fn compress_pairs(state: &mut [u64; 8], blocks: &[u8]) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut pairs = InPairs::pairs(state);
        compress::<InPairs, Avx512x4, 32>(&mut pairs, blocks);
        *state = InPairs::words(&pairs);
    }
}
