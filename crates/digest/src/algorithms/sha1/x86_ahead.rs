//! SHA-1 with schedules made ahead: the rounds in general registers, with BMI2.
//!
//! It is assembly because compilers order these sums so that rounds wait for each other. Words of one block are in rows
//! of several blocks, `STRIDE` bytes apart.

#![allow(unsafe_code)]

use super::constants::K;
use super::{Compress, single};
use crate::algorithms::schedule::rows::{Avx2x8, Avx512x8, BlockWords};
use crate::algorithms::schedule::{Scheduled, compress};
use crate::machine::path::compiled_for;
use std::arch::asm;

compiled_for! { Avx2, "avx2,bmi1,bmi2":
    /// For processors with AVX2, BMI1 and BMI2.
    pub(super) avx2([u32; 5]) = compress::<Compress, Avx2x8, 32>;
}
compiled_for! { Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2":
    /// For processors with AVX-512, which has instructions for rotations and for functions of three words.
    pub(super) avx512([u32; 5]) = compress::<Compress, Avx512x8, 32>;
}

impl Scheduled for Compress {
    type Word = u32;
    type State = [u32; 5];
    const ROUNDS: usize = 80;
    const STEP: usize = 20;
    const CONSTANTS: &'static [u32] = [[K[0]; 20], [K[1]; 20], [K[2]; 20], [K[3]; 20]].as_flattened();
    #[inline(always)]
    fn expand<R: BlockWords<Word = u32>>(window: &[R; 16], at: usize) -> R {
        let old = |age: usize| window[(at + 16 - age) % 16];
        old(3).xor(old(8)).xor(old(14)).xor(old(16)).rotate(31)
    }
    #[inline(always)]
    unsafe fn rounds<const STRIDE: usize>(state: &mut [u32; 5], round: usize, words: *const u32) {
        // SAFETY: the caller's promise.
        unsafe {
            let later = words.byte_add(10 * STRIDE);
            match round / 20 {
                0 => {
                    choose::<STRIDE>(state, words);
                    choose::<STRIDE>(state, later);
                }
                2 => {
                    majority::<STRIDE>(state, words);
                    majority::<STRIDE>(state, later);
                }
                _ => {
                    parity::<STRIDE>(state, words);
                    parity::<STRIDE>(state, later);
                }
            }
        }
    }
    #[inline(always)]
    fn add(state: &mut [u32; 5], before: &[u32; 5]) {
        for i in 0..5 {
            state[i] = state[i].wrapping_add(before[i]);
        }
    }
    #[inline(always)]
    fn compress_rest(state: &mut [u32; 5], blocks: &[u8]) {
        single::compress(state, blocks);
    }
}

/// One round of SHA-1. The halves of a function that share no bit are added separately.
#[rustfmt::skip]
macro_rules! sha1_round {
    (choose, $i:literal, $a:literal $b:literal $c:literal $d:literal $e:literal) => {
        concat!(
            "andn {y:e}, {", $b, ":e}, {", $d, ":e}\n",
            "add {", $e, ":e}, [{words} + {stride} * ", $i, "]\n",
            "mov {x:e}, {", $b, ":e}\n",
            "and {x:e}, {", $c, ":e}\n",
            "rol {", $b, ":e}, 30\n",
            "add {", $e, ":e}, {y:e}\n",
            "rorx {z:e}, {", $a, ":e}, 27\n",
            "add {", $e, ":e}, {x:e}\n",
            "add {", $e, ":e}, {z:e}\n",
        )
    };
    (parity, $i:literal, $a:literal $b:literal $c:literal $d:literal $e:literal) => {
        concat!(
            "mov {x:e}, {", $d, ":e}\n",
            "add {", $e, ":e}, [{words} + {stride} * ", $i, "]\n",
            "xor {x:e}, {", $c, ":e}\n",
            "rorx {z:e}, {", $a, ":e}, 27\n",
            "xor {x:e}, {", $b, ":e}\n",
            "rorx {", $b, ":e}, {", $b, ":e}, 2\n",
            "add {", $e, ":e}, {x:e}\n",
            "add {", $e, ":e}, {z:e}\n",
        )
    };
    (majority, $i:literal, $a:literal $b:literal $c:literal $d:literal $e:literal) => {
        concat!(
            "mov {x:e}, {", $d, ":e}\n",
            "mov {y:e}, {", $d, ":e}\n",
            "add {", $e, ":e}, [{words} + {stride} * ", $i, "]\n",
            "xor {x:e}, {", $c, ":e}\n",
            "and {y:e}, {", $c, ":e}\n",
            "and {x:e}, {", $b, ":e}\n",
            "add {", $e, ":e}, {y:e}\n",
            "rorx {z:e}, {", $a, ":e}, 27\n",
            "add {", $e, ":e}, {x:e}\n",
            "rorx {", $b, ":e}, {", $b, ":e}, 2\n",
            "add {", $e, ":e}, {z:e}\n",
        )
    };
}

/// Defines a function that runs ten rounds of SHA-1.
macro_rules! sha1_rounds {
    ($(#[$doc:meta])* $name:ident: $kind:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// BMI2, and ten words at `words`, `STRIDE` bytes apart.
        #[inline(always)]
        unsafe fn $name<const STRIDE: usize>(state: &mut [u32; 5], words: *const u32) {
            let [mut a, mut b, mut c, mut d, mut e] = *state;
            // SAFETY: the caller's promise; only the named registers change.
            unsafe {
                asm!(
                    sha1_round!($kind, "0", "a" "b" "c" "d" "e"),
                    sha1_round!($kind, "1", "e" "a" "b" "c" "d"),
                    sha1_round!($kind, "2", "d" "e" "a" "b" "c"),
                    sha1_round!($kind, "3", "c" "d" "e" "a" "b"),
                    sha1_round!($kind, "4", "b" "c" "d" "e" "a"),
                    sha1_round!($kind, "5", "a" "b" "c" "d" "e"),
                    sha1_round!($kind, "6", "e" "a" "b" "c" "d"),
                    sha1_round!($kind, "7", "d" "e" "a" "b" "c"),
                    sha1_round!($kind, "8", "c" "d" "e" "a" "b"),
                    sha1_round!($kind, "9", "b" "c" "d" "e" "a"),
                    "/* {y:e} */",
                    a = inout(reg) a, b = inout(reg) b, c = inout(reg) c, d = inout(reg) d, e = inout(reg) e,
                    x = out(reg) _, y = out(reg) _, z = out(reg) _,
                    words = in(reg) words, stride = const STRIDE,
                    options(pure, readonly, nostack)
                );
            }
            *state = [a, b, c, d, e];
        }
    };
}

sha1_rounds! {
    /// Runs ten rounds with the function of the first twenty (FIPS 180-4, 4.1.1).
    choose: choose
}

sha1_rounds! {
    /// Runs ten rounds with the function of the second and last twenty.
    parity: parity
}

sha1_rounds! {
    /// Runs ten rounds with the function of the third twenty.
    majority: majority
}
