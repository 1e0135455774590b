//! SHA-1 and SHA-256 with the processor's instructions for them.

#![allow(unsafe_code)]

use crate::machine::Isa;
use crate::sha256::K;
use std::arch::x86_64::*;

/// Takes blocks of SHA-1.
pub(crate) fn sha1(state: &mut [u32; 5], blocks: &[u8]) {
    assert!(Isa::Shani.present());
    // SAFETY: the processor has the features: the line before makes sure.
    unsafe { run_sha1(state, blocks) }
}

/// Takes blocks of SHA-224 and SHA-256.
pub(crate) fn sha256(state: &mut [u32; 8], blocks: &[u8]) {
    assert!(Isa::Shani.present());
    // SAFETY: the processor has the features: the line before makes sure.
    unsafe { run_sha256([state], [blocks]) }
}

/// Takes as many blocks of each of two messages of SHA-224 and SHA-256.
pub(crate) fn sha256_pair(states: [&mut [u32; 8]; 2], blocks: [&[u8]; 2]) {
    assert!(Isa::Shani.present());
    // SAFETY: the processor has the features: the line before makes sure.
    unsafe { run_sha256(states, blocks) }
}

#[target_feature(enable = "sha,ssse3,sse4.1")]
fn run_sha1(state: &mut [u32; 5], blocks: &[u8]) {
    let mut abcd = _mm_shuffle_epi32::<0x1b>(load(&[state[0], state[1], state[2], state[3]]));
    let mut e = _mm_set_epi32(state[4].cast_signed(), 0, 0, 0);
    for block in blocks.as_chunks::<64>().0 {
        let (start, start_e) = (abcd, e);
        // The first word on top, as the instructions want it.
        let order = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
        let mut words = message(block, order);
        // Four rounds: `e` comes from the `a` of four rounds ago, which is in `before`.
        let mut before = abcd;
        abcd = _mm_sha1rnds4_epu32::<0>(abcd, _mm_add_epi32(e, words[0]));
        macro_rules! four {
            ($function:literal, $word:expr) => {
                let next = _mm_sha1nexte_epu32(before, $word);
                before = abcd;
                abcd = _mm_sha1rnds4_epu32::<$function>(abcd, next);
            };
        }
        macro_rules! expand {
            ($i:literal) => {{
                let sum =
                    _mm_xor_si128(_mm_sha1msg1_epu32(words[$i], words[($i + 1) % 4]), words[($i + 2) % 4]);
                words[$i] = _mm_sha1msg2_epu32(sum, words[($i + 3) % 4]);
                words[$i]
            }};
        }
        four!(0, words[1]);
        four!(0, words[2]);
        four!(0, words[3]);
        four!(0, expand!(0));
        four!(1, expand!(1));
        four!(1, expand!(2));
        four!(1, expand!(3));
        four!(1, expand!(0));
        four!(1, expand!(1));
        four!(2, expand!(2));
        four!(2, expand!(3));
        four!(2, expand!(0));
        four!(2, expand!(1));
        four!(2, expand!(2));
        four!(3, expand!(3));
        four!(3, expand!(0));
        four!(3, expand!(1));
        four!(3, expand!(2));
        four!(3, expand!(3));
        e = _mm_sha1nexte_epu32(before, start_e);
        abcd = _mm_add_epi32(abcd, start);
    }
    let [d, c, b, a] = store(abcd);
    *state = [a, b, c, d, _mm_extract_epi32::<3>(e).cast_unsigned()];
}

/// As many blocks of each of `N` messages, step by step side by side.
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn run_sha256<const N: usize>(states: [&mut [u32; 8]; N], blocks: [&[u8]; N]) {
    let mut abef = [_mm_setzero_si128(); N];
    let mut cdgh = [_mm_setzero_si128(); N];
    let mut rest = [&[][..]; N];
    for n in 0..N {
        // The instructions want a, b, e, f in one register and c, d, g, h in the other, the first on top.
        let [a, b, c, d, e, f, g, h] = *states[n];
        abef[n] = load(&[f, e, b, a]);
        cdgh[n] = load(&[h, g, d, c]);
        rest[n] = blocks[n].as_chunks::<64>().0;
        assert!(rest[n].len() == rest[0].len());
    }
    for at in 0..rest[0].len() {
        let start = [abef, cdgh];
        let order = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
        let mut words = [[_mm_setzero_si128(); 4]; N];
        for n in 0..N {
            words[n] = message(&rest[n][at], order);
        }
        macro_rules! four {
            ($group:expr, $i:literal) => {
                let t = 4 * $group;
                let k = load(&[K[t], K[t + 1], K[t + 2], K[t + 3]]);
                for n in 0..N {
                    let sum = _mm_add_epi32(words[n][$i], k);
                    cdgh[n] = _mm_sha256rnds2_epu32(cdgh[n], abef[n], sum);
                    abef[n] = _mm_sha256rnds2_epu32(abef[n], cdgh[n], _mm_shuffle_epi32::<0x0e>(sum));
                }
            };
        }
        macro_rules! expand {
            ($i:literal) => {
                for n in 0..N {
                    let words = &mut words[n];
                    let last = words[($i + 3) % 4];
                    let sum = _mm_sha256msg1_epu32(words[$i], words[($i + 1) % 4]);
                    let sum = _mm_add_epi32(sum, _mm_alignr_epi8::<4>(last, words[($i + 2) % 4]));
                    words[$i] = _mm_sha256msg2_epu32(sum, last);
                }
            };
        }
        four!(0, 0);
        four!(1, 1);
        four!(2, 2);
        four!(3, 3);
        for group in [4, 8, 12] {
            expand!(0);
            four!(group, 0);
            expand!(1);
            four!(group + 1, 1);
            expand!(2);
            four!(group + 2, 2);
            expand!(3);
            four!(group + 3, 3);
        }
        for n in 0..N {
            abef[n] = _mm_add_epi32(abef[n], start[0][n]);
            cdgh[n] = _mm_add_epi32(cdgh[n], start[1][n]);
        }
    }
    for (n, state) in states.into_iter().enumerate() {
        let ([f, e, b, a], [h, g, d, c]) = (store(abef[n]), store(cdgh[n]));
        *state = [a, b, c, d, e, f, g, h];
    }
}

/// A block's words, with the bytes of each four in the given order.
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn message(block: &[u8; 64], order: __m128i) -> [__m128i; 4] {
    let mut words = [_mm_setzero_si128(); 4];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<16>().0) {
        // SAFETY: `bytes` is 16 bytes long, and the load needs no alignment.
        let bytes = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        *word = _mm_shuffle_epi8(bytes, order);
    }
    words
}

#[target_feature(enable = "sse2")]
fn load(words: &[u32; 4]) -> __m128i {
    // SAFETY: `words` is 16 bytes long, and the load needs no alignment.
    unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
}

#[target_feature(enable = "sse2")]
fn store(register: __m128i) -> [u32; 4] {
    let mut words = [0; 4];
    // SAFETY: `words` is 16 bytes long, and the store needs no alignment.
    unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), register) };
    words
}
