//! NEON: four 32-bit or two 64-bit words a register.
//!
//! Tested under an emulator (`scripts/test-on aarch64`); its speed has not been measured.

use super::register::{register, token};
use super::vector::Order;
use std::arch::aarch64::*;

token! {
    /// Token: the CPU has NEON.
    Neon: X4, X2, "neon"
}

register! {
    X4(uint32x4_t): 4 x u32, Neon;
    add vaddq_u32; and vandq_u32; or vorrq_u32; xor veorq_u32; ones vdupq_n_u32(u32::MAX);
    splat(word) vdupq_n_u32(word);
    load(words) vld1q_u32(words);
    store(words, x) vst1q_u32(words, x);
    rotl(x, bits) vorrq_u32(
        vshlq_u32(x, vdupq_n_s32(bits as i32)),
        vshlq_u32(x, vdupq_n_s32(bits as i32 - 32)),
    );
    shr(x, bits) vshlq_u32(x, vdupq_n_s32(-(bits as i32)));
    gather gather_words;

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        // SAFETY: as in `rotl`.
        X4(unsafe { vbslq_u32(self.0, yes.0, no.0) })
    }
}

register! {
    X2(uint64x2_t): 2 x u64, Neon;
    add vaddq_u64; and vandq_u64; or vorrq_u64; xor veorq_u64; ones vdupq_n_u64(u64::MAX);
    splat(word) vdupq_n_u64(word);
    load(words) vld1q_u64(words);
    store(words, x) vst1q_u64(words, x);
    rotl(x, bits) vorrq_u64(
        vshlq_u64(x, vdupq_n_s64(i64::from(bits))),
        vshlq_u64(x, vdupq_n_s64(i64::from(bits) - 64)),
    );
    shr(x, bits) vshlq_u64(x, vdupq_n_s64(-i64::from(bits)));
    gather gather_long_words;

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        // SAFETY: as in `rotl`.
        X2(unsafe { vbslq_u64(self.0, yes.0, no.0) })
    }
}

/// Loads and transposes four words of each of four rows.
///
/// # Safety
/// NEON, and as `Vector::gather`.
#[inline(always)]
unsafe fn gather_words(rows: *const *const u8, at: usize, order: Order, out: *mut X4, stride: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let a = words((*rows.add(0)).add(at), order);
        let b = words((*rows.add(1)).add(at), order);
        let c = words((*rows.add(2)).add(at), order);
        let d = words((*rows.add(3)).add(at), order);
        let (ab_even, ab_odd) = (double(vtrn1q_u32(a, b)), double(vtrn2q_u32(a, b)));
        let (cd_even, cd_odd) = (double(vtrn1q_u32(c, d)), double(vtrn2q_u32(c, d)));
        out.write(X4(vreinterpretq_u32_u64(vtrn1q_u64(ab_even, cd_even))));
        out.add(stride).write(X4(vreinterpretq_u32_u64(vtrn1q_u64(ab_odd, cd_odd))));
        out.add(2 * stride).write(X4(vreinterpretq_u32_u64(vtrn2q_u64(ab_even, cd_even))));
        out.add(3 * stride).write(X4(vreinterpretq_u32_u64(vtrn2q_u64(ab_odd, cd_odd))));
    }
}

/// Loads four words of a row.
///
/// # Safety
/// NEON, and 16 readable bytes.
#[inline(always)]
unsafe fn words(row: *const u8, order: Order) -> uint32x4_t {
    // SAFETY: the caller's promise.
    unsafe {
        let bytes = vld1q_u8(row);
        vreinterpretq_u32_u8(match order {
            Order::Little => bytes,
            Order::Big => vrev32q_u8(bytes),
        })
    }
}

/// Returns the same bits as two words of 64.
///
/// # Safety
/// NEON.
#[inline(always)]
unsafe fn double(words: uint32x4_t) -> uint64x2_t {
    // SAFETY: the caller's promise.
    unsafe { vreinterpretq_u64_u32(words) }
}

/// Loads and transposes two long words of each of two rows.
///
/// # Safety
/// NEON, and as `Vector::gather`.
#[inline(always)]
unsafe fn gather_long_words(rows: *const *const u8, at: usize, order: Order, out: *mut X2, stride: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let a = long_words((*rows.add(0)).add(at), order);
        let b = long_words((*rows.add(1)).add(at), order);
        out.write(X2(vtrn1q_u64(a, b)));
        out.add(stride).write(X2(vtrn2q_u64(a, b)));
    }
}

/// Loads two long words of a row.
///
/// # Safety
/// NEON, and 16 readable bytes.
#[inline(always)]
unsafe fn long_words(row: *const u8, order: Order) -> uint64x2_t {
    // SAFETY: the caller's promise.
    unsafe {
        let bytes = vld1q_u8(row);
        vreinterpretq_u64_u8(match order {
            Order::Little => bytes,
            Order::Big => vrev64q_u8(bytes),
        })
    }
}
