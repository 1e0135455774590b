//! SSE up to 4.1: four 32-bit or two 64-bit words a register.

use super::vector::{Order, Simd, Task, Vector, operators};
use crate::machine::Isa;
use std::arch::x86_64::*;

/// Token: the CPU has SSE4.1 and SSSE3.
#[derive(Clone, Copy)]
pub(crate) struct Sse41(());

impl Simd for Sse41 {
    type X32 = X4;
    type X64 = X2;
    const ISA: Isa = Isa::Sse41;

    fn detect() -> Option<Self> {
        Isa::Sse41.present().then_some(Sse41(()))
    }

    #[inline]
    fn run<T: Task>(self, task: T) {
        #[target_feature(enable = "ssse3,sse4.1")]
        fn inner<T: Task>(task: T) {
            task.work();
        }
        // SAFETY: `self` exists only where `detect` saw the instructions.
        unsafe { inner(task) }
    }
}

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct X4(__m128i);

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct X2(__m128i);

operators!(X4: Add add _mm_add_epi32, BitXor bitxor _mm_xor_si128, BitAnd bitand _mm_and_si128,
    BitOr bitor _mm_or_si128; not _mm_set1_epi32(-1), _mm_xor_si128);
operators!(X2: Add add _mm_add_epi64, BitXor bitxor _mm_xor_si128, BitAnd bitand _mm_and_si128,
    BitOr bitor _mm_or_si128; not _mm_set1_epi32(-1), _mm_xor_si128);

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

impl Vector for X4 {
    type Word = u32;
    type Simd = Sse41;
    const COUNT: usize = 4;
    const GROUP: usize = 4;

    #[inline(always)]
    fn splat(_: Sse41, word: u32) -> Self {
        // SAFETY: the token proves the instructions.
        X4(unsafe { _mm_set1_epi32(word as i32) })
    }

    #[inline(always)]
    fn load(_: Sse41, words: &[u32]) -> Self {
        // SAFETY: the token proves the instructions; the slice is cut to a register's length.
        X4(unsafe { _mm_loadu_si128(words[..4].as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        // SAFETY: as in `load`.
        unsafe { _mm_storeu_si128(words[..4].as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn rotl(self, bits: u32) -> Self {
        // SAFETY: a register value exists only where `detect` saw the instructions.
        unsafe {
            let left = _mm_sll_epi32(self.0, _mm_cvtsi32_si128(bits as i32));
            let right = _mm_srl_epi32(self.0, _mm_cvtsi32_si128(32 - bits as i32));
            X4(_mm_or_si128(left, right))
        }
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        // SAFETY: as in `rotl`.
        X4(unsafe { _mm_srl_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    unsafe fn gather(
        _: Sse41,
        rows: *const *const u8,
        at: usize,
        order: Order,
        out: *mut Self,
        stride: usize,
    ) {
        // SAFETY: the token proves the instructions; the caller promises rows and room.
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
}

impl Vector for X2 {
    type Word = u64;
    type Simd = Sse41;
    const COUNT: usize = 2;
    const GROUP: usize = 2;

    #[inline(always)]
    fn splat(_: Sse41, word: u64) -> Self {
        // SAFETY: the token proves the instructions.
        X2(unsafe { _mm_set1_epi64x(word as i64) })
    }

    #[inline(always)]
    fn load(_: Sse41, words: &[u64]) -> Self {
        // SAFETY: the token proves the instructions; the slice is cut to a register's length.
        X2(unsafe { _mm_loadu_si128(words[..2].as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        // SAFETY: as in `load`.
        unsafe { _mm_storeu_si128(words[..2].as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn rotl(self, bits: u32) -> Self {
        // SAFETY: a register value exists only where `detect` saw the instructions.
        unsafe {
            let left = _mm_sll_epi64(self.0, _mm_cvtsi32_si128(bits as i32));
            let right = _mm_srl_epi64(self.0, _mm_cvtsi32_si128(64 - bits as i32));
            X2(_mm_or_si128(left, right))
        }
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        // SAFETY: as in `rotl`.
        X2(unsafe { _mm_srl_epi64(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    unsafe fn gather(
        _: Sse41,
        rows: *const *const u8,
        at: usize,
        order: Order,
        out: *mut Self,
        stride: usize,
    ) {
        // SAFETY: the token proves the instructions; the caller promises rows and room.
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
}
