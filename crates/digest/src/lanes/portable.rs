//! The portable instruction set: a register is one machine word. It works on every processor.

use super::vector::{Order, Simd, Task, Vector};
use crate::machine::Isa;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not};

/// Token of the portable instruction set.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Simd for Portable {
    type X32 = One<u32>;
    type X64 = One<u64>;
    const ISA: Isa = Isa::Portable;

    fn detect() -> Option<Self> {
        Some(Portable)
    }

    #[inline]
    fn run<T: Task>(self, task: T) {
        task.work();
    }
}

#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct One<W>(W);

macro_rules! one {
    ($word:ty: $($trait:ident $method:ident $operation:ident),*) => {
        $(impl $trait for One<$word> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                One(self.0.$operation(other.0))
            }
        })*

        impl Not for One<$word> {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                One(!self.0)
            }
        }

        impl Vector for One<$word> {
            type Word = $word;
            type Simd = Portable;
            const COUNT: usize = 1;
            const GROUP: usize = 1;

            #[inline(always)]
            fn splat(_: Portable, word: $word) -> Self {
                One(word)
            }

            #[inline(always)]
            fn load(_: Portable, words: &[$word]) -> Self {
                One(words[0])
            }

            #[inline(always)]
            fn store(self, words: &mut [$word]) {
                words[0] = self.0;
            }

            #[inline(always)]
            fn rotl(self, bits: u32) -> Self {
                One(self.0.rotate_left(bits))
            }

            #[inline(always)]
            fn shr(self, bits: u32) -> Self {
                One(self.0 >> bits)
            }

            #[inline(always)]
            unsafe fn gather(
                _: Portable,
                rows: *const *const u8,
                at: usize,
                order: Order,
                out: *mut Self,
                _: usize,
            ) {
                // SAFETY: the caller promises one row with a word at `at`, and room for one at `out`.
                unsafe {
                    let word = (*rows).add(at).cast::<$word>().read_unaligned();
                    let word = match order {
                        Order::Little => <$word>::from_le(word),
                        Order::Big => <$word>::from_be(word),
                    };
                    out.write(One(word));
                }
            }
        }
    };
}
one!(u32: Add add wrapping_add, BitXor bitxor bitxor, BitAnd bitand bitand, BitOr bitor bitor);
one!(u64: Add add wrapping_add, BitXor bitxor bitxor, BitAnd bitand bitand, BitOr bitor bitor);
