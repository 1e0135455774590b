//! AVX-512: sixteen 32-bit or eight 64-bit words a register, rotation and any function of three inputs in
//! one instruction each.

use super::{Isa, Lanes, Order, Task, operators};
use std::arch::x86_64::*;

/// Token: the CPU has AVX-512 F, BW, DQ and VL.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

impl Isa for Avx512 {
    type X32 = X16;
    type X64 = X8;

    fn detect() -> Option<Self> {
        let present = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        present.then_some(Avx512(()))
    }

    #[inline]
    fn run<T: Task>(self, task: T) {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn inner<T: Task>(task: T) {
            task.work();
        }
        // SAFETY: `self` exists only where `detect` saw the instructions.
        unsafe { inner(task) }
    }
}

/// Sixteen 32-bit words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct X16(__m512i);

/// Eight 64-bit words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct X8(__m512i);

operators!(X16: Add add _mm512_add_epi32, BitXor bitxor _mm512_xor_si512, BitAnd bitand _mm512_and_si512,
    BitOr bitor _mm512_or_si512; not _mm512_set1_epi32(-1), _mm512_xor_si512);
operators!(X8: Add add _mm512_add_epi64, BitXor bitxor _mm512_xor_si512, BitAnd bitand _mm512_and_si512,
    BitOr bitor _mm512_or_si512; not _mm512_set1_epi32(-1), _mm512_xor_si512);

/// The functions of three inputs. The constant of `vpternlog` is the function's value where the inputs
/// are A = 0xf0, B = 0xcc, C = 0xaa.
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

/// Sixteen bytes of four rows, one row a quarter, with the bytes of each word turned round if they are
/// big-endian. Loading the quarters apart saves the last two stages of shuffles.
///
/// # Safety
/// AVX-512, `rows` to `rows + 3 * step` readable, and 16 readable bytes at `at` in each.
#[inline(always)]
unsafe fn four(rows: *const *const u8, step: usize, at: usize, swap: Option<__m512i>) -> __m512i {
    // SAFETY: the caller's promise.
    unsafe {
        let a = _mm_loadu_si128((*rows).add(at).cast());
        let b = _mm_loadu_si128((*rows.add(step)).add(at).cast());
        let c = _mm_loadu_si128((*rows.add(2 * step)).add(at).cast());
        let d = _mm_loadu_si128((*rows.add(3 * step)).add(at).cast());
        let low = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b);
        let high = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(c), d);
        let bytes = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
        match swap {
            Some(swap) => _mm512_shuffle_epi8(bytes, swap),
            None => bytes,
        }
    }
}

/// Words 0 to 3 from byte `at` of sixteen rows.
///
/// # Safety
/// As [`Lanes::gather`].
#[inline(always)]
unsafe fn four_words(rows: *const *const u8, at: usize, swap: Option<__m512i>, out: *mut X16, stride: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let a = four(rows, 4, at, swap);
        let b = four(rows.add(1), 4, at, swap);
        let c = four(rows.add(2), 4, at, swap);
        let d = four(rows.add(3), 4, at, swap);
        let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        out.write(X16(_mm512_unpacklo_epi64(ab_low, cd_low)));
        out.add(stride).write(X16(_mm512_unpackhi_epi64(ab_low, cd_low)));
        out.add(2 * stride).write(X16(_mm512_unpacklo_epi64(ab_high, cd_high)));
        out.add(3 * stride).write(X16(_mm512_unpackhi_epi64(ab_high, cd_high)));
    }
}

/// Words 0 and 1 from byte `at` of eight rows.
///
/// # Safety
/// As [`Lanes::gather`].
#[inline(always)]
unsafe fn two_words(rows: *const *const u8, at: usize, swap: Option<__m512i>, out: *mut X8, stride: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        let a = four(rows, 2, at, swap);
        let b = four(rows.add(1), 2, at, swap);
        out.write(X8(_mm512_unpacklo_epi64(a, b)));
        out.add(stride).write(X8(_mm512_unpackhi_epi64(a, b)));
    }
}

impl Lanes for X16 {
    type Word = u32;
    type Isa = Avx512;
    const COUNT: usize = 16;
    const GROUP: usize = 16;

    ternary!(X16: choose 0xca, majority 0xe8, xor3 0x96, xor_or_not 0x2d, xor_not_and 0xd2);

    #[inline(always)]
    fn splat(_: Avx512, word: u32) -> Self {
        // SAFETY: the token proves the instructions.
        X16(unsafe { _mm512_set1_epi32(word as i32) })
    }

    #[inline(always)]
    fn load(_: Avx512, words: &[u32]) -> Self {
        // SAFETY: the token proves the instructions; the slice is cut to a register's length.
        X16(unsafe { _mm512_loadu_si512(words[..16].as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u32]) {
        // SAFETY: as in `load`.
        unsafe { _mm512_storeu_si512(words[..16].as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn rotl(self, bits: u32) -> Self {
        // SAFETY: a register value exists only where `detect` saw the instructions.
        X16(unsafe { _mm512_rolv_epi32(self.0, _mm512_set1_epi32(bits as i32)) })
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        // SAFETY: as in `rotl`.
        X16(unsafe { _mm512_srl_epi32(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    unsafe fn gather(
        _: Avx512,
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
                Order::Big => {
                    Some(_mm512_broadcast_i32x4(_mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203)))
                }
            };
            four_words(rows, at, swap, out, stride);
            four_words(rows, at + 16, swap, out.add(4 * stride), stride);
            four_words(rows, at + 32, swap, out.add(8 * stride), stride);
            four_words(rows, at + 48, swap, out.add(12 * stride), stride);
        }
    }
}

impl Lanes for X8 {
    type Word = u64;
    type Isa = Avx512;
    const COUNT: usize = 8;
    const GROUP: usize = 8;

    ternary!(X8: choose 0xca, majority 0xe8, xor3 0x96, xor_or_not 0x2d, xor_not_and 0xd2);

    #[inline(always)]
    fn splat(_: Avx512, word: u64) -> Self {
        // SAFETY: the token proves the instructions.
        X8(unsafe { _mm512_set1_epi64(word as i64) })
    }

    #[inline(always)]
    fn load(_: Avx512, words: &[u64]) -> Self {
        // SAFETY: the token proves the instructions; the slice is cut to a register's length.
        X8(unsafe { _mm512_loadu_si512(words[..8].as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        // SAFETY: as in `load`.
        unsafe { _mm512_storeu_si512(words[..8].as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn rotl(self, bits: u32) -> Self {
        // SAFETY: a register value exists only where `detect` saw the instructions.
        X8(unsafe { _mm512_rolv_epi64(self.0, _mm512_set1_epi64(i64::from(bits))) })
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        // SAFETY: as in `rotl`.
        X8(unsafe { _mm512_srl_epi64(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    unsafe fn gather(
        _: Avx512,
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
                Order::Big => {
                    Some(_mm512_broadcast_i32x4(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607)))
                }
            };
            two_words(rows, at, swap, out, stride);
            two_words(rows, at + 16, swap, out.add(2 * stride), stride);
            two_words(rows, at + 32, swap, out.add(4 * stride), stride);
            two_words(rows, at + 48, swap, out.add(6 * stride), stride);
        }
    }
}
