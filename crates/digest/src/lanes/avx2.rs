//! AVX2: eight 32-bit or four 64-bit words a register.

use super::register::{register, token};
use super::vector::Order;
use std::arch::x86_64::*;

token! {
    /// Token: the CPU has AVX2.
    Avx2: X8, X4, "avx2"
}

register! {
    X8(__m256i): 8 x u32, Avx2;
    add _mm256_add_epi32; and _mm256_and_si256; or _mm256_or_si256;
    xor _mm256_xor_si256; ones _mm256_set1_epi32(-1);
    splat(word) _mm256_set1_epi32(word as i32);
    load(words) _mm256_loadu_si256(words.cast());
    store(words, x) _mm256_storeu_si256(words.cast(), x);
    rotl(x, bits) _mm256_or_si256(
        _mm256_sll_epi32(x, _mm_cvtsi32_si128(bits as i32)),
        _mm256_srl_epi32(x, _mm_cvtsi32_si128(32 - bits as i32)),
    );
    shr(x, bits) _mm256_srl_epi32(x, _mm_cvtsi32_si128(bits as i32));
    gather gather_words;
}

register! {
    X4(__m256i): 4 x u64, Avx2;
    add _mm256_add_epi64; and _mm256_and_si256; or _mm256_or_si256;
    xor _mm256_xor_si256; ones _mm256_set1_epi32(-1);
    splat(word) _mm256_set1_epi64x(word as i64);
    load(words) _mm256_loadu_si256(words.cast());
    store(words, x) _mm256_storeu_si256(words.cast(), x);
    rotl(x, bits) _mm256_or_si256(
        _mm256_sll_epi64(x, _mm_cvtsi32_si128(bits as i32)),
        _mm256_srl_epi64(x, _mm_cvtsi32_si128(64 - bits as i32)),
    );
    shr(x, bits) _mm256_srl_epi64(x, _mm_cvtsi32_si128(bits as i32));
    gather gather_long_words;
}

/// Loads sixteen bytes of two rows, one row in each half, with the bytes of each word reversed if they are big-endian.
/// Loading the halves separately saves the last stage of shuffles.
///
/// # Safety
/// AVX2, and 16 readable bytes in each row.
#[inline(always)]
unsafe fn pair(low: *const u8, high: *const u8, swap: Option<__m256i>) -> __m256i {
    // SAFETY: the caller's promise.
    unsafe {
        let low = _mm256_castsi128_si256(_mm_loadu_si128(low.cast()));
        let bytes = _mm256_inserti128_si256::<1>(low, _mm_loadu_si128(high.cast()));
        match swap {
            Some(swap) => _mm256_shuffle_epi8(bytes, swap),
            None => bytes,
        }
    }
}

/// Loads and transposes words 0 to 3 from byte `at` of eight rows.
///
/// # Safety
/// AVX2, and as `Vector::gather`.
#[inline(always)]
unsafe fn four_words(rows: *const *const u8, at: usize, swap: Option<__m256i>, out: *mut X8, stride: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let a = pair((*rows.add(0)).add(at), (*rows.add(4)).add(at), swap);
        let b = pair((*rows.add(1)).add(at), (*rows.add(5)).add(at), swap);
        let c = pair((*rows.add(2)).add(at), (*rows.add(6)).add(at), swap);
        let d = pair((*rows.add(3)).add(at), (*rows.add(7)).add(at), swap);
        let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        out.write(X8(_mm256_unpacklo_epi64(ab_low, cd_low)));
        out.add(stride).write(X8(_mm256_unpackhi_epi64(ab_low, cd_low)));
        out.add(2 * stride).write(X8(_mm256_unpacklo_epi64(ab_high, cd_high)));
        out.add(3 * stride).write(X8(_mm256_unpackhi_epi64(ab_high, cd_high)));
    }
}

/// Loads and transposes eight words of each of eight rows.
///
/// # Safety
/// AVX2, and as `Vector::gather`.
#[inline(always)]
unsafe fn gather_words(rows: *const *const u8, at: usize, order: Order, out: *mut X8, stride: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let swap = match order {
            Order::Little => None,
            Order::Big => Some(_mm256_broadcastsi128_si256(_mm_set_epi64x(
                0x0c0d_0e0f_0809_0a0b,
                0x0405_0607_0001_0203,
            ))),
        };
        four_words(rows, at, swap, out, stride);
        four_words(rows, at + 16, swap, out.add(4 * stride), stride);
    }
}

/// Loads and transposes four long words of each of four rows.
///
/// # Safety
/// AVX2, and as `Vector::gather`.
#[inline(always)]
unsafe fn gather_long_words(rows: *const *const u8, at: usize, order: Order, out: *mut X4, stride: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let swap = match order {
            Order::Little => None,
            Order::Big => Some(_mm256_broadcastsi128_si256(_mm_set_epi64x(
                0x0809_0a0b_0c0d_0e0f,
                0x0001_0203_0405_0607,
            ))),
        };
        let a = pair((*rows.add(0)).add(at), (*rows.add(2)).add(at), swap);
        let b = pair((*rows.add(1)).add(at), (*rows.add(3)).add(at), swap);
        let c = pair((*rows.add(0)).add(at + 16), (*rows.add(2)).add(at + 16), swap);
        let d = pair((*rows.add(1)).add(at + 16), (*rows.add(3)).add(at + 16), swap);
        out.write(X4(_mm256_unpacklo_epi64(a, b)));
        out.add(stride).write(X4(_mm256_unpackhi_epi64(a, b)));
        out.add(2 * stride).write(X4(_mm256_unpacklo_epi64(c, d)));
        out.add(3 * stride).write(X4(_mm256_unpackhi_epi64(c, d)));
    }
}
