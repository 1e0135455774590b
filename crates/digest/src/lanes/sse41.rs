//! SSE up to 4.1: four 32-bit or two 64-bit words a register.

use super::register::{register, token};
use super::vector::Order;
use std::arch::x86_64::*;

token! {
    /// Token: the CPU has SSE4.1 and SSSE3.
    Sse41: X4, X2, "ssse3,sse4.1"
}

register! {
    X4(__m128i): 4 x u32, Sse41;
    add _mm_add_epi32; and _mm_and_si128; or _mm_or_si128;
    xor _mm_xor_si128; ones _mm_set1_epi32(-1);
    splat(word) _mm_set1_epi32(word as i32);
    load(words) _mm_loadu_si128(words.cast());
    store(words, x) _mm_storeu_si128(words.cast(), x);
    rotl(x, bits) _mm_or_si128(
        _mm_sll_epi32(x, _mm_cvtsi32_si128(bits as i32)),
        _mm_srl_epi32(x, _mm_cvtsi32_si128(32 - bits as i32)),
    );
    shr(x, bits) _mm_srl_epi32(x, _mm_cvtsi32_si128(bits as i32));
    gather gather_words;
}

register! {
    X2(__m128i): 2 x u64, Sse41;
    add _mm_add_epi64; and _mm_and_si128; or _mm_or_si128;
    xor _mm_xor_si128; ones _mm_set1_epi32(-1);
    splat(word) _mm_set1_epi64x(word as i64);
    load(words) _mm_loadu_si128(words.cast());
    store(words, x) _mm_storeu_si128(words.cast(), x);
    rotl(x, bits) _mm_or_si128(
        _mm_sll_epi64(x, _mm_cvtsi32_si128(bits as i32)),
        _mm_srl_epi64(x, _mm_cvtsi32_si128(64 - bits as i32)),
    );
    shr(x, bits) _mm_srl_epi64(x, _mm_cvtsi32_si128(bits as i32));
    gather gather_long_words;
}

/// Loads sixteen bytes of a row, with the bytes of each word reversed if they are big-endian.
///
/// # Safety
/// SSSE3, and 16 readable bytes.
#[inline(always)]
unsafe fn quarter(row: *const u8, swap: Option<__m128i>) -> __m128i {
    // SAFETY: the caller's promise.
    unsafe {
        let bytes = _mm_loadu_si128(row.cast());
        match swap {
            Some(swap) => _mm_shuffle_epi8(bytes, swap),
            None => bytes,
        }
    }
}

/// Loads and transposes four words of each of four rows.
///
/// # Safety
/// SSSE3 and SSE4.1, and as `Vector::gather`.
#[inline(always)]
unsafe fn gather_words(rows: *const *const u8, at: usize, order: Order, out: *mut X4, stride: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let swap = match order {
            Order::Little => None,
            Order::Big => Some(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203)),
        };
        let a = quarter((*rows.add(0)).add(at), swap);
        let b = quarter((*rows.add(1)).add(at), swap);
        let c = quarter((*rows.add(2)).add(at), swap);
        let d = quarter((*rows.add(3)).add(at), swap);
        let (ab_low, ab_high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
        out.write(X4(_mm_unpacklo_epi64(ab_low, cd_low)));
        out.add(stride).write(X4(_mm_unpackhi_epi64(ab_low, cd_low)));
        out.add(2 * stride).write(X4(_mm_unpacklo_epi64(ab_high, cd_high)));
        out.add(3 * stride).write(X4(_mm_unpackhi_epi64(ab_high, cd_high)));
    }
}

/// Loads and transposes two long words of each of two rows.
///
/// # Safety
/// SSSE3 and SSE4.1, and as `Vector::gather`.
#[inline(always)]
unsafe fn gather_long_words(rows: *const *const u8, at: usize, order: Order, out: *mut X2, stride: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let swap = match order {
            Order::Little => None,
            Order::Big => Some(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607)),
        };
        let a = quarter((*rows.add(0)).add(at), swap);
        let b = quarter((*rows.add(1)).add(at), swap);
        out.write(X2(_mm_unpacklo_epi64(a, b)));
        out.add(stride).write(X2(_mm_unpackhi_epi64(a, b)));
    }
}
