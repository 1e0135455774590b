//! SHA-1 with the processor's instructions for it.

#![allow(unsafe_code)]

use crate::algorithms::sha256::x86_sha::{load, message, store};
use crate::machine::Isa;
use std::arch::x86_64::*;

pub(super) fn compress(state: &mut [u32; 5], blocks: &[u8]) {
    assert!(Isa::Shani.present());
    // SAFETY: the assertion above checks the processor's features.
    unsafe { run(state, blocks) }
}

#[target_feature(enable = "sha,ssse3,sse4.1")]
fn run(state: &mut [u32; 5], blocks: &[u8]) {
    let mut abcd = _mm_shuffle_epi32::<0x1b>(load(&[state[0], state[1], state[2], state[3]]));
    let mut e = _mm_set_epi32(state[4].cast_signed(), 0, 0, 0);
    for block in blocks.as_chunks::<64>().0 {
        let (start, start_e) = (abcd, e);
        // The first word is the highest, as the instructions require.
        let order = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
        let mut words = message(block, order);
        // Four rounds: `e` is computed from the `a` of four rounds ago, which is in `before`.
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
