//! Folding with PCLMULQDQ and VPCLMULQDQ.

#![allow(unsafe_code)]

use super::fold::{Block, Blocks, FoldKernel, LEAST_BLOCKS};
use crate::machine::Isa;
use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::*;

pub(super) const WAYS: &[FoldKernel] = &[
    FoldKernel {
        name: "avx512 (vpclmulqdq)",
        isa: Isa::Avx512,
        is_there: || has!("vpclmulqdq") && has!("pclmulqdq"),
        folds: [sixteen::<false>, sixteen::<true>],
    },
    FoldKernel {
        name: "avx2 (vpclmulqdq)",
        isa: Isa::Avx2,
        is_there: || has!("vpclmulqdq") && has!("pclmulqdq"),
        folds: [pairs::<false>, pairs::<true>],
    },
    FoldKernel {
        name: "sse4.1 (pclmulqdq)",
        isa: Isa::Sse41,
        is_there: || has!("pclmulqdq"),
        folds: [eight::<false>, eight::<true>],
    },
];

fn eight<const FLIP: bool>(blocks: Blocks<'_>) -> [u64; 2] {
    // SAFETY: an implementation is chosen only if the processor has its features (`fold::all`).
    unsafe { by_eight::<FLIP>(blocks) }
}

fn pairs<const FLIP: bool>(blocks: Blocks<'_>) -> [u64; 2] {
    // SAFETY: as above.
    unsafe { by_pairs::<FLIP>(blocks) }
}

fn sixteen<const FLIP: bool>(blocks: Blocks<'_>) -> [u64; 2] {
    // SAFETY: as above.
    unsafe { by_sixteen::<FLIP>(blocks) }
}

/// Folds with eight registers of one block.
#[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
fn by_eight<const FLIP: bool>(Blocks { keys, remainder, blocks }: Blocks<'_>) -> [u64; 2] {
    let (rows, rest) = blocks.as_chunks::<LEAST_BLOCKS>();
    let Some((first, rows)) = rows.split_first() else { unreachable!("there are eight blocks") };
    let mut sums = first.each_ref().map(|block| load::<FLIP>(block));
    sums[0] = _mm_xor_si128(sums[0], _mm_set_epi64x(0, remainder.cast_signed()));
    let key = pair(keys.after_8);
    for row in rows {
        for (sum, block) in sums.iter_mut().zip(row) {
            *sum = next(*sum, key, load::<FLIP>(block));
        }
    }
    one_by_one::<FLIP>(&sums, pair(keys.next), rest)
}

/// Folds with four registers of two blocks.
#[target_feature(enable = "pclmulqdq,vpclmulqdq,avx2")]
fn by_pairs<const FLIP: bool>(Blocks { keys, remainder, blocks }: Blocks<'_>) -> [u64; 2] {
    let (rows, rest) = blocks.as_chunks::<LEAST_BLOCKS>();
    let Some((first, rows)) = rows.split_first() else { unreachable!("there are eight blocks") };
    let of = |row: &[Block; LEAST_BLOCKS], at| load_2::<FLIP>(&row[2 * at], &row[2 * at + 1]);
    let mut sums = [of(first, 0), of(first, 1), of(first, 2), of(first, 3)];
    sums[0] = _mm256_xor_si256(sums[0], _mm256_set_epi64x(0, 0, 0, remainder.cast_signed()));
    let key = _mm256_broadcastsi128_si256(pair(keys.after_8));
    for row in rows {
        for (at, sum) in sums.iter_mut().enumerate() {
            let low = _mm256_clmulepi64_epi128::<0x00>(*sum, key);
            let high = _mm256_clmulepi64_epi128::<0x11>(*sum, key);
            *sum = _mm256_xor_si256(_mm256_xor_si256(low, high), of(row, at));
        }
    }
    let halves = sums.map(|sum| [_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum)]);
    one_by_one::<FLIP>(halves.as_flattened(), pair(keys.next), rest)
}

