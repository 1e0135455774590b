//! Two registers side by side: while one waits for its result, the other computes.

use super::vector::{Order, Vector};
use std::ops::{Add, BitAnd, BitOr, BitXor, Not};

/// Two registers as one of twice the lanes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Twice<V>(V, V);

macro_rules! both {
    ($($trait:ident $method:ident),*) => {
        $(impl<V: Vector> $trait for Twice<V> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Twice(self.0.$method(other.0), self.1.$method(other.1))
            }
        })*
    };
}
both!(Add add, BitXor bitxor, BitAnd bitand, BitOr bitor);

impl<V: Vector> Not for Twice<V> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Twice(!self.0, !self.1)
    }
}

/// Defines the methods of three registers.
macro_rules! three {
    ($($method:ident),*) => {
        $(#[inline(always)]
        fn $method(self, b: Self, c: Self) -> Self {
            Twice(self.0.$method(b.0, c.0), self.1.$method(b.1, c.1))
        })*
    };
}

impl<V: Vector> Vector for Twice<V> {
    type Word = V::Word;
    type Simd = V::Simd;
    const COUNT: usize = 2 * V::COUNT;
    const GROUP: usize = V::GROUP;

    #[inline(always)]
    fn splat(simd: V::Simd, word: V::Word) -> Self {
        Twice(V::splat(simd, word), V::splat(simd, word))
    }

    #[inline(always)]
    fn load(simd: V::Simd, words: &[V::Word]) -> Self {
        Twice(V::load(simd, words), V::load(simd, &words[V::COUNT..]))
    }

    #[inline(always)]
    fn store(self, words: &mut [V::Word]) {
        self.0.store(words);
        self.1.store(&mut words[V::COUNT..]);
    }

    #[inline(always)]
    fn rotl(self, bits: u32) -> Self {
        Twice(self.0.rotl(bits), self.1.rotl(bits))
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        Twice(self.0.shr(bits), self.1.shr(bits))
    }

    #[inline(always)]
    unsafe fn gather(
        simd: V::Simd,
        rows: *const *const u8,
        at: usize,
        order: Order,
        out: *mut Self,
        stride: usize,
    ) {
        let out = out.cast::<V>();
        // SAFETY: the caller's promise for twice the rows covers each half, and an element of `out` is two `V` in a
        // row.
        unsafe {
            V::gather(simd, rows, at, order, out, 2 * stride);
            V::gather(simd, rows.add(V::COUNT), at, order, out.add(1), 2 * stride);
        }
    }

    three!(choose, majority, xor3, xor_or_not, xor_not_and);
}
