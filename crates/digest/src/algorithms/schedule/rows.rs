//! Rows of words in vector registers: the same word of the message schedules of several blocks.
//!
//! A schedule is written once over [`BlockWords`]. The methods are inlined into functions compiled with the features
//! that they need, and into no others: only the `x86_ahead.rs` of an algorithm uses rows.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// Words that are processed together, one of each block.
pub(crate) trait BlockWords: Copy {
    type Word: Copy;
    const ZERO: Self;
    /// Loads four rows of words from the same place of every block, most significant byte first. `blocks` points at
    /// that place in the first block; blocks are `stride` bytes apart.
    ///
    /// # Safety
    /// The words of all blocks must be readable.
    unsafe fn load(blocks: *const u8, stride: usize) -> [Self; 4];
    /// Returns a row with the same word in every place.
    fn splat(word: Self::Word) -> Self;
    /// Adds word by word, without carry.
    fn add(self, other: Self) -> Self;
    /// Computes the exclusive or, word by word.
    fn xor(self, other: Self) -> Self;
    fn shift(self, bits: u32) -> Self;
    fn rotate(self, bits: u32) -> Self;
}

macro_rules! row {
    ($(#[$doc:meta])* $name:ident($register:ident): $word:ident, $load:ident, $splat:ident, $add:ident, $xor:ident, $shift:ident,
     |$row:ident, $bits:ident| $rotate:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($register);

        impl BlockWords for $name {
            type Word = $word;
            // SAFETY: any bytes are a vector.
            const ZERO: Self = $name(unsafe { std::mem::zeroed() });
            #[inline(always)]
            unsafe fn load(blocks: *const u8, stride: usize) -> [Self; 4] {
                // SAFETY: the caller's promise; the caller is compiled for the features.
                unsafe { $load(blocks, stride).map($name) }
            }
            #[inline(always)]
            fn splat(word: $word) -> Self {
                // SAFETY: the caller is compiled for the features.
                $name(unsafe { $splat(word.cast_signed()) })
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                // SAFETY: the caller is compiled for the features.
                $name(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: the caller is compiled for the features.
                $name(unsafe { $xor(self.0, other.0) })
            }
            #[inline(always)]
            fn shift(self, bits: u32) -> Self {
                // SAFETY: the caller is compiled for the features.
                $name(unsafe { $shift(self.0, _mm_cvtsi32_si128(bits.cast_signed())) })
            }
            #[inline(always)]
            fn rotate(self, $bits: u32) -> Self {
                let $row = self.0;
                // SAFETY: the caller is compiled for the features.
                $name(unsafe { $rotate })
            }
        }
    };
}

row! {
    /// Eight words of 32 bits, for AVX2.
    Avx2x8(__m256i): u32, load8, _mm256_set1_epi32, _mm256_add_epi32, _mm256_xor_si256, _mm256_srl_epi32, |row, bits| {
        let left = _mm256_sll_epi32(row, _mm_cvtsi32_si128((32 - bits).cast_signed()));
        _mm256_or_si256(_mm256_srl_epi32(row, _mm_cvtsi32_si128(bits.cast_signed())), left)
    }
}

row! {
    /// Four words of 64 bits, for AVX2.
    Avx2x4(__m256i): u64, load4, _mm256_set1_epi64x, _mm256_add_epi64, _mm256_xor_si256, _mm256_srl_epi64, |row, bits| {
        let left = _mm256_sll_epi64(row, _mm_cvtsi32_si128((64 - bits).cast_signed()));
        _mm256_or_si256(_mm256_srl_epi64(row, _mm_cvtsi32_si128(bits.cast_signed())), left)
    }
}

row! {
    /// Eight words of 32 bits, for AVX-512, which has rotations.
    Avx512x8(__m256i): u32, load8, _mm256_set1_epi32, _mm256_add_epi32, _mm256_xor_si256, _mm256_srl_epi32, |row, bits| {
        _mm256_rorv_epi32(row, _mm256_set1_epi32(bits.cast_signed()))
    }
}

row! {
    /// Four words of 64 bits, for AVX-512, which has rotations.
    Avx512x4(__m256i): u64, load4, _mm256_set1_epi64x, _mm256_add_epi64, _mm256_xor_si256, _mm256_srl_epi64, |row, bits| {
        _mm256_rorv_epi64(row, _mm256_set1_epi64x(bits.into()))
    }
}

row! {
    /// Eight words of 64 bits, for AVX-512.
    Avx512x8Long(__m512i): u64, load8_long, _mm512_set1_epi64, _mm512_add_epi64, _mm512_xor_si512, _mm512_srl_epi64,
    |row, bits| {
        _mm512_rorv_epi64(row, _mm512_set1_epi64(bits.into()))
    }
}

/// Loads 16 bytes from two places and shuffles each by `order`. It is a function because a closure would be compiled
/// without AVX2 and call every intrinsic.
///
/// # Safety
/// AVX2, and 16 readable bytes at both places.
#[inline(always)]
unsafe fn pair(from: *const u8, apart: usize, order: __m128i) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let low = _mm_loadu_si128(from.cast());
        let high = _mm_loadu_si128(from.add(apart).cast());
        _mm256_shuffle_epi8(_mm256_set_m128i(high, low), _mm256_broadcastsi128_si256(order))
    }
}

/// Loads and transposes four words of 32 bits of eight blocks.
///
/// # Safety
/// AVX2, and 16 readable bytes in each block.
#[inline(always)]
unsafe fn load8(blocks: *const u8, stride: usize) -> [__m256i; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let order = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
        let apart = 4 * stride;
        let a = pair(blocks, apart, order);
        let b = pair(blocks.add(stride), apart, order);
        let c = pair(blocks.add(2 * stride), apart, order);
        let d = pair(blocks.add(3 * stride), apart, order);
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

/// Loads and transposes four words of 64 bits of four blocks.
///
/// # Safety
/// AVX2, and 32 readable bytes in each block.
#[inline(always)]
unsafe fn load4(blocks: *const u8, stride: usize) -> [__m256i; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let order = _mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607);
        let (apart, next) = (2 * stride, blocks.add(stride));
        let (a, b) = (pair(blocks, apart, order), pair(next, apart, order));
        let (a2, b2) = (pair(blocks.add(16), apart, order), pair(next.add(16), apart, order));
        [
            _mm256_unpacklo_epi64(a, b),
            _mm256_unpackhi_epi64(a, b),
            _mm256_unpacklo_epi64(a2, b2),
            _mm256_unpackhi_epi64(a2, b2),
        ]
    }
}

/// Loads and transposes four words of 64 bits of eight blocks.
///
/// # Safety
/// AVX-512 F, and 32 readable bytes in each block.
#[inline(always)]
unsafe fn load8_long(blocks: *const u8, stride: usize) -> [__m512i; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let [a, b, c, d] = load4(blocks, stride);
        let [a2, b2, c2, d2] = load4(blocks.add(4 * stride), stride);
        [
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(a), a2),
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(b), b2),
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(c), c2),
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(d), d2),
        ]
    }
}
