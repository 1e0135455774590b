//! SHA-256 with the processor's instructions for it.

#![allow(unsafe_code)]

use super::constants::K;
use crate::machine::Isa;
use std::arch::x86_64::*;

pub(super) fn compress(state: &mut [u32; 8], blocks: &[u8]) {
    assert!(Isa::Shani.present());
    // SAFETY: the assertion above checks the processor's features.
    unsafe { run([state], [blocks]) }
}

/// Compresses equally many blocks of two messages: on AMD's processors each of these instructions waits four cycles for
/// the previous one, and two can start in that time.
pub(super) fn pair(states: [&mut [u32; 8]; 2], blocks: [&[u8]; 2]) {
    assert!(Isa::Shani.present());
    // SAFETY: the assertion above checks the processor's features.
    unsafe { run(states, blocks) }
}

/// Compresses equally many blocks of each of `N` messages, step by step side by side.
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn run<const N: usize>(states: [&mut [u32; 8]; N], blocks: [&[u8]; N]) {
    let mut abef = [_mm_setzero_si128(); N];
    let mut cdgh = [_mm_setzero_si128(); N];
    let mut rest = [&[][..]; N];
    for n in 0..N {
        // The instructions require a, b, e, f in one register and c, d, g, h in the other, the first in the highest
        // place.
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

/// Loads a block's words, with the bytes of each four in the given order.
#[target_feature(enable = "sha,ssse3,sse4.1")]
pub(crate) fn message(block: &[u8; 64], order: __m128i) -> [__m128i; 4] {
    let mut words = [_mm_setzero_si128(); 4];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<16>().0) {
        // SAFETY: `bytes` is 16 bytes long, and the load needs no alignment.
        let bytes = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        *word = _mm_shuffle_epi8(bytes, order);
    }
    words
}

#[target_feature(enable = "sse2")]
pub(crate) fn load(words: &[u32; 4]) -> __m128i {
    // SAFETY: `words` is 16 bytes long, and the load needs no alignment.
    unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
}

#[target_feature(enable = "sse2")]
pub(crate) fn store(register: __m128i) -> [u32; 4] {
    let mut words = [0; 4];
    // SAFETY: `words` is 16 bytes long, and the store needs no alignment.
    unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), register) };
    words
}
