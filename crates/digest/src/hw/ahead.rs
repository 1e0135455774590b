//! SHA-1 and SHA-2 with schedules computed ahead: those of several consecutive blocks of one message at
//! once, in the lanes of vector registers (Gueron and Krasnov, "Parallelizing message schedules", 2012),
//! because a schedule depends on the message alone. While the rounds of one group of blocks run in general
//! registers, the schedules of the next group are made in between, on units that would be idle.
//!
//! Registers have 256 bits also with AVX-512: that gains the rotations, and processors that slow down for
//! 512 bits do not.

#![allow(unsafe_code)]

use super::rows::Row;
use super::x86_rounds;
use crate::{sha1, sha256, sha512};

/// A hash whose schedules are made ahead.
trait Ahead {
    /// One word.
    type Word: Copy;
    /// The chaining value.
    type State: Copy;
    /// Rounds of a block: a multiple of [`Ahead::STEP`] and of four.
    const ROUNDS: usize;
    /// Rounds that run between two looks at the next schedules.
    const STEP: usize;
    /// The constant of a round.
    fn constant(round: usize) -> Self::Word;
    /// The row that follows the sixteen of the window, of which the oldest is at `at`.
    fn expand<R: Row<Word = Self::Word>>(window: &[R; 16], at: usize) -> R;
    /// Runs [`Ahead::STEP`] rounds, of which the first is `round`.
    ///
    /// # Safety
    /// BMI2, and so many words at `words`, 32 bytes apart.
    unsafe fn rounds(state: &mut Self::State, round: usize, words: *const Self::Word);
    /// Adds the chaining value of before.
    fn add(state: &mut Self::State, before: &Self::State);
    /// Takes blocks without schedules ahead.
    fn few(state: &mut Self::State, blocks: &[u8]);
}

/// The words of a group of blocks, their constants added.
#[repr(align(64))]
struct Schedules<R> {
    rows: [R; 80],
}

/// The making of schedules, which goes on row by row.
struct Maker<'a, R> {
    /// The newest sixteen rows without constants: row i is at i % 16.
    window: [R; 16],
    group: &'a [u8],
    done: usize,
}

impl<'a, R: Row> Maker<'a, R> {
    fn new(group: &'a [u8]) -> Self {
        Maker { window: [R::ZERO; 16], group, done: 0 }
    }

    /// Makes four more rows.
    ///
    /// # Safety
    /// The row type's features.
    #[inline(always)]
    unsafe fn make<A: Ahead<Word = R::Word>>(&mut self, schedules: &mut Schedules<R>) {
        let at = self.done % 16;
        if self.done < 16 {
            let word = size_of::<R::Word>();
            assert_eq!(self.group.len(), 16 * size_of::<R>());
            // SAFETY: a row has a word of each block of the group, and a block sixteen words.
            let rows = unsafe { R::load(self.group.as_ptr().add(word * at), 16 * word) };
            self.window[at..at + 4].copy_from_slice(&rows);
        } else {
            for i in at..at + 4 {
                self.window[i] = A::expand(&self.window, i);
            }
        }
        for i in 0..4 {
            schedules.rows[self.done + i] = self.window[at + i].add(R::splat(A::constant(self.done + i)));
        }
        self.done += 4;
    }
}

/// Takes blocks.
///
/// # Safety
/// BMI2 and the row type's features.
#[inline(always)]
unsafe fn compress<A: Ahead, R: Row<Word = A::Word>>(state: &mut A::State, blocks: &[u8]) {
    let groups = blocks.chunks_exact(16 * size_of::<R>());
    let rest = groups.remainder();
    let mut schedules = [Schedules { rows: [R::ZERO; 80] }, Schedules { rows: [R::ZERO; 80] }];
    let [mut current, mut next] = schedules.each_mut();
    let mut groups = groups.peekable();
    if let Some(first) = groups.peek() {
        let mut maker = Maker::new(first);
        while maker.done < A::ROUNDS {
            // SAFETY: the caller's promise.
            unsafe { maker.make::<A>(next) };
        }
    }
    while groups.next().is_some() {
        std::mem::swap(&mut current, &mut next);
        let maker = groups.peek().map(|group| (Maker::new(group), &mut *next));
        // SAFETY: the caller's promise; the current schedules are whole.
        unsafe { run::<A, R>(state, current, maker) };
    }
    A::few(state, rest);
}

