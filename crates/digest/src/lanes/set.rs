//! The messages in lanes: their states side by side, the positions of their next bytes, and how many blocks each has.

use super::vector::{Array, MAX_LANES};
use crate::block::{Kernel, State};
use std::marker::PhantomData;
use std::slice;

/// The states of the messages in lanes: word by word, not message by message.
pub(crate) type States<K> = <K as Kernel>::State<[<K as Kernel>::Word; MAX_LANES]>;

/// Up to [`MAX_LANES`] messages; the lanes in use are always the first.
pub(crate) struct LaneSet<'a, K: Kernel> {
    states: States<K>,
    /// The next block of each lane; `left` blocks can be read there.
    rows: [*const u8; MAX_LANES],
    left: [u32; MAX_LANES],
    len: usize,
    /// [`MAX_LANES`] cells of two blocks, for blocks that are not contiguous in a part of a message.
    cells: *mut u8,
    cell: [usize; MAX_LANES],
    borrowed: PhantomData<&'a mut [u8]>,
}

impl<'a, K: Kernel> LaneSet<'a, K> {
    /// The bytes that `cells` needs.
    pub(crate) const CELLS: usize = MAX_LANES * 2 * K::BLOCK;

    /// Creates an empty set.
    ///
    /// # Panics
    /// If `cells` has fewer than [`LaneSet::CELLS`] bytes.
    pub(crate) fn new(cells: &'a mut [u8]) -> Self {
        assert!(cells.len() >= Self::CELLS);
        let mut cell = [0; MAX_LANES];
        for (i, cell) in cell.iter_mut().enumerate() {
            *cell = i;
        }
        LaneSet {
            states: K::State::splat([K::Word::default(); MAX_LANES]),
            rows: [std::ptr::null(); MAX_LANES],
            left: [0; MAX_LANES],
            len: 0,
            cells: cells.as_mut_ptr(),
            cell,
            borrowed: PhantomData,
        }
    }

    /// Returns how many lanes are in use.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a message without blocks. Returns its lane.
    pub(crate) fn add(&mut self, state: &State<K>) -> usize {
        let lane = self.len;
        self.len += 1;
        self.set_state(lane, state);
        self.left[lane] = 0;
        lane
    }

    /// Removes a message; the last lane moves to its place.
    pub(crate) fn remove(&mut self, lane: usize) {
        self.len -= 1;
        let last = self.len;
        for words in self.states.as_mut() {
            words[lane] = words[last];
        }
        self.rows[lane] = self.rows[last];
        self.left[lane] = self.left[last];
        self.cell.swap(lane, last);
    }

    /// Copies the state of one message.
    pub(crate) fn state(&self, lane: usize, state: &mut State<K>) {
        for (word, words) in state.as_mut().iter_mut().zip(self.states.as_ref()) {
            *word = words[lane];
        }
    }

    /// Sets the state of a lane.
    pub(crate) fn set_state(&mut self, lane: usize, state: &State<K>) {
        for (words, word) in self.states.as_mut().iter_mut().zip(state.as_ref()) {
            words[lane] = *word;
        }
    }

    /// Sets a word of the state of a lane.
    pub(crate) fn set_word(&mut self, lane: usize, place: usize, word: K::Word) {
        self.states.as_mut()[place][lane] = word;
    }

    /// Returns how many blocks a lane has left.
    pub(crate) fn left(&self, lane: usize) -> usize {
        self.left[lane] as usize
    }

    /// Returns the blocks that a lane has left.
    pub(crate) fn rest(&self, lane: usize) -> &[u8] {
        if self.left[lane] == 0 {
            return &[];
        }
        // SAFETY: `left` blocks can be read at `rows`, in a part or in the lane's cell, and no exclusive
        // reference to the cells outlives the call that got it.
        unsafe { slice::from_raw_parts(self.rows[lane], self.left(lane) * K::BLOCK) }
    }

    /// Gives a lane whole blocks of its message.
    pub(crate) fn give(&mut self, lane: usize, blocks: &'a [u8]) {
        debug_assert!(lane < self.len && blocks.len() / K::BLOCK <= u32::MAX as usize);
        self.rows[lane] = blocks.as_ptr();
        self.left[lane] = (blocks.len() / K::BLOCK) as u32;
    }

    /// Returns the lane's cell of two blocks. Writing to it overwrites the blocks from [`LaneSet::give_cell`].
    pub(crate) fn cell(&mut self, lane: usize) -> &mut [u8] {
        let at = self.cell[lane] * 2 * K::BLOCK;
        // SAFETY: `cell` is a permutation of the lanes, `cells` has two blocks for each and is ours alone;
        // the lane has no shared reference, because `self` is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.cells.add(at), 2 * K::BLOCK) }
    }

    /// Gives a lane the first one or two blocks of its cell.
    pub(crate) fn give_cell(&mut self, lane: usize, blocks: usize) {
        assert!(lane < self.len && blocks <= 2);
        self.rows[lane] = self.cell(lane).as_ptr();
        self.left[lane] = blocks as u32;
    }

    /// Skips blocks that were compressed elsewhere.
    pub(crate) fn skip(&mut self, lane: usize, blocks: usize) {
        assert!(blocks <= self.left(lane));
        self.rows[lane] = self.rows[lane].wrapping_add(blocks * K::BLOCK);
        self.left[lane] -= blocks as u32;
    }

    /// Returns the minimum number of blocks among the lanes.
    pub(crate) fn shortest(&self) -> usize {
        self.left[..self.len].iter().copied().min().unwrap_or(0) as usize
    }

    /// Lets `work` compress the next blocks of all lanes. It gets the states, and `lanes` rows with readable blocks,
    /// including rows of unused lanes.
    pub(super) fn advance(
        &mut self,
        lanes: usize,
        blocks: usize,
        work: impl FnOnce(&mut States<K>, Rows<'_>),
    ) {
        assert!(self.len > 0 && self.len <= lanes && lanes <= MAX_LANES && blocks <= self.shortest());
        for lane in self.len..lanes {
            self.rows[lane] = self.rows[0];
        }
        work(&mut self.states, Rows { pointers: &self.rows[..lanes], bytes: blocks * K::BLOCK });
        for lane in 0..self.len {
            // `blocks` is at most `left`, so this stays in the part or cell, or at its end.
            self.rows[lane] = self.rows[lane].wrapping_add(blocks * K::BLOCK);
            self.left[lane] -= blocks as u32;
        }
    }
}

/// The blocks of the messages in all lanes. Only [`LaneSet::advance`] creates it.
pub(super) struct Rows<'a> {
    pub(super) pointers: &'a [*const u8],
    /// The number of bytes that can be read at each pointer.
    pub(super) bytes: usize,
}
