//! SHA-512 with schedules made ahead and the rounds in vector registers, two words of the state in each: `[a, e]`,
//! `[b, f]`, `[c, g]`, `[d, h]`. With AVX-512 a function of three words is one instruction, and one rotation turns each
//! word of a pair by a different number of bits. So a round has 12 instructions, of which five are dependent; in
//! general registers it has 22. That gains a tenth (Cascade Lake, 2026-11-22). SHA-256 gains nothing: only
//! two vector units execute these instructions, and they execute those of the schedule as well.
//!
//! Only if vector rotations and exchanges of lanes take one cycle: [`crate::machine::quick_rotations`].

#![allow(unsafe_code)]

use super::constants::K;
use super::{Compress, single};
use crate::algorithms::schedule::rows::{Avx512x4, BlockWords};
use crate::algorithms::schedule::{Scheduled, compress};
use std::arch::x86_64::*;

/// The rounds in vector registers.
struct InPairs;

/// Compresses blocks.
///
/// # Safety
/// AVX-512 and BMI2.
#[inline(always)]
pub(super) unsafe fn compress_pairs(state: &mut [u64; 8], blocks: &[u8]) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut pairs = pairs(state);
        compress::<InPairs, Avx512x4, 32>(&mut pairs, blocks);
        *state = words(&pairs);
    }
}

/// Returns the words of a state in pairs.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
fn pairs(state: &[u64; 8]) -> [__m128i; 4] {
    let [a, b, c, d, e, f, g, h] = state.map(u64::cast_signed);
    [_mm_set_epi64x(e, a), _mm_set_epi64x(f, b), _mm_set_epi64x(g, c), _mm_set_epi64x(h, d)]
}

/// Returns the words of the pairs.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2")]
fn words(pairs: &[__m128i; 4]) -> [u64; 8] {
    let mut words = [0; 8];
    for i in 0..4 {
        words[i] = _mm_cvtsi128_si64(pairs[i]).cast_unsigned();
        words[i + 4] = _mm_cvtsi128_si64(high(pairs[i])).cast_unsigned();
    }
    words
}

/// Returns the second word in both lanes.
#[target_feature(enable = "sse2")]
fn high(pair: __m128i) -> __m128i {
    _mm_unpackhi_epi64(pair, pair)
}

impl Scheduled for InPairs {
    type Word = u64;
    type State = [__m128i; 4];
    const ROUNDS: usize = K.len();
    const STEP: usize = 16;
    const CONSTANTS: &'static [u64] = &K;

    #[inline(always)]
    fn expand<R: BlockWords<Word = u64>>(window: &[R; 16], at: usize) -> R {
        Compress::expand(window, at)
    }

    #[inline(always)]
    unsafe fn rounds<const STRIDE: usize>(pairs: &mut [__m128i; 4], _: usize, words: *const u64) {
        let [mut ae, mut bf, mut cg, mut dh] = *pairs;
        // The compiler would replace a known choice by two instructions.
        let second = std::hint::black_box(2);
        macro_rules! round {
            ($i:literal) => {
                // SAFETY: the caller's promise.
                unsafe {
                    let word = words.byte_add(STRIDE * $i).read().cast_signed();
                    let sum = _mm_add_epi64(dh, _mm_set1_epi64x(word));
                    let turned = _mm_ternarylogic_epi64::<0x96>(
                        _mm_rorv_epi64(ae, _mm_set_epi64x(14, 28)),
                        _mm_rorv_epi64(ae, _mm_set_epi64x(18, 34)),
                        _mm_rorv_epi64(ae, _mm_set_epi64x(41, 39)),
                    );
                    let majority = _mm_ternarylogic_epi64::<0xe8>(ae, bf, cg);
                    let choice = _mm_ternarylogic_epi64::<0xca>(ae, bf, cg);
                    // The first word is the final addition to `a`; the second is the new `e` without `d`.
                    let both = _mm_add_epi64(turned, _mm_mask_add_epi64(majority, second, choice, sum));
                    let new = _mm_add_epi64(high(both), _mm_unpacklo_epi64(both, dh));
                    (ae, bf, cg, dh) = (new, ae, bf, cg);
                }
            };
        }
        round!(0);
        round!(1);
        round!(2);
        round!(3);
        round!(4);
        round!(5);
        round!(6);
        round!(7);
        round!(8);
        round!(9);
        round!(10);
        round!(11);
        round!(12);
        round!(13);
        round!(14);
        round!(15);
        *pairs = [ae, bf, cg, dh];
    }

    #[inline(always)]
    fn add(pairs: &mut [__m128i; 4], before: &[__m128i; 4]) {
        for i in 0..4 {
            // SAFETY: the caller is compiled for the features.
            pairs[i] = unsafe { _mm_add_epi64(pairs[i], before[i]) };
        }
    }

    #[inline(always)]
    fn compress_rest(in_pairs: &mut [__m128i; 4], blocks: &[u8]) {
        // SAFETY: the caller is compiled for the features.
        unsafe {
            let mut state = words(in_pairs);
            single::compress(&mut state, blocks);
            *in_pairs = pairs(&state);
        }
    }
}
