//! A kernel on a register: loads blocks, compresses them, and keeps the states.

use super::portable::Portable;
use super::set::{LaneSet, Rows, States};
use super::twice::Twice;
use super::vector::{Array, Simd, Task, Vector, Word};
use crate::block::{LaneKernel, State};
#[cfg(target_arch = "x86_64")]
use crate::machine::path::Pair;
use std::hint::black_box;
use std::marker::PhantomData;

/// A kernel on one kind of register.
pub(crate) trait Runner<K: LaneKernel>: Send + Sync {
    /// Returns how many messages it takes in the time of one.
    fn lanes(&self) -> usize;

    /// Returns how many messages it takes in one call, group after group.
    fn most(&self) -> usize {
        self.lanes()
    }

    /// Compresses the next `blocks` blocks of all messages in the set.
    ///
    /// # Panics
    /// If the set is empty, has more than [`Runner::most`] messages, or has one with fewer blocks.
    fn run(&self, set: &mut LaneSet<'_, K>, blocks: usize);
}

/// Makes the runner of one register of an instruction set.
pub(super) fn one<K: LaneKernel, S: Simd>(simd: S) -> Box<dyn Runner<K>> {
    Box::new(OnVector::<<K::Word as Word>::Register<S>> { simd })
}

/// Makes the runner of two registers side by side.
pub(super) fn two<K: LaneKernel, S: Simd>(simd: S) -> Box<dyn Runner<K>> {
    Box::new(OnVector::<Twice<<K::Word as Word>::Register<S>>> { simd })
}

/// Makes the runner of a kernel that takes two messages, each in its own registers.
#[cfg(target_arch = "x86_64")]
pub(super) fn pair<K: LaneKernel>(pair: Pair<State<K>>) -> Box<dyn Runner<K>> {
    Box::new(OnPair { pair })
}

#[cfg(target_arch = "x86_64")]
struct OnPair<K: LaneKernel> {
    pair: Pair<State<K>>,
}

#[cfg(target_arch = "x86_64")]
impl<K: LaneKernel> Runner<K> for OnPair<K> {
    fn lanes(&self) -> usize {
        2
    }

    fn most(&self) -> usize {
        super::vector::MAX_LANES
    }

    fn run(&self, set: &mut LaneSet<'_, K>, blocks: usize) {
        assert!(set.len() > 0 && blocks <= set.shortest());
        let bytes = blocks * K::BLOCK;
        for lane in (0..set.len()).step_by(2) {
            // A message without a partner is its own partner.
            let other = (lane + 1).min(set.len() - 1);
            let zero = K::State::splat(K::Word::default());
            let (mut first, mut second) = (zero, zero);
            set.state(lane, &mut first);
            set.state(other, &mut second);
            let rows = [&set.rest(lane)[..bytes], &set.rest(other)[..bytes]];
            (self.pair)([&mut first, &mut second], rows);
            set.set_state(lane, &first);
            set.set_state(other, &second);
        }
        (0..set.len()).for_each(|lane| set.skip(lane, blocks));
    }
}

struct OnVector<V: Vector> {
    simd: V::Simd,
}

impl<K: LaneKernel, V: Vector<Word = K::Word>> Runner<K> for OnVector<V> {
    fn lanes(&self) -> usize {
        V::COUNT
    }

    fn run(&self, set: &mut LaneSet<'_, K>, blocks: usize) {
        let simd = self.simd;
        set.advance(V::COUNT, blocks, |states, rows| {
            assert!(rows.pointers.len() == V::COUNT);
            simd.run(Blocks::<K, V> { simd, states, rows });
        });
    }
}

struct Blocks<'c, K: LaneKernel, V: Vector<Word = K::Word>> {
    simd: V::Simd,
    states: &'c mut States<K>,
    rows: Rows<'c>,
}

impl<K: LaneKernel, V: Vector<Word = K::Word>> Task for Blocks<'_, K, V> {
    #[inline(always)]
    fn work(self) {
        let zero = V::splat(self.simd, K::Word::default());
        let mut state = K::State::<V>::splat(zero);
        for i in 0..state.as_ref().len() {
            state.as_mut()[i] = V::load(self.simd, &self.states.as_ref()[i]);
        }
        let mut block = K::Block::<V>::splat(zero);
        // An aligned local makes the compiler align the stack, and so the registers that it spills.
        black_box(&zero);
        let mut at = 0;
        while at < self.rows.bytes {
            // SAFETY: there are COUNT rows (`OnVector::run` checks), each readable for `bytes`, a multiple of the
            // block.
            unsafe { load::<K, V>(self.simd, self.rows.pointers.as_ptr(), at, &mut block) };
            K::compress(self.simd, &mut state, &mut block);
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
/// `rows` has [`Vector::COUNT`] pointers, each readable for a block from byte `at`.
#[inline(always)]
unsafe fn load<K: LaneKernel, V: Vector<Word = K::Word>>(
    simd: V::Simd,
    rows: *const *const u8,
    at: usize,
    block: &mut K::Block<V>,
) {
    let block = block.as_mut();
    let size = size_of::<K::Word>();
    assert!(block.len() * size == K::BLOCK && block.len() >= V::GROUP);
    let mut word = 0;
    while word < block.len() {
        // If a block is not a multiple of the group, its last group overlaps the one before.
        word = word.min(block.len() - V::GROUP);
        // SAFETY: GROUP words from here are in the block, in the rows and in the array.
        unsafe { V::gather(simd, rows, at + word * size, K::ORDER, block.as_mut_ptr().add(word), 1) };
        word += V::GROUP;
    }
}

/// Compresses blocks of one message with plain machine words.
pub(crate) fn one_lane<K: LaneKernel>(state: &mut State<K>, blocks: &[u8]) {
    Portable.run(OneLane::<K> { state, blocks, kernel: PhantomData });
}

struct OneLane<'s, K: LaneKernel> {
    state: &'s mut State<K>,
    blocks: &'s [u8],
    kernel: PhantomData<K>,
}

impl<K: LaneKernel> Task for OneLane<'_, K> {
    #[inline(always)]
    fn work(self) {
        compress::<K, <K::Word as Word>::Register<Portable>>(self.state, self.blocks);
    }
}

#[inline(always)]
fn compress<K: LaneKernel, V: Vector<Word = K::Word, Simd = Portable>>(states: &mut State<K>, blocks: &[u8]) {
    let zero = V::splat(Portable, K::Word::default());
    let mut state = K::State::<V>::splat(zero);
    for i in 0..state.as_ref().len() {
        state.as_mut()[i] = V::load(Portable, &states.as_ref()[i..]);
    }
    let mut words = K::Block::<V>::splat(zero);
    for block in blocks.chunks_exact(K::BLOCK) {
        // SAFETY: one row, which is readable for a block.
        unsafe { load::<K, V>(Portable, &block.as_ptr(), 0, &mut words) };
        K::compress(Portable, &mut state, &mut words);
    }
    for i in 0..state.as_ref().len() {
        state.as_ref()[i].store(&mut states.as_mut()[i..]);
    }
}