/// Runs the rounds of a group, and makes the schedules of the next at the same pace.
///
/// # Safety
/// BMI2 and the row type's features.
#[inline(always)]
unsafe fn run<A: Ahead, R: Row<Word = A::Word>>(
    state: &mut A::State,
    current: &Schedules<R>,
    mut maker: Option<(Maker<'_, R>, &mut Schedules<R>)>,
) {
    let lanes = size_of::<R>() / size_of::<A::Word>();
    let words: *const A::Word = current.rows.as_ptr().cast();
    for lane in 0..lanes {
        let before = *state;
        for round in (0..A::ROUNDS).step_by(A::STEP) {
            // SAFETY: a row is `lanes` words long, and there is one for every round.
            unsafe { A::rounds(state, round, words.add(lanes * round + lane)) };
            let Some((maker, next)) = &mut maker else { continue };
            while (maker.done + 4) * lanes <= lane * A::ROUNDS + round + A::STEP {
                // SAFETY: the caller's promise.
                unsafe { maker.make::<A>(next) };
            }
        }
        A::add(state, &before);
    }
}

struct Sha1;
struct Sha256;
struct Sha512;

impl Ahead for Sha1 {
    type Word = u32;
    type State = [u32; 5];
    const ROUNDS: usize = 80;
    const STEP: usize = 20;
    #[inline(always)]
    fn constant(round: usize) -> u32 {
        sha1::K[round / 20]
    }
    #[inline(always)]
    fn expand<R: Row<Word = u32>>(window: &[R; 16], at: usize) -> R {
        let old = |age: usize| window[(at + 16 - age) % 16];
        old(3).xor(old(8)).xor(old(14)).xor(old(16)).rotate(31)
    }
    #[inline(always)]
    unsafe fn rounds(state: &mut [u32; 5], round: usize, words: *const u32) {
        let ten = match round / 20 {
            0 => x86_rounds::sha1_choose,
            2 => x86_rounds::sha1_majority,
            _ => x86_rounds::sha1_parity,
        };
        // SAFETY: the caller's promise.
        unsafe {
            ten(state, words);
            ten(state, words.add(10 * ROW));
        }
    }
    #[inline(always)]
    fn add(state: &mut [u32; 5], before: &[u32; 5]) {
        for i in 0..5 {
            state[i] = state[i].wrapping_add(before[i]);
        }
    }
    #[inline(always)]
    fn few(state: &mut [u32; 5], blocks: &[u8]) {
        sha1::compress(state, blocks);
    }
}

/// Words of 32 bits in a row.
const ROW: usize = 8;

macro_rules! sha2 {
    ($name:ident: $word:ident, $module:ident, $rounds:literal,
     $near:literal $near2:literal $near3:literal, $far:literal $far2:literal $far3:literal) => {
        impl Ahead for $name {
            type Word = $word;
            type State = [$word; 8];
            const ROUNDS: usize = $rounds;
            const STEP: usize = 16;
            #[inline(always)]
            fn constant(round: usize) -> $word {
                $module::K[round]
            }
            #[inline(always)]
            fn expand<R: Row<Word = $word>>(window: &[R; 16], at: usize) -> R {
                let old = |age: usize| window[(at + 16 - age) % 16];
                let near = old(2).rotate($near).xor(old(2).rotate($near2)).xor(old(2).shift($near3));
                let far = old(15).rotate($far).xor(old(15).rotate($far2)).xor(old(15).shift($far3));
                near.add(old(7)).add(far).add(old(16))
            }
            #[inline(always)]
            unsafe fn rounds(state: &mut [$word; 8], _: usize, words: *const $word) {
                // SAFETY: the caller's promise.
                unsafe {
                    x86_rounds::$module(state, words);
                    x86_rounds::$module(state, words.byte_add(8 * 32));
                }
            }
            #[inline(always)]
            fn add(state: &mut [$word; 8], before: &[$word; 8]) {
                for i in 0..8 {
                    state[i] = state[i].wrapping_add(before[i]);
                }
            }
            #[inline(always)]
            fn few(state: &mut [$word; 8], blocks: &[u8]) {
                $module::compress(state, blocks);
            }
        }
    };
}

sha2!(Sha256: u32, sha256, 64, 17 19 10, 7 18 3);
sha2!(Sha512: u64, sha512, 80, 19 61 6, 1 8 7);

/// Functions that check for the features and then run what `$body` says, compiled with them.
macro_rules! doors {
    ($isa:ident, $features:literal, { $($name:ident: $state:ty = $body:expr;)* }) => {
        $(
            pub(crate) fn $name(state: &mut $state, blocks: &[u8]) {
                #[target_feature(enable = $features)]
                fn door(state: &mut $state, blocks: &[u8]) {
                    // SAFETY: this function is compiled with the features.
                    #[allow(unused_unsafe)]
                    unsafe { $body(state, blocks) };
                }
                assert!(crate::Isa::$isa.present());
                // SAFETY: the processor has the features: the line before makes sure.
                unsafe { door(state, blocks) }
            }
        )*
    };
}

/// For processors with AVX2, BMI1 and BMI2.
pub(crate) mod avx2 {
    use super::super::rows::{Avx2x4, Avx2x8};
    use super::{Sha1, Sha256, Sha512, compress};

    doors!(Avx2, "avx2,bmi1,bmi2", {
        sha1: [u32; 5] = compress::<Sha1, Avx2x8>;
        sha256: [u32; 8] = compress::<Sha256, Avx2x8>;
        sha512: [u64; 8] = compress::<Sha512, Avx2x4>;
    });
}

/// For processors with AVX-512, which have instructions that rotate and that combine three words.
pub(crate) mod avx512 {
    use super::super::rows::{Avx512x4, Avx512x8};
    use super::{Sha1, Sha256, Sha512, compress};

    doors!(Avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2", {
        sha1: [u32; 5] = compress::<Sha1, Avx512x8>;
        sha256: [u32; 8] = compress::<Sha256, Avx512x8>;
        sha512: [u64; 8] = compress::<Sha512, Avx512x4>;
    });
}
