//! SHA-1 and SHA-2 with schedules computed ahead: those of several consecutive blocks of one message at once, in the
//! lanes of vector registers (Gueron and Krasnov, "Parallelizing message schedules", 2012), because a schedule depends
//! only on the message. While the rounds of one group of blocks run in general registers, the schedules of the next
//! group are made in between, on units that would be idle.
//!
//! Even with AVX-512, registers have 256 bits: this still gains the rotations, without slowing down the processors that
//! lower their clock for 512 bits. On processors that don't, SHA-512 uses 512 bits.

#![allow(unsafe_code)]

pub(crate) mod rows;
pub(crate) mod sha2;

use rows::BlockWords;
use std::mem::MaybeUninit;

/// A hash with schedules computed ahead.
pub(crate) trait Scheduled {
    type Word: Copy + 'static;
    /// The chaining value.
    type State: Copy;
    /// The number of rounds of a block: a multiple of [`Scheduled::STEP`] and of four.
    const ROUNDS: usize;
    /// The number of rounds between two steps of the next schedules.
    const STEP: usize;
    /// The constant of each round.
    const CONSTANTS: &'static [Self::Word];
    /// Returns the row after the sixteen of the window, in which the oldest is at `at`.
    fn expand<R: BlockWords<Word = Self::Word>>(window: &[R; 16], at: usize) -> R;
    /// Runs [`Scheduled::STEP`] rounds, starting with `round`.
    ///
    /// # Safety
    /// BMI2, and as many words at `words`, `STRIDE` bytes apart.
    unsafe fn rounds<const STRIDE: usize>(state: &mut Self::State, round: usize, words: *const Self::Word);
    /// Adds the previous chaining value.
    fn add(state: &mut Self::State, before: &Self::State);
    /// Compresses the blocks that don't fill a group, without schedules ahead.
    fn compress_rest(state: &mut Self::State, blocks: &[u8]);
}

/// The words of a group of blocks with their constants added.
#[repr(align(64))]
struct Schedules<R> {
    rows: [R; 80],
}

/// The state of making schedules, which proceeds row by row.
struct ScheduleMaker<'a, R> {
    /// The newest sixteen rows without constants: row i is at i % 16. Not initialised: compilers would do that with
    /// registers of 512 bits, which costs an eighth of the speed on processors that lower their clock for them.
    window: [MaybeUninit<R>; 16],
    group: &'a [u8],
    done: usize,
}

impl<'a, R: BlockWords> ScheduleMaker<'a, R> {
    fn new(group: &'a [u8]) -> Self {
        ScheduleMaker { window: [const { MaybeUninit::uninit() }; 16], group, done: 0 }
    }

    /// Makes four more rows.
    ///
    /// # Safety
    /// The row type's features.
    #[inline(always)]
    unsafe fn make<A: Scheduled<Word = R::Word>>(&mut self, schedules: &mut Schedules<R>) {
        if self.done < 16 {
            // SAFETY: the caller's promise.
            unsafe { self.load() };
        } else {
            // SAFETY: sixteen rows have been loaded.
            unsafe {
                match self.done % 16 {
                    0 => self.expand::<A, 0>(),
                    4 => self.expand::<A, 4>(),
                    8 => self.expand::<A, 8>(),
                    _ => self.expand::<A, 12>(),
                }
            }
        }
        let at = self.done % 16;
        let (rows, constants) = (&mut schedules.rows[self.done..][..4], &A::CONSTANTS[self.done..][..4]);
        for i in 0..4 {
            // SAFETY: these four rows have just been made.
            rows[i] = unsafe { self.window[at + i].assume_init() }.add(R::splat(constants[i]));
        }
        self.done += 4;
    }

    /// Loads the next four rows from the blocks.
    ///
    /// # Safety
    /// The row type's features.
    #[inline(always)]
    unsafe fn load(&mut self) {
        let (at, word) = (self.done % 16, size_of::<R::Word>());
        assert_eq!(self.group.len(), 16 * size_of::<R>());
        // SAFETY: a row has a word of each block of the group, and a block sixteen words.
        let rows = unsafe { R::load(self.group.as_ptr().add(word * at), 16 * word) };
        for i in 0..4 {
            self.window[at + i].write(rows[i]);
        }
    }

    /// Makes four rows from the window, in the places of its oldest four, which are constants.
    ///
    /// # Safety
    /// The first sixteen rows have been loaded.
    #[inline(always)]
    unsafe fn expand<A: Scheduled<Word = R::Word>, const AT: usize>(&mut self) {
        for i in 0..4 {
            // SAFETY: the first sixteen rows have been loaded, so all places are filled.
            let window = unsafe { &*self.window.as_ptr().cast::<[R; 16]>() };
            self.window[AT + i] = MaybeUninit::new(A::expand(window, AT + i));
        }
    }
}

/// Compresses blocks.
///
/// # Safety
/// BMI2 and the row type's features.
#[inline(always)]
pub(crate) unsafe fn compress<A: Scheduled, R: BlockWords<Word = A::Word>, const STRIDE: usize>(
    state: &mut A::State,
    blocks: &[u8],
) {
    const { assert!(STRIDE == size_of::<R>()) };
    if blocks.len() < 16 * STRIDE {
        return A::compress_rest(state, blocks);
    }
    let groups = blocks.chunks_exact(16 * STRIDE);
    let rest = groups.remainder();
    let mut schedules = [Schedules { rows: [R::ZERO; 80] }, Schedules { rows: [R::ZERO; 80] }];
    let [mut current, mut next] = schedules.each_mut();
    let mut groups = groups.peekable();
    if let Some(first) = groups.peek() {
        let mut maker = ScheduleMaker::new(first);
        while maker.done < A::ROUNDS {
            // SAFETY: the caller's promise.
            unsafe { maker.make::<A>(next) };
        }
    }
    while groups.next().is_some() {
        std::mem::swap(&mut current, &mut next);
        let maker = groups.peek().map(|group| (ScheduleMaker::new(group), &mut *next));
        // SAFETY: the caller's promise; the current schedules are whole.
        unsafe { run::<A, R, STRIDE>(state, current, maker) };
    }
    A::compress_rest(state, rest);
}

/// Runs the rounds of a group, and makes the schedules of the next at the same pace.
///
/// # Safety
/// BMI2 and the row type's features.
#[inline(always)]
unsafe fn run<A: Scheduled, R: BlockWords<Word = A::Word>, const STRIDE: usize>(
    state: &mut A::State,
    current: &Schedules<R>,
    mut maker: Option<(ScheduleMaker<'_, R>, &mut Schedules<R>)>,
) {
    let lanes = size_of::<R>() / size_of::<A::Word>();
    let words: *const A::Word = current.rows.as_ptr().cast();
    for lane in 0..lanes {
        let before = *state;
        for round in (0..A::ROUNDS).step_by(A::STEP) {
            // SAFETY: a row is `lanes` words long, and there is one for every round.
            unsafe { A::rounds::<STRIDE>(state, round, words.add(lanes * round + lane)) };
            let Some((maker, next)) = &mut maker else { continue };
            while (maker.done + 4) * lanes <= lane * A::ROUNDS + round + A::STEP {
                // SAFETY: the caller's promise.
                unsafe { maker.make::<A>(next) };
            }
        }
        A::add(state, &before);
    }
}
