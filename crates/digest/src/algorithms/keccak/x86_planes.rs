//! Keccak-p[1600] for one message.
//!
//! With AVX-512, a register holds a plane: the five lanes of one y. Theta and rho work on planes. If pi only exchanges
//! lanes within a register, it turns planes into sheets (the five lanes of one x), and chi works on sheets without any
//! exchange. A transposition then makes planes again.

#![allow(unsafe_code)]

use super::{Keccak, ROTATE, ROUND};
use crate::machine::Isa;
use std::arch::x86_64::*;

/// Absorbs blocks with one plane in each register.
pub(super) fn absorb(keccak: &mut Keccak, blocks: &[u8]) {
    assert!(Isa::Avx512.present());
    // SAFETY: the assertion above checks the processor's features.
    unsafe { run(keccak, blocks) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn run(keccak: &mut Keccak, blocks: &[u8]) {
    let mut planes = [_mm512_setzero_si512(); 5];
    for y in 0..5 {
        planes[y] = load(&keccak.lanes[5 * y..5 * y + 5]);
    }
    for block in blocks.chunks_exact(keccak.rate) {
        let words = block.as_chunks::<8>().0;
        for y in 0..5 {
            planes[y] = _mm512_xor_si512(planes[y], load(&words[(5 * y).min(words.len())..]));
        }
        for constant in &ROUND[24 - keccak.rounds..] {
            planes = round(planes, *constant);
        }
    }
    for y in 0..5 {
        // SAFETY: the mask lets five lanes through, and there are at least five from there on.
        unsafe {
            _mm512_mask_storeu_epi64(keccak.lanes[5 * y..5 * y + 5].as_mut_ptr().cast(), 31, planes[y])
        };
    }
}

/// Loads the first five words, or as many as there are, and zeros. A word is eight bytes.
#[target_feature(enable = "avx512f")]
fn load<T: Copy>(words: &[T]) -> __m512i {
    const { assert!(size_of::<T>() == 8) };
    let mask = (1_u8 << words.len().min(5)) - 1;
    // SAFETY: the mask lets no more lanes through than there are words, and the load needs no alignment.
    unsafe { _mm512_maskz_loadu_epi64(mask, words.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
fn round(mut planes: [__m512i; 5], constant: u64) -> [__m512i; 5] {
    let [a, b, c, d, e] = planes;
    let sums = exclusive_or(exclusive_or(a, b, c), d, e);
    let left = _mm512_permutexvar_epi64(_mm512_setr_epi64(4, 0, 1, 2, 3, 5, 6, 7), sums);
    let right = _mm512_permutexvar_epi64(_mm512_setr_epi64(1, 2, 3, 4, 0, 5, 6, 7), sums);
    let right = _mm512_rol_epi64::<1>(right);
    for y in 0..5 {
        let plane = exclusive_or(planes[y], left, right);
        let plane = _mm512_rolv_epi64(plane, load(&RHO[y]));
        planes[y] = _mm512_permutexvar_epi64(load(&PI[y]), plane);
    }
    // These are sheets. The constant is the truth table of a ^ (!b & c).
    let [a, b, c, d, e] = planes;
    let mut sheets = [
        _mm512_ternarylogic_epi64::<0xd2>(a, b, c),
        _mm512_ternarylogic_epi64::<0xd2>(b, c, d),
        _mm512_ternarylogic_epi64::<0xd2>(c, d, e),
        _mm512_ternarylogic_epi64::<0xd2>(d, e, a),
        _mm512_ternarylogic_epi64::<0xd2>(e, a, b),
    ];
    sheets[0] = _mm512_xor_si512(sheets[0], load(&[constant]));
    transpose(sheets)
}

#[target_feature(enable = "avx512f")]
fn exclusive_or(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0x96>(a, b, c)
}

/// Moves lane j of register i to lane i of register j.
#[target_feature(enable = "avx512f")]
fn transpose([a, b, c, d, e]: [__m512i; 5]) -> [__m512i; 5] {
    let (even, odd) = (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
    let (even2, odd2) = (_mm512_unpacklo_epi64(c, d), _mm512_unpackhi_epi64(c, d));
    macro_rules! gather {
        ($first:expr, $second:expr, $pair:literal, $lane:literal) => {{
            let pairs = _mm512_setr_epi64($pair, $pair + 1, $pair + 8, $pair + 9, 0, 0, 0, 0);
            let four = _mm512_permutex2var_epi64($first, pairs, $second);
            _mm512_mask_permutexvar_epi64(four, 16, _mm512_set1_epi64($lane), e)
        }};
    }
    [
        gather!(even, even2, 0, 0),
        gather!(odd, odd2, 0, 1),
        gather!(even, even2, 2, 2),
        gather!(odd, odd2, 2, 3),
        gather!(even, even2, 4, 4),
    ]
}

/// How far rho rotates each lane of each plane.
static RHO: [[u64; 5]; 5] = {
    let mut table = [[0; 5]; 5];
    let mut at = 0;
    while at < 25 {
        table[at / 5][at % 5] = ROTATE[at] as u64;
        at += 1;
    }
    table
};

/// Pi moves lane x of plane y to lane 2x + 3y of sheet y; this is the source x of each lane.
static PI: [[u64; 5]; 5] = {
    let mut table = [[0; 5]; 5];
    let mut at = 0;
    while at < 25 {
        let (x, y) = (at % 5, at / 5);
        table[y][(2 * x + 3 * y) % 5] = x as u64;
        at += 1;
    }
    table
};
