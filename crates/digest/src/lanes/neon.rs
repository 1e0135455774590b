//! NEON: four 32-bit or two 64-bit words a register.
//!
//! Tested under an emulator (`scripts/test-on aarch64`); its speed has not been measured.

use super::vector::{Order, Simd, Task, Vector, operators};
use crate::machine::Isa;
use std::arch::aarch64::*;

/// Token: the CPU has NEON.
#[derive(Clone, Copy)]
pub(crate) struct Neon(());

impl Simd for Neon {
    type X32 = X4;
    type X64 = X2;
    const ISA: Isa = Isa::Neon;

    fn detect() -> Option<Self> {
        Isa::Neon.present().then_some(Neon(()))
    }

    #[inline]
    fn run<T: Task>(self, task: T) {
        #[target_feature(enable = "neon")]
        fn inner<T: Task>(task: T) {
            task.work();
        }
        // SAFETY: `self` exists only where `detect` saw the instructions.
        unsafe { inner(task) }
    }
}

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct X4(uint32x4_t);

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct X2(uint64x2_t);

operators!(X4: Add add vaddq_u32, BitXor bitxor veorq_u32, BitAnd bitand vandq_u32,
    BitOr bitor vorrq_u32; not vdupq_n_u32(u32::MAX), veorq_u32);
operators!(X2: Add add vaddq_u64, BitXor bitxor veorq_u64, BitAnd bitand vandq_u64,
    BitOr bitor vorrq_u64; not vdupq_n_u64(u64::MAX), veorq_u64);

impl Vector for X4 {
    type Word = u32;
    type Simd = Neon;
    const COUNT: usize = 4;
    const GROUP: usize = 4;

    #[inline(always)]
    fn splat(_: Neon, word: u32) -> Self {
        // SAFETY: the token proves the instructions.
        X4(unsafe { vdupq_n_u32(word) })
    }

    #[inline(always)]
    fn load(_: Neon, words: &[u32]) -> Self {
        // SAFETY: the token proves the instructions; the slice is cut to a register's length.
        X4(unsafe { vld1q_u32(words[..4].as_ptr()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        // SAFETY: as in `load`.
        unsafe { vst1q_u32(words[..4].as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn rotl(self, bits: u32) -> Self {
        // SAFETY: a register value exists only where `detect` saw the instructions.
        unsafe {
            let left = vshlq_u32(self.0, vdupq_n_s32(bits as i32));
            let right = vshlq_u32(self.0, vdupq_n_s32(bits as i32 - 32));
            X4(vorrq_u32(left, right))
        }
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        // SAFETY: as in `rotl`.
        X4(unsafe { vshlq_u32(self.0, vdupq_n_s32(-(bits as i32))) })
    }

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        // SAFETY: as in `rotl`.
        X4(unsafe { vbslq_u32(self.0, yes.0, no.0) })
    }

    #[inline(always)]
    unsafe fn gather(
        _: Neon,
        rows: *const *const u8,
        at: usize,
        order: Order,
        out: *mut Self,
        stride: usize,
    ) {
        // SAFETY: the token proves the instructions; the caller promises rows and room.
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

impl Vector for X2 {
    type Word = u64;
    type Simd = Neon;
    const COUNT: usize = 2;
    const GROUP: usize = 2;

    #[inline(always)]
    fn splat(_: Neon, word: u64) -> Self {
        // SAFETY: the token proves the instructions.
        X2(unsafe { vdupq_n_u64(word) })
    }

    #[inline(always)]
    fn load(_: Neon, words: &[u64]) -> Self {
        // SAFETY: the token proves the instructions; the slice is cut to a register's length.
        X2(unsafe { vld1q_u64(words[..2].as_ptr()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        // SAFETY: as in `load`.
        unsafe { vst1q_u64(words[..2].as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn rotl(self, bits: u32) -> Self {
        // SAFETY: a register value exists only where `detect` saw the instructions.
        unsafe {
            let left = vshlq_u64(self.0, vdupq_n_s64(i64::from(bits)));
            let right = vshlq_u64(self.0, vdupq_n_s64(i64::from(bits) - 64));
            X2(vorrq_u64(left, right))
        }
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        // SAFETY: as in `rotl`.
        X2(unsafe { vshlq_u64(self.0, vdupq_n_s64(-i64::from(bits))) })
    }

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        // SAFETY: as in `rotl`.
        X2(unsafe { vbslq_u64(self.0, yes.0, no.0) })
    }

    #[inline(always)]
    unsafe fn gather(
        _: Neon,
        rows: *const *const u8,
        at: usize,
        order: Order,
        out: *mut Self,
        stride: usize,
    ) {
        // SAFETY: the token proves the instructions; the caller promises rows and room.
        unsafe {
            let a = long_words((*rows.add(0)).add(at), order);
            let b = long_words((*rows.add(1)).add(at), order);
            out.write(X2(vtrn1q_u64(a, b)));
            out.add(stride).write(X2(vtrn2q_u64(a, b)));
        }
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
