//! A kernel on a register: loads blocks, compresses them, keeps the states.

use super::crew::{Rows, States};
use super::scalar::Portable;
use super::{Crew, Isa, Lanes, MAX_LANES, Row, Task, Twice, Word};
use crate::kernel::{Kernel, Pair};
use std::hint::black_box;
use std::marker::PhantomData;

/// A kernel on one kind of register.
pub(crate) trait Runner<K: Kernel>: Send + Sync {
    /// How many messages it takes in the time of one.
    fn lanes(&self) -> usize;

    /// How many it takes at a call, group after group.
    fn most(&self) -> usize {
        self.lanes()
    }

    /// Compresses the next `blocks` blocks of all messages in the crew.
    ///
    /// # Panics
    /// If the crew has more messages than that, none, or one with fewer blocks.
    fn run(&self, crew: &mut Crew<'_, K>, blocks: usize);
}

/// The runner of one register of an instruction set.
pub(super) fn one<K: Kernel, I: Isa>(isa: I) -> Box<dyn Runner<K>> {
    Box::new(On::<<K::Word as Word>::Of<I>> { isa })
}

/// The runner of two registers side by side.
pub(super) fn two<K: Kernel, I: Isa>(isa: I) -> Box<dyn Runner<K>> {
    Box::new(On::<Twice<<K::Word as Word>::Of<I>>> { isa })
}

/// The runner of a kernel that takes two messages, each in registers of its own.
pub(super) fn apart<K: Kernel>(pair: Pair<K>) -> Box<dyn Runner<K>> {
    Box::new(Apart { pair })
}

struct Apart<K: Kernel> {
    pair: Pair<K>,
}

impl<K: Kernel> Runner<K> for Apart<K> {
    fn lanes(&self) -> usize {
        2
    }

    fn most(&self) -> usize {
        MAX_LANES
    }

    fn run(&self, crew: &mut Crew<'_, K>, blocks: usize) {
        assert!(crew.len() > 0 && blocks <= crew.shortest());
        let bytes = blocks * K::BLOCK;
        for lane in (0..crew.len()).step_by(2) {
            // A message without another has itself for company.
            let other = (lane + 1).min(crew.len() - 1);
            let zero = K::State::splat(K::Word::default());
            let (mut first, mut second) = (zero, zero);
            crew.state(lane, &mut first);
            crew.state(other, &mut second);
            let rows = [&crew.rest(lane)[..bytes], &crew.rest(other)[..bytes]];
            (self.pair)([&mut first, &mut second], rows);
            crew.set_state(lane, &first);
            crew.set_state(other, &second);
        }
        (0..crew.len()).for_each(|lane| crew.skip(lane, blocks));
    }
}

struct On<L: Lanes> {
    isa: L::Isa,
}

impl<K: Kernel, L: Lanes<Word = K::Word>> Runner<K> for On<L> {
    fn lanes(&self) -> usize {
        L::COUNT
    }

    fn run(&self, crew: &mut Crew<'_, K>, blocks: usize) {
        let isa = self.isa;
        crew.advance(L::COUNT, blocks, |states, rows| {
            assert!(rows.pointers.len() == L::COUNT);
            isa.run(Blocks::<K, L> { isa, states, rows });
        });
    }
}

struct Blocks<'c, K: Kernel, L: Lanes<Word = K::Word>> {
    isa: L::Isa,
    states: &'c mut States<K>,
    rows: Rows<'c>,
}

impl<K: Kernel, L: Lanes<Word = K::Word>> Task for Blocks<'_, K, L> {
    #[inline(always)]
    fn work(self) {
        let zero = L::splat(self.isa, K::Word::default());
        let mut state = K::State::<L>::splat(zero);
        for i in 0..state.as_ref().len() {
            state.as_mut()[i] = L::load(self.isa, &self.states.as_ref()[i]);
        }
        let mut block = K::Block::<L>::splat(zero);
        // An aligned local makes the compiler align the stack, and with it the registers that it spills.
        black_box(&zero);
        let mut at = 0;
        while at < self.rows.bytes {
            // SAFETY: there are COUNT rows (`On::run` checks), each readable for `bytes`, a multiple of
            // the block.
            unsafe { load::<K, L>(self.isa, self.rows.pointers.as_ptr(), at, &mut block) };
            K::compress(self.isa, &mut state, &mut block);
            at += K::BLOCK;
        }
        for i in 0..state.as_ref().len() {
            state.as_ref()[i].store(&mut self.states.as_mut()[i]);
        }
    }
}

/// Loads one block of each message.
///
/// # Safety
/// `rows` has [`Lanes::COUNT`] pointers, each readable for a block from byte `at`.
#[inline(always)]
unsafe fn load<K: Kernel, L: Lanes<Word = K::Word>>(
    isa: L::Isa,
    rows: *const *const u8,
    at: usize,
    block: &mut K::Block<L>,
) {
    let block = block.as_mut();
    let size = size_of::<K::Word>();
    assert!(block.len() * size == K::BLOCK && block.len() >= L::GROUP);
    let mut word = 0;
    while word < block.len() {
        // A block that is no multiple of the group ends with a group that overlaps the one before.
        word = word.min(block.len() - L::GROUP);
        // SAFETY: GROUP words from here are in the block, in the rows and in the array.
        unsafe { L::gather(isa, rows, at + word * size, K::ORDER, block.as_mut_ptr().add(word), 1) };
        word += L::GROUP;
    }
}

/// Compresses blocks of one message with the portable kernel.
pub(crate) fn single<K: Kernel>(state: &mut K::State<K::Word>, blocks: &[u8]) {
    Portable.run(Alone::<K> { state, blocks, kernel: PhantomData });
}

struct Alone<'s, K: Kernel> {
    state: &'s mut K::State<K::Word>,
    blocks: &'s [u8],
    kernel: PhantomData<K>,
}

impl<K: Kernel> Task for Alone<'_, K>
where
    K::Word: Word,
{
    #[inline(always)]
    fn work(self) {
        alone::<K, <K::Word as Word>::Of<Portable>>(self.state, self.blocks);
    }
}

#[inline(always)]
fn alone<K: Kernel, L: Lanes<Word = K::Word, Isa = Portable>>(states: &mut K::State<K::Word>, blocks: &[u8]) {
    let zero = L::splat(Portable, K::Word::default());
    let mut state = K::State::<L>::splat(zero);
    for i in 0..state.as_ref().len() {
        state.as_mut()[i] = L::load(Portable, &states.as_ref()[i..]);
    }
    let mut words = K::Block::<L>::splat(zero);
    for block in blocks.chunks_exact(K::BLOCK) {
        // SAFETY: one row, which is readable for a block.
        unsafe { load::<K, L>(Portable, &block.as_ptr(), 0, &mut words) };
        K::compress(Portable, &mut state, &mut words);
    }
    for i in 0..state.as_ref().len() {
        state.as_ref()[i].store(&mut states.as_mut()[i..]);
    }
}
