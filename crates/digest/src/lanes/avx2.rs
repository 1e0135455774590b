//! AVX2: eight 32-bit or four 64-bit words a register.

use super::vector::{Order, Simd, Task, Vector, operators};
use crate::machine::Isa;
use std::arch::x86_64::*;

/// Token: the CPU has AVX2.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

impl Simd for Avx2 {
    type X32 = X8;
    type X64 = X4;
    const ISA: Isa = Isa::Avx2;

    fn detect() -> Option<Self> {
        Isa::Avx2.present().then_some(Avx2(()))
    }

    #[inline]
    fn run<T: Task>(self, task: T) {
        #[target_feature(enable = "avx2")]
        fn inner<T: Task>(task: T) {
            task.work();
        }
        // SAFETY: `self` exists only where `detect` saw the instructions.
        unsafe { inner(task) }
    }
}

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct X8(__m256i);

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct X4(__m256i);

operators!(X8: Add add _mm256_add_epi32, BitXor bitxor _mm256_xor_si256, BitAnd bitand _mm256_and_si256,
    BitOr bitor _mm256_or_si256; not _mm256_set1_epi32(-1), _mm256_xor_si256);
operators!(X4: Add add _mm256_add_epi64, BitXor bitxor _mm256_xor_si256, BitAnd bitand _mm256_and_si256,
    BitOr bitor _mm256_or_si256; not _mm256_set1_epi32(-1), _mm256_xor_si256);

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
/// As [`Vector::gather`].
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

impl Vector for X8 {
    type Word = u32;
    type Simd = Avx2;
    const COUNT: usize = 8;
    const GROUP: usize = 8;

    #[inline(always)]
    fn splat(_: Avx2, word: u32) -> Self {
        // SAFETY: the token proves the instructions.
        X8(unsafe { _mm256_set1_epi32(word as i32) })
    }

    #[inline(always)]
    fn load(_: Avx2, words: &[u32]) -> Self {
        // SAFETY: the token proves the instructions; the slice is cut to a register's length.
        X8(unsafe { _mm256_loadu_si256(words[..8].as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        // SAFETY: as in `load`.
        unsafe { _mm256_storeu_si256(words[..8].as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn rotl(self, bits: u32) -> Self {
        // SAFETY: a register value exists only where `detect` saw the instructions.
        unsafe {
            let left = _mm256_sll_epi32(self.0, _mm_cvtsi32_si128(bits as i32));
            let right = _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(32 - bits as i32));
            X8(_mm256_or_si256(left, right))
        }
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        // SAFETY: as in `rotl`.
        X8(unsafe { _mm256_srl_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    unsafe fn gather(
        _: Avx2,
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
                Order::Big => Some(_mm256_broadcastsi128_si256(_mm_set_epi64x(
                    0x0c0d_0e0f_0809_0a0b,
                    0x0405_0607_0001_0203,
                ))),
            };
            four_words(rows, at, swap, out, stride);
            four_words(rows, at + 16, swap, out.add(4 * stride), stride);
        }
    }
}

impl Vector for X4 {
    type Word = u64;
    type Simd = Avx2;
    const COUNT: usize = 4;
    const GROUP: usize = 4;

    #[inline(always)]
    fn splat(_: Avx2, word: u64) -> Self {
        // SAFETY: the token proves the instructions.
        X4(unsafe { _mm256_set1_epi64x(word as i64) })
    }

    #[inline(always)]
    fn load(_: Avx2, words: &[u64]) -> Self {
        // SAFETY: the token proves the instructions; the slice is cut to a register's length.
        X4(unsafe { _mm256_loadu_si256(words[..4].as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        // SAFETY: as in `load`.
        unsafe { _mm256_storeu_si256(words[..4].as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn rotl(self, bits: u32) -> Self {
        // SAFETY: a register value exists only where `detect` saw the instructions.
        unsafe {
            let left = _mm256_sll_epi64(self.0, _mm_cvtsi32_si128(bits as i32));
            let right = _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(64 - bits as i32));
            X4(_mm256_or_si256(left, right))
        }
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        // SAFETY: as in `rotl`.
        X4(unsafe { _mm256_srl_epi64(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    unsafe fn gather(
        _: Avx2,
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
}
