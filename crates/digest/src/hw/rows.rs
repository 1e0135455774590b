//! Rows of words in vector registers of 256 bits: the same word of the message schedules of several blocks.
//!
//! A schedule is written once over [`Row`]. The methods are inlined into functions compiled with the
//! features that they need, and into no others: rows are used by the doors of `ahead.rs` alone.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// Words that are worked on together, one of each block.
pub(super) trait Row: Copy {
    /// One word.
    type Word: Copy;
    /// Zeros.
    const ZERO: Self;
    /// Four rows of words from the same place of every block, most significant byte first. `blocks` points
    /// at that place in the first block, and the next is `stride` bytes on.
    ///
    /// # Safety
    /// The words of all blocks must be readable.
    unsafe fn load(blocks: *const u8, stride: usize) -> [Self; 4];
    /// The same word in every place.
    fn splat(word: Self::Word) -> Self;
    /// Word by word, the sum without the carry.
    fn add(self, other: Self) -> Self;
    /// Word by word, exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Every word shifted right.
    fn shift(self, bits: u32) -> Self;
    /// Every word rotated right.
    fn rotate(self, bits: u32) -> Self;
}

macro_rules! row {
    ($(#[$doc:meta])* $name:ident: $word:ident, $load:ident, $splat:ident, $add:ident, $shift:ident,
     |$row:ident, $bits:ident| $rotate:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(super) struct $name(__m256i);

        impl Row for $name {
            type Word = $word;
            // SAFETY: any 32 bytes are a vector.
            const ZERO: Self = $name(unsafe { std::mem::zeroed() });
            #[inline(always)]
            unsafe fn load(blocks: *const u8, stride: usize) -> [Self; 4] {
                // SAFETY: the caller's promise; the door checked for the features.
                unsafe { $load(blocks, stride).map($name) }
            }
            #[inline(always)]
            fn splat(word: $word) -> Self {
                // SAFETY: the door checked for the features.
                $name(unsafe { $splat(word.cast_signed()) })
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: the door checked for the features.
                $name(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: the door checked for the features.
                $name(unsafe { _mm256_xor_si256(self.0, other.0) })
            }
            #[inline(always)]
            fn shift(self, bits: u32) -> Self {
                // SAFETY: the door checked for the features.
                $name(unsafe { $shift(self.0, _mm_cvtsi32_si128(bits.cast_signed())) })
            }
            #[inline(always)]
            fn rotate(self, $bits: u32) -> Self {
                let $row = self.0;
                // SAFETY: the door checked for the features.
                $name(unsafe { $rotate })
            }
        }
    };
}

row! {
    /// Eight words of 32 bits, for AVX2.
    Avx2x8: u32, load8, _mm256_set1_epi32, _mm256_add_epi32, _mm256_srl_epi32, |row, bits| {
        let left = _mm256_sll_epi32(row, _mm_cvtsi32_si128((32 - bits).cast_signed()));
        _mm256_or_si256(_mm256_srl_epi32(row, _mm_cvtsi32_si128(bits.cast_signed())), left)
    }
}

row! {
    /// Four words of 64 bits, for AVX2.
    Avx2x4: u64, load4, _mm256_set1_epi64x, _mm256_add_epi64, _mm256_srl_epi64, |row, bits| {
        let left = _mm256_sll_epi64(row, _mm_cvtsi32_si128((64 - bits).cast_signed()));
        _mm256_or_si256(_mm256_srl_epi64(row, _mm_cvtsi32_si128(bits.cast_signed())), left)
    }
}

row! {
    /// Eight words of 32 bits, for AVX-512, which rotates.
    Avx512x8: u32, load8, _mm256_set1_epi32, _mm256_add_epi32, _mm256_srl_epi32, |row, bits| {
        _mm256_rorv_epi32(row, _mm256_set1_epi32(bits.cast_signed()))
    }
}

row! {
    /// Four words of 64 bits, for AVX-512, which rotates.
    Avx512x4: u64, load4, _mm256_set1_epi64x, _mm256_add_epi64, _mm256_srl_epi64, |row, bits| {
        _mm256_rorv_epi64(row, _mm256_set1_epi64x(bits.into()))
    }
}

/// Four words of 32 bits of eight blocks, transposed.
///
/// # Safety
/// AVX2, and 16 readable bytes in each block.
#[inline(always)]
unsafe fn load8(blocks: *const u8, stride: usize) -> [__m256i; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let pair = |lane: usize| {
            let low = _mm_loadu_si128(blocks.add(stride * lane).cast());
            let high = _mm_loadu_si128(blocks.add(stride * (lane + 4)).cast());
            let order =
                _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203));
            _mm256_shuffle_epi8(_mm256_set_m128i(high, low), order)
        };
        let [a, b, c, d] = [pair(0), pair(1), pair(2), pair(3)];
        let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
        let (ab2, cd2) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
        [
            _mm256_unpacklo_epi64(ab, cd),
            _mm256_unpackhi_epi64(ab, cd),
            _mm256_unpacklo_epi64(ab2, cd2),
            _mm256_unpackhi_epi64(ab2, cd2),
        ]
    }
}

/// Four words of 64 bits of four blocks, transposed.
///
/// # Safety
/// AVX2, and 32 readable bytes in each block.
#[inline(always)]
unsafe fn load4(blocks: *const u8, stride: usize) -> [__m256i; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let pair = |lane: usize, at: usize| {
            let low = _mm_loadu_si128(blocks.add(stride * lane + at).cast());
            let high = _mm_loadu_si128(blocks.add(stride * (lane + 2) + at).cast());
            let order =
                _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
            _mm256_shuffle_epi8(_mm256_set_m128i(high, low), order)
        };
        let (a, b, a2, b2) = (pair(0, 0), pair(1, 0), pair(0, 16), pair(1, 16));
        [
            _mm256_unpacklo_epi64(a, b),
            _mm256_unpackhi_epi64(a, b),
            _mm256_unpacklo_epi64(a2, b2),
            _mm256_unpackhi_epi64(a2, b2),
        ]
    }
}