/// Folds with four registers of four blocks.
#[target_feature(enable = "pclmulqdq,vpclmulqdq,avx512f,avx512bw,avx512dq,avx512vl")]
fn by_sixteen<const FLIP: bool>(all: Blocks<'_>) -> [u64; 2] {
    let Blocks { keys, remainder, blocks } = all;
    let (rows, rest) = blocks.as_chunks::<16>();
    let Some((first, rows)) = rows.split_first() else { return by_pairs::<FLIP>(all) };
    let mut sums = [0, 1, 2, 3].map(|at| load_4::<FLIP>(first, at));
    let before = _mm512_set_epi64(0, 0, 0, 0, 0, 0, 0, remainder.cast_signed());
    sums[0] = _mm512_xor_si512(sums[0], before);
    let key = _mm512_broadcast_i32x4(pair(keys.after_16));
    for row in rows {
        for (at, sum) in sums.iter_mut().enumerate() {
            let low = _mm512_clmulepi64_epi128::<0x00>(*sum, key);
            let high = _mm512_clmulepi64_epi128::<0x11>(*sum, key);
            // The exclusive or of three values.
            *sum = _mm512_ternarylogic_epi64::<0x96>(low, high, load_4::<FLIP>(row, at));
        }
    }
    let quarters = sums.map(|sum| {
        [
            _mm512_castsi512_si128(sum),
            _mm512_extracti32x4_epi32::<1>(sum),
            _mm512_extracti32x4_epi32::<2>(sum),
            _mm512_extracti32x4_epi32::<3>(sum),
        ]
    });
    one_by_one::<FLIP>(quarters.as_flattened(), pair(keys.next), rest)
}

/// Folds consecutive blocks, and those after them.
#[inline]
#[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
fn one_by_one<const FLIP: bool>(sums: &[__m128i], key: __m128i, rest: &[Block]) -> [u64; 2] {
    let mut last = _mm_setzero_si128();
    for sum in sums {
        last = next(last, key, *sum);
    }
    for block in rest {
        last = next(last, key, load::<FLIP>(block));
    }
    [_mm_cvtsi128_si64(last).cast_unsigned(), _mm_extract_epi64::<1>(last).cast_unsigned()]
}

/// Shifts a block to the place of the next and adds them.
#[inline]
#[target_feature(enable = "pclmulqdq,ssse3,sse4.1")]
fn next(sum: __m128i, key: __m128i, block: __m128i) -> __m128i {
    let (low, high) = (_mm_clmulepi64_si128::<0x00>(sum, key), _mm_clmulepi64_si128::<0x11>(sum, key));
    _mm_xor_si128(_mm_xor_si128(low, high), block)
}

#[inline]
#[target_feature(enable = "sse2")]
fn pair(keys: [u64; 2]) -> __m128i {
    _mm_set_epi64x(keys[1].cast_signed(), keys[0].cast_signed())
}

#[inline]
#[target_feature(enable = "ssse3")]
fn load<const FLIP: bool>(block: &Block) -> __m128i {
    // SAFETY: the reference is to 16 bytes.
    let block = unsafe { _mm_loadu_si128(block.as_ptr().cast()) };
    if !FLIP {
        return block;
    }
    let (low, high) = (_mm_and_si128(block, _mm_set1_epi8(15)), _mm_srli_epi16::<4>(block));
    let high = _mm_and_si128(high, _mm_set1_epi8(15));
    let low = _mm_shuffle_epi8(flipped(), low);
    _mm_or_si128(_mm_slli_epi16::<4>(low), _mm_shuffle_epi8(flipped(), high))
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_2<const FLIP: bool>(first: &Block, second: &Block) -> __m256i {
    _mm256_set_m128i(load::<FLIP>(second), load::<FLIP>(first))
}

/// Loads a quarter of a row.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
fn load_4<const FLIP: bool>(row: &[Block; 16], at: usize) -> __m512i {
    let quarter = &row.as_flattened()[64 * at..64 * at + 64];
    // SAFETY: the slice has 64 bytes.
    let blocks = unsafe { _mm512_loadu_si512(quarter.as_ptr().cast()) };
    if !FLIP {
        return blocks;
    }
    let (nibble, table) = (_mm512_set1_epi8(15), _mm512_broadcast_i32x4(flipped()));
    let low = _mm512_shuffle_epi8(table, _mm512_and_si512(blocks, nibble));
    let high = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16::<4>(blocks), nibble));
    _mm512_or_si512(_mm512_slli_epi16::<4>(low), high)
}

/// Returns each number below sixteen with its bits reversed.
#[inline]
#[target_feature(enable = "sse2")]
fn flipped() -> __m128i {
    _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15)
}
