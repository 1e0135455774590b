//! Rows in vector registers of 256 bits.

#![allow(unsafe_code)]

use crate::row::Row;
use std::arch::x86_64::*;
use std::mem::transmute;

/// A row type. Its methods are inlined into functions compiled with the features that they need, and into
/// no others: the types are used by the doors of `ahead.rs` alone.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident: $word:ident x $lanes:literal,
     $splat:ident $cast:ident, $add:ident, $shift:ident, |$row:ident, $bits:ident| $rotate:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name(__m256i);

        impl Row<$word, $lanes> for $name {
            #[inline(always)]
            fn new(words: [$word; $lanes]) -> Self {
                // SAFETY: any 32 bytes are a vector.
                $name(unsafe { transmute::<[$word; $lanes], __m256i>(words) })
            }
            #[inline(always)]
            fn words(self) -> [$word; $lanes] {
                // SAFETY: any 32 bytes are words.
                unsafe { transmute::<__m256i, [$word; $lanes]>(self.0) }
            }
            #[inline(always)]
            fn splat(word: $word) -> Self {
                // SAFETY: the door checked for the features.
                $name(unsafe { $splat(word.$cast()) })
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
    /// Words of 32 bits, for AVX2.
    Avx2x8: u32 x 8, _mm256_set1_epi32 cast_signed, _mm256_add_epi32, _mm256_srl_epi32, |row, bits| {
        let left = _mm256_sll_epi32(row, _mm_cvtsi32_si128((32 - bits).cast_signed()));
        _mm256_or_si256(_mm256_srl_epi32(row, _mm_cvtsi32_si128(bits.cast_signed())), left)
    }
}

row! {
    /// Words of 64 bits, for AVX2.
    Avx2x4: u64 x 4, _mm256_set1_epi64x cast_signed, _mm256_add_epi64, _mm256_srl_epi64, |row, bits| {
        let left = _mm256_sll_epi64(row, _mm_cvtsi32_si128((64 - bits).cast_signed()));
        _mm256_or_si256(_mm256_srl_epi64(row, _mm_cvtsi32_si128(bits.cast_signed())), left)
    }
}

row! {
    /// Words of 32 bits, for AVX-512: with rotations.
    Avx512x8: u32 x 8, _mm256_set1_epi32 cast_signed, _mm256_add_epi32, _mm256_srl_epi32, |row, bits| {
        _mm256_rorv_epi32(row, _mm256_set1_epi32(bits.cast_signed()))
    }
}

row! {
    /// Words of 64 bits, for AVX-512: with rotations.
    Avx512x4: u64 x 4, _mm256_set1_epi64x cast_signed, _mm256_add_epi64, _mm256_srl_epi64, |row, bits| {
        _mm256_rorv_epi64(row, _mm256_set1_epi64x(bits.into()))
    }
}
