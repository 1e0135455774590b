//! AVX-512: sixteen 32-bit or eight 64-bit words a register, rotation and any function of three inputs in
//! one instruction each.

use super::register::{register, token};
use super::vector::Order;
use std::arch::x86_64::*;

token! {
    /// Token: the CPU has AVX-512 F, BW, DQ and VL.
    Avx512: X16, X8, "avx512f,avx512bw,avx512dq,avx512vl"
}

/// Defines the functions of three inputs. The constant of `vpternlog` is the function's value for
/// A = 0xf0, B = 0xcc, C = 0xaa.
macro_rules! ternary {
    ($name:ident: $($method:ident $table:literal),*) => {
        $(
            #[inline(always)]
            fn $method(self, b: Self, c: Self) -> Self {
                // SAFETY: a register value exists only where `detect` saw the instructions.
                $name(unsafe { _mm512_ternarylogic_epi64::<$table>(self.0, b.0, c.0) })
            }
        )*
    };
}

register! {
    X16(__m512i): 16 x u32, Avx512;
    add _mm512_add_epi32; and _mm512_and_si512; or _mm512_or_si512;
    xor _mm512_xor_si512; ones _mm512_set1_epi32(-1);
    splat(word) _mm512_set1_epi32(word as i32);
    load(words) _mm512_loadu_si512(words.cast());
    store(words, x) _mm512_storeu_si512(words.cast(), x);
    rotl(x, bits) _mm512_rolv_epi32(x, _mm512_set1_epi32(bits as i32));
    shr(x, bits) _mm512_srl_epi32(x, _mm_cvtsi32_si128(bits as i32));
    gather gather_words;
    ternary!(X16: choose 0xca, majority 0xe8, xor3 0x96, xor_or_not 0x2d, xor_not_and 0xd2);
}

register! {
    X8(__m512i): 8 x u64, Avx512;
    add _mm512_add_epi64; and _mm512_and_si512; or _mm512_or_si512;
    xor _mm512_xor_si512; ones _mm512_set1_epi32(-1);
    splat(word) _mm512_set1_epi64(word as i64);
    load(words) _mm512_loadu_si512(words.cast());
    store(words, x) _mm512_storeu_si512(words.cast(), x);
    rotl(x, bits) _mm512_rolv_epi64(x, _mm512_set1_epi64(i64::from(bits)));
    shr(x, bits) _mm512_srl_epi64(x, _mm_cvtsi32_si128(bits as i32));
    gather gather_long_words;
    ternary!(X8: choose 0xca, majority 0xe8, xor3 0x96, xor_or_not 0x2d, xor_not_and 0xd2);
}

/// The byte order that reverses each 32-bit word.
const SWAP32: [i64; 2] = [0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203];
/// The byte order that reverses each 64-bit word.
const SWAP64: [i64; 2] = [0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607];

/// Loads 64 bytes of row `row`, with the bytes of each word reversed if they are big-endian.
///
/// A row is loaded in one piece, so that its cache line is touched once: buffers of many streams often start at
/// multiples of the page size and then share so few places in the cache that a second touch misses.
///
/// # Safety
/// AVX-512, and 64 readable bytes at `at` in that row.
#[inline(always)]
unsafe fn line(rows: *const *const u8, row: usize, at: usize, order: Order, swap: [i64; 2]) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        let bytes = _mm512_loadu_si512((*rows.add(row)).add(at).cast());
        match order {
            Order::Little => bytes,
            Order::Big => {
                _mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(_mm_set_epi64x(swap[0], swap[1])))
            }
        }
    }
}

/// Loads words 4q to 4q + 3, for q from 0 to 3, of four rows: word 4q + w of the rows is quarter q of part w.
///
/// # Safety
/// AVX-512, and as `Vector::gather`, for rows `first` to `first + 3`.
#[inline(always)]
unsafe fn four_rows(rows: *const *const u8, first: usize, at: usize, order: Order) -> [__m512i; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let a = line(rows, first, at, order, SWAP32);
        let b = line(rows, first + 1, at, order, SWAP32);
        let c = line(rows, first + 2, at, order, SWAP32);
        let d = line(rows, first + 3, at, order, SWAP32);
        let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        [
            _mm512_unpacklo_epi64(ab_low, cd_low),
            _mm512_unpackhi_epi64(ab_low, cd_low),
            _mm512_unpacklo_epi64(ab_high, cd_high),
            _mm512_unpackhi_epi64(ab_high, cd_high),
        ]
    }
}

/// Transposes four by four quarters of registers.
///
/// # Safety
/// AVX-512.
#[inline(always)]
unsafe fn quarters(a: __m512i, b: __m512i, c: __m512i, d: __m512i) -> [__m512i; 4] {
    // SAFETY: the caller's promise.
    unsafe {
        let (ab_low, ab_high) = (_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0xee>(a, b));
        let (cd_low, cd_high) = (_mm512_shuffle_i64x2::<0x44>(c, d), _mm512_shuffle_i64x2::<0xee>(c, d));
        [
            _mm512_shuffle_i64x2::<0x88>(ab_low, cd_low),
            _mm512_shuffle_i64x2::<0xdd>(ab_low, cd_low),
            _mm512_shuffle_i64x2::<0x88>(ab_high, cd_high),
            _mm512_shuffle_i64x2::<0xdd>(ab_high, cd_high),
        ]
    }
}

/// Loads and transposes sixteen words of each of sixteen rows.
///
/// # Safety
/// AVX-512, and as `Vector::gather`.
#[inline(always)]
unsafe fn gather_words(rows: *const *const u8, at: usize, order: Order, out: *mut X16, stride: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let a = four_rows(rows, 0, at, order);
        let b = four_rows(rows, 4, at, order);
        let c = four_rows(rows, 8, at, order);
        let d = four_rows(rows, 12, at, order);
        for w in 0..4 {
            let words = quarters(a[w], b[w], c[w], d[w]);
            out.add(w * stride).write(X16(words[0]));
            out.add((4 + w) * stride).write(X16(words[1]));
            out.add((8 + w) * stride).write(X16(words[2]));
            out.add((12 + w) * stride).write(X16(words[3]));
        }
    }
}

/// Loads and transposes eight long words of each of eight rows.
///
/// # Safety
/// AVX-512, and as `Vector::gather`.
#[inline(always)]
unsafe fn gather_long_words(rows: *const *const u8, at: usize, order: Order, out: *mut X8, stride: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut low = [_mm512_setzero_si512(); 4];
        let mut high = low;
        for pair in 0..4 {
            let a = line(rows, 2 * pair, at, order, SWAP64);
            let b = line(rows, 2 * pair + 1, at, order, SWAP64);
            low[pair] = _mm512_unpacklo_epi64(a, b);
            high[pair] = _mm512_unpackhi_epi64(a, b);
        }
        let even = quarters(low[0], low[1], low[2], low[3]);
        let odd = quarters(high[0], high[1], high[2], high[3]);
        for q in 0..4 {
            out.add(2 * q * stride).write(X8(even[q]));
            out.add((2 * q + 1) * stride).write(X8(odd[q]));
        }
    }
}
