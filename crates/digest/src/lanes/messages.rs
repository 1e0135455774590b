//! Whole messages in memory, hashed in lanes without streams: a short message costs little more than its blocks.

use super::bank::LaneBank;
use super::set::LaneSet;
use super::vector::MAX_LANES;
use crate::block::{Kernel, LaneHash, digest};

#[derive(Clone, Copy)]
struct Message<'a> {
    bytes: &'a [u8],
    /// The bytes that were not given to a lane yet.
    rest: &'a [u8],
    /// The padding was given, too.
    padded: bool,
    /// The index of the message and of its digest.
    place: usize,
}

impl<'a> Message<'a> {
    fn new(bytes: &'a [u8], place: usize) -> Self {
        Message { bytes, rest: bytes, padded: false, place }
    }

    /// Gives blocks to the lane: all whole ones, or the last bytes and the padding. False if everything was given.
    fn supply<A: LaneHash>(&mut self, set: &mut LaneSet<'a, A::Kernel>, lane: usize) -> bool {
        if self.padded {
            return false;
        }
        let block = <A::Kernel as Kernel>::BLOCK;
        if A::PADDING.fits_two(block, self.rest.len()) {
            self.pad::<A>(set, lane);
            return true;
        }
        let most = block * (u32::MAX as usize / 2);
        let end = (self.rest.len() - A::PADDING.held()) / block * block;
        let (blocks, rest) = self.rest.split_at(end.min(most));
        self.rest = rest;
        set.give(lane, blocks);
        true
    }

    fn pad<A: LaneHash>(&mut self, set: &mut LaneSet<'a, A::Kernel>, lane: usize) {
        let total = self.bytes.len() as u64;
        let fill = self.rest.len();
        let cell = set.cell(lane);
        cell[..fill].copy_from_slice(self.rest);
        let blocks = A::PADDING.apply(cell, <A::Kernel as Kernel>::BLOCK, fill, total);
        set.give_cell(lane, blocks);
        if A::PADDING.held() > 0 {
            let mut state = A::START;
            set.state(lane, &mut state);
            A::Kernel::mark_last(&mut state, total);
            set.set_state(lane, &state);
        }
        self.padded = true;
    }
}

impl<A: LaneHash> LaneBank<A> {
    /// Hashes the messages and writes their digests one after another to `digests`.
    pub(super) fn messages(&mut self, messages: &[&[u8]], digests: &mut [u8]) {
        assert_eq!(digests.len(), messages.len() * A::BYTES);
        let mut cells = std::mem::take(&mut self.cells);
        let mut set = LaneSet::new(&mut cells);
        let mut waiting = Waiting { messages, order: self.order(messages) };
        let mut lanes = [Message::new(&[], 0); MAX_LANES];
        loop {
            while set.len() < self.pick.lanes && waiting.any() {
                let lane = set.add(&A::START);
                waiting.begin::<A>(&mut set, lane, &mut lanes);
            }
            if set.len() == 0 {
                break;
            }
            if self.pick.runner(set.len()).is_none() {
                self.one_by_one(&mut set, &mut lanes, digests);
                continue;
            }
            self.advance(&mut set);
            for lane in (0..set.len()).rev() {
                if set.left(lane) > 0 || lanes[lane].supply::<A>(&mut set, lane) {
                    continue;
                }
                write::<A>(&set, lane, lanes[lane].place, digests);
                if waiting.any() {
                    set.set_state(lane, &A::START);
                    waiting.begin::<A>(&mut set, lane, &mut lanes);
                } else {
                    set.remove(lane);
                    lanes[lane] = lanes[set.len()];
                }
            }
        }
        self.cells = cells;
    }

    /// Returns the order in which messages take lanes, the last first: longest first if the lengths differ much.
    fn order(&self, messages: &[&[u8]]) -> Vec<u32> {
        let size =
            |place: &u32| (messages[*place as usize].len() / <A::Kernel as Kernel>::BLOCK).checked_ilog2();
        let mut order: Vec<u32> = (0..messages.len() as u32).collect();
        if self.pick.lanes > 1 && order.windows(2).any(|pair| size(&pair[0]) != size(&pair[1])) {
            order.sort_unstable_by_key(size);
        }
        order
    }

    /// Hashes the messages in lanes one after another.
    fn one_by_one<'a>(
        &mut self,
        set: &mut LaneSet<'a, A::Kernel>,
        lanes: &mut [Message<'a>],
        digests: &mut [u8],
    ) {
        while let Some(lane) = set.len().checked_sub(1) {
            self.compress_alone(set, lane);
            while lanes[lane].supply::<A>(set, lane) {
                self.compress_alone(set, lane);
            }
            write::<A>(set, lane, lanes[lane].place, digests);
            set.remove(lane);
        }
    }
}

/// Messages that had no lane yet.
struct Waiting<'a, 'b> {
    messages: &'b [&'a [u8]],
    /// Their indexes; the last goes first.
    order: Vec<u32>,
}

impl<'a> Waiting<'a, '_> {
    fn any(&self) -> bool {
        !self.order.is_empty()
    }

    /// Gives the next message to a lane, which has the initial state.
    fn begin<A: LaneHash>(
        &mut self,
        set: &mut LaneSet<'a, A::Kernel>,
        lane: usize,
        lanes: &mut [Message<'a>],
    ) {
        let Some(place) = self.order.pop() else { return };
        let place = place as usize;
        lanes[lane] = Message::new(self.messages[place], place);
        lanes[lane].supply::<A>(set, lane);
    }
}

/// Writes the digest of the message in a lane.
fn write<A: LaneHash>(set: &LaneSet<'_, A::Kernel>, lane: usize, place: usize, digests: &mut [u8]) {
    let mut state = A::START;
    set.state(lane, &mut state);
    digests[place * A::BYTES..][..A::BYTES].copy_from_slice(digest::<A>(&state).as_bytes());
}
