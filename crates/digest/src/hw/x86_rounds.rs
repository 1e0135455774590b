//! The rounds of SHA-1 and SHA-2 in general registers, for words that were scheduled ahead, with BMI2.
//!
//! In assembly, because compilers order these sums so that rounds wait for each other. Words of one block
//! are 32 bytes apart: they stand in rows of several blocks.

#![allow(unsafe_code)]

use std::arch::asm;

/// One round of SHA-2. The names of the words move by one from round to round, and so do those of the two
/// registers with `a ^ b` of this round (`$ab`) and of the one before (`$bc`), as
/// Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b.
macro_rules! sha2_round {
    ($m:literal, $s1:literal $s2:literal $s3:literal, $t1:literal $t2:literal $t3:literal, $i:literal,
     $a:literal $b:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $bc:literal $ab:literal) => {
        concat!(
            "add {",
            $h,
            $m,
            "}, [{words} + 32 * ",
            $i,
            "]\n",
            "rorx {x",
            $m,
            "}, {",
            $e,
            $m,
            "}, ",
            $s1,
            "\n",
            "mov {y",
            $m,
            "}, {",
            $e,
            $m,
            "}\n",
            "and {y",
            $m,
            "}, {",
            $f,
            $m,
            "}\n",
            "rorx {",
            $ab,
            $m,
            "}, {",
            $e,
            $m,
            "}, ",
            $s2,
            "\n",
            "add {",
            $h,
            $m,
            "}, {y",
            $m,
            "}\n",
            "andn {y",
            $m,
            "}, {",
            $e,
            $m,
            "}, {",
            $g,
            $m,
            "}\n",
            "xor {x",
            $m,
            "}, {",
            $ab,
            $m,
            "}\n",
            "rorx {",
            $ab,
            $m,
            "}, {",
            $e,
            $m,
            "}, ",
            $s3,
            "\n",
            "add {",
            $h,
            $m,
            "}, {y",
            $m,
            "}\n",
            "xor {x",
            $m,
            "}, {",
            $ab,
            $m,
            "}\n",
            "rorx {y",
            $m,
            "}, {",
            $a,
            $m,
            "}, ",
            $t1,
            "\n",
            "add {",
            $h,
            $m,
            "}, {x",
            $m,
            "}\n",
            "rorx {x",
            $m,
            "}, {",
            $a,
            $m,
            "}, ",
            $t2,
            "\n",
            "mov {",
            $ab,
            $m,
            "}, {",
            $a,
            $m,
            "}\n",
            "add {",
            $d,
            $m,
            "}, {",
            $h,
            $m,
            "}\n",
            "xor {",
            $ab,
            $m,
            "}, {",
            $b,
            $m,
            "}\n",
            "xor {y",
            $m,
            "}, {x",
            $m,
            "}\n",
            "rorx {x",
            $m,
            "}, {",
            $a,
            $m,
            "}, ",
            $t3,
            "\n",
            "and {",
            $bc,
            $m,
            "}, {",
            $ab,
            $m,
            "}\n",
            "xor {y",
            $m,
            "}, {x",
            $m,
            "}\n",
            "xor {",
            $bc,
            $m,
            "}, {",
            $b,
            $m,
            "}\n",
            "add {",
            $h,
            $m,
            "}, {y",
            $m,
            "}\n",
            "add {",
            $h,
            $m,
            "}, {",
            $bc,
            $m,
            "}\n",
        )
    };
}

