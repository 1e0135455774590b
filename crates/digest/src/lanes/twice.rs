//! Two registers side by side: while one waits for its result, the other computes.

use super::{Lanes, Order};
use std::ops::{Add, BitAnd, BitOr, BitXor, Not};

/// Two registers as one of twice the lanes.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Twice<L>(L, L);

macro_rules! both {
    ($($trait:ident $method:ident),*) => {
        $(impl<L: Lanes> $trait for Twice<L> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Twice(self.0.$method(other.0), self.1.$method(other.1))
            }
        })*
    };
}
both!(Add add, BitXor bitxor, BitAnd bitand, BitOr bitor);

impl<L: Lanes> Not for Twice<L> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Twice(!self.0, !self.1)
    }
}

impl<L: Lanes> Lanes for Twice<L> {
    type Word = L::Word;
    type Isa = L::Isa;
    const COUNT: usize = 2 * L::COUNT;
    const GROUP: usize = L::GROUP;

    #[inline(always)]
    fn splat(isa: L::Isa, word: L::Word) -> Self {
        Twice(L::splat(isa, word), L::splat(isa, word))
    }

    #[inline(always)]
    fn load(isa: L::Isa, words: &[L::Word]) -> Self {
        Twice(L::load(isa, words), L::load(isa, &words[L::COUNT..]))
    }

    #[inline(always)]
    fn store(self, words: &mut [L::Word]) {
        self.0.store(words);
        self.1.store(&mut words[L::COUNT..]);
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
        isa: L::Isa,
        rows: *const *const u8,
        at: usize,
        order: Order,
        out: *mut Self,
        stride: usize,
    ) {
        let out = out.cast::<L>();
        // SAFETY: the caller's promise for twice the rows covers each half, and an element of `out` is
        // two `L` in a row.
        unsafe {
            L::gather(isa, rows, at, order, out, 2 * stride);
            L::gather(isa, rows.add(L::COUNT), at, order, out.add(1), 2 * stride);
        }
    }

    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        Twice(self.0.choose(yes.0, no.0), self.1.choose(yes.1, no.1))
    }

    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        Twice(self.0.majority(b.0, c.0), self.1.majority(b.1, c.1))
    }

    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        Twice(self.0.xor3(b.0, c.0), self.1.xor3(b.1, c.1))
    }

    #[inline(always)]
    fn xor_or_not(self, b: Self, c: Self) -> Self {
        Twice(self.0.xor_or_not(b.0, c.0), self.1.xor_or_not(b.1, c.1))
    }

    #[inline(always)]
    fn xor_not_and(self, b: Self, c: Self) -> Self {
        Twice(self.0.xor_not_and(b.0, c.0), self.1.xor_not_and(b.1, c.1))
    }
}