/// A function that runs eight rounds of SHA-2.
macro_rules! sha2_rounds {
    ($(#[$doc:meta])* $name:ident: $word:ty, $m:literal, $s1:literal $s2:literal $s3:literal, $t1:literal $t2:literal $t3:literal) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// BMI2, and eight words at `words`, 32 bytes apart.
        #[inline(always)]
        pub(super) unsafe fn $name(state: &mut [$word; 8], words: *const $word) {
            macro_rules! round {
                ($i:literal, $a:literal $b:literal $d:literal $e:literal $f:literal $g:literal $h:literal, $bc:literal $ab:literal) => {
                    sha2_round!($m, $s1 $s2 $s3, $t1 $t2 $t3, $i, $a $b $d $e $f $g $h, $bc $ab)
                };
            }
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
            // SAFETY: the caller's promise; only the named registers change.
            unsafe {
                asm!(
                    concat!("mov {v", $m, "}, {b", $m, "}\n", "xor {v", $m, "}, {c", $m, "}\n"),
                    round!("0", "a" "b" "d" "e" "f" "g" "h", "v" "w"),
                    round!("1", "h" "a" "c" "d" "e" "f" "g", "w" "v"),
                    round!("2", "g" "h" "b" "c" "d" "e" "f", "v" "w"),
                    round!("3", "f" "g" "a" "b" "c" "d" "e", "w" "v"),
                    round!("4", "e" "f" "h" "a" "b" "c" "d", "v" "w"),
                    round!("5", "d" "e" "g" "h" "a" "b" "c", "w" "v"),
                    round!("6", "c" "d" "f" "g" "h" "a" "b", "v" "w"),
                    round!("7", "b" "c" "e" "f" "g" "h" "a", "w" "v"),
                    a = inout(reg) a, b = inout(reg) b, c = inout(reg) c, d = inout(reg) d,
                    e = inout(reg) e, f = inout(reg) f, g = inout(reg) g, h = inout(reg) h,
                    v = out(reg) _, w = out(reg) _, x = out(reg) _, y = out(reg) _,
                    words = in(reg) words,
                    options(pure, readonly, nostack)
                );
            }
            *state = [a, b, c, d, e, f, g, h];
        }
    };
}

sha2_rounds! {
    /// Eight rounds of SHA-256 (FIPS 180-4, 4.1.2).
    sha256: u32, ":e", "6" "11" "25", "2" "13" "22"
}

sha2_rounds! {
    /// Eight rounds of SHA-512 (FIPS 180-4, 4.1.3).
    sha512: u64, ":r", "14" "18" "41", "28" "34" "39"
}

/// One round of SHA-1. The halves of a function that share no bit are added one by one.
macro_rules! sha1_round {
    (choose, $i:literal, $a:literal $b:literal $c:literal $d:literal $e:literal) => {
        concat!(
            "mov {x:e}, {",
            $b,
            ":e}\n",
            "add {",
            $e,
            ":e}, [{words} + 32 * ",
            $i,
            "]\n",
            "and {x:e}, {",
            $c,
            ":e}\n",
            "andn {y:e}, {",
            $b,
            ":e}, {",
            $d,
            ":e}\n",
            "add {",
            $e,
            ":e}, {x:e}\n",
            "rorx {z:e}, {",
            $a,
            ":e}, 27\n",
            "add {",
            $e,
            ":e}, {y:e}\n",
            "rorx {",
            $b,
            ":e}, {",
            $b,
            ":e}, 2\n",
            "add {",
            $e,
            ":e}, {z:e}\n",
        )
    };
    (parity, $i:literal, $a:literal $b:literal $c:literal $d:literal $e:literal) => {
        concat!(
            "mov {x:e}, {",
            $d,
            ":e}\n",
            "add {",
            $e,
            ":e}, [{words} + 32 * ",
            $i,
            "]\n",
            "xor {x:e}, {",
            $c,
            ":e}\n",
            "rorx {z:e}, {",
            $a,
            ":e}, 27\n",
            "xor {x:e}, {",
            $b,
            ":e}\n",
            "rorx {",
            $b,
            ":e}, {",
            $b,
            ":e}, 2\n",
            "add {",
            $e,
            ":e}, {x:e}\n",
            "add {",
            $e,
            ":e}, {z:e}\n",
        )
    };
    (majority, $i:literal, $a:literal $b:literal $c:literal $d:literal $e:literal) => {
        concat!(
            "mov {x:e}, {",
            $d,
            ":e}\n",
            "mov {y:e}, {",
            $d,
            ":e}\n",
            "add {",
            $e,
            ":e}, [{words} + 32 * ",
            $i,
            "]\n",
            "xor {x:e}, {",
            $c,
            ":e}\n",
            "and {y:e}, {",
            $c,
            ":e}\n",
            "and {x:e}, {",
            $b,
            ":e}\n",
            "add {",
            $e,
            ":e}, {y:e}\n",
            "rorx {z:e}, {",
            $a,
            ":e}, 27\n",
            "add {",
            $e,
            ":e}, {x:e}\n",
            "rorx {",
            $b,
            ":e}, {",
            $b,
            ":e}, 2\n",
            "add {",
            $e,
            ":e}, {z:e}\n",
        )
    };
}

/// A function that runs ten rounds of SHA-1.
macro_rules! sha1_rounds {
    ($(#[$doc:meta])* $name:ident: $kind:ident) => {
        $(#[$doc])*
        ///
        /// # Safety
        /// BMI2, and ten words at `words`, 32 bytes apart.
        #[inline(always)]
        pub(super) unsafe fn $name(state: &mut [u32; 5], words: *const u32) {
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
                    words = in(reg) words,
                    options(pure, readonly, nostack)
                );
            }
            *state = [a, b, c, d, e];
        }
    };
}

sha1_rounds! {
    /// Ten rounds with the function of the first twenty (FIPS 180-4, 4.1.1).
    sha1_choose: choose
}

sha1_rounds! {
    /// Ten rounds with the function of the second and last twenty.
    sha1_parity: parity
}

sha1_rounds! {
    /// Ten rounds with the function of the third twenty.
    sha1_majority: majority
}
