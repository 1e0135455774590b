//! The leaves of ranges, side by side in the lanes of the leaf algorithm.

use super::{Leaves, Short};
use crate::bank::{Bank, Pace, Slot, StreamPart};
use crate::field::{Field, LONGEST_MESSAGE};

/// Hashes the leaves of any number of ranges. Leaves that start in the same call share the lanes.
pub struct LeafBank {
    shape: Leaves,
    bank: Box<dyn Bank>,
    /// Makes a bank.
    make: fn() -> Box<dyn Bank>,
    ranges: Vec<Range>,
    free: Vec<usize>,
}

/// A range of a message.
#[derive(Default)]
struct Range {
    /// The offset of its next byte in the message.
    at: u64,
    open: Option<Open>,
    /// The digests of finished leaves that were not taken.
    done: Vec<u8>,
}

/// A leaf that was started.
struct Open {
    slot: Slot,
    /// All its bytes so far are zeros.
    zeros: bool,
}

/// The padding of short leaves.
static ZEROS: [u8; 4096] = [0; 4096];

impl LeafBank {
    /// Creates a bank for leaves side by side.
    pub fn new(shape: Leaves) -> Self {
        LeafBank::by(shape, shape.many)
    }

    /// Creates a bank for long leaves one after another.
    pub fn alone(shape: Leaves) -> Self {
        LeafBank::by(shape, shape.alone)
    }

    fn by(shape: Leaves, make: fn() -> Box<dyn Bank>) -> Self {
        LeafBank { shape, bank: make(), make, ranges: Vec::new(), free: Vec::new() }
    }

    /// Copies one range, which continues as the first one.
    pub(super) fn fork(&self, range: Slot) -> LeafBank {
        let Range { at, open, done } = &self.ranges[range.0];
        let bank = open.as_ref().map_or_else(|| (self.make)(), |open| self.bank.fork(open.slot));
        let open = open.as_ref().map(|open| Open { slot: Slot(0), zeros: open.zeros });
        let ranges = vec![Range { at: *at, open, done: done.clone() }];
        LeafBank { shape: self.shape, bank, make: self.make, ranges, free: Vec::new() }
    }

    /// Writes the state of a range whose finished leaves were taken, and returns whether it can be had.
    pub(super) fn save(&self, range: Slot, into: &mut Vec<u8>) -> bool {
        let Range { at, open, done } = &self.ranges[range.0];
        let state = open.as_ref().map(|open| (u8::from(open.zeros), self.bank.save(open.slot)));
        at.put(into);
        match state {
            None => None::<u8>.put(into),
            Some((zeros, Some(state))) => Some((zeros, state)).put(into),
            Some((_, None)) => return false,
        }
        done.is_empty()
    }

    /// Opens a range with a written state. `None` if it is none.
    pub(super) fn load(&mut self, from: &mut &[u8]) -> Option<Slot> {
        let (at, open) = <(u64, Option<(u8, Vec<u8>)>)>::take(from)?;
        if at > LONGEST_MESSAGE || open.is_some() == self.shape.begins(at) {
            return None;
        }
        let open = match open {
            Some((zeros @ 0..=1, state)) => {
                Some(Open { slot: self.bank.restore(&state)?, zeros: zeros == 1 })
            }
            Some(_) => return None,
            None => None,
        };
        let slot = self.open(0);
        self.ranges[slot.0] = Range { at, open, done: Vec::new() };
        Some(slot)
    }

    /// Opens a range at this offset of its message, at which a leaf must begin.
    pub fn open(&mut self, offset: u64) -> Slot {
        debug_assert!(self.shape.begins(offset));
        let range = Range { at: offset, ..Range::default() };
        let slot = self.free.pop().unwrap_or(self.ranges.len());
        if slot == self.ranges.len() {
            self.ranges.push(range);
        } else {
            self.ranges[slot] = range;
        }
        Slot(slot)
    }

    /// Hashes the next bytes of some ranges. A part with `last` ends the range and its last leaf.
    pub fn update(&mut self, parts: &[StreamPart<'_>]) {
        let mut batch = Vec::with_capacity(2 * parts.len());
        let mut ended = Vec::new();
        for part in parts {
            self.cut(part, &mut batch, &mut ended);
        }
        self.bank.update(&batch);
        for (range, open) in ended {
            let digest = self.bank.close(open.slot);
            let zero = open.zeros && self.shape.short == Short::PaddedZerosAreZero;
            let done = &mut self.ranges[range].done;
            match zero {
                true => done.resize(done.len() + self.shape.digest, 0),
                false => done.extend_from_slice(digest.as_bytes()),
            }
        }
    }

    /// Cuts a part at the starts of leaves. Adds the pieces to the batch, and the leaves that end to `ended`.
    fn cut<'a>(
        &mut self,
        part: &StreamPart<'a>,
        batch: &mut Vec<StreamPart<'a>>,
        ended: &mut Vec<(usize, Open)>,
    ) {
        let mut bytes = part.bytes;
        while !bytes.is_empty() {
            let mut open = self.begin(part.slot, batch);
            let range = &mut self.ranges[part.slot.0];
            let wanted = self.shape.left(range.at).min(bytes.len() as u64) as usize;
            let (head, tail) = bytes.split_at(wanted);
            range.at += wanted as u64;
            if self.shape.short == Short::PaddedZerosAreZero {
                open.zeros = open.zeros && head.iter().all(|byte| *byte == 0);
            }
            let whole = self.shape.begins(range.at);
            batch.push(StreamPart { slot: open.slot, bytes: head, last: whole });
            bytes = tail;
            if whole {
                ended.push((part.slot.0, open));
            } else {
                range.open = Some(open);
            }
        }
        if part.last
            && let Some(open) = self.ranges[part.slot.0].open.take()
        {
            self.fill_up(part.slot, &open, batch);
            ended.push((part.slot.0, open));
        }
    }

    /// Returns the range's open leaf, or a new one.
    fn begin(&mut self, range: Slot, batch: &mut Vec<StreamPart<'_>>) -> Open {
        if let Some(open) = self.ranges[range.0].open.take() {
            return open;
        }
        let slot = self.bank.open();
        if !self.shape.before.is_empty() {
            batch.push(StreamPart { slot, bytes: self.shape.before, last: false });
        }
        Open { slot, zeros: true }
    }

    /// Ends a leaf that is shorter than others.
    fn fill_up(&self, range: Slot, open: &Open, batch: &mut Vec<StreamPart<'_>>) {
        if self.shape.short != Short::AsItIs {
            let mut left = self.shape.left(self.ranges[range.0].at);
            while left > 0 {
                let some = left.min(ZEROS.len() as u64);
                batch.push(StreamPart { slot: open.slot, bytes: &ZEROS[..some as usize], last: false });
                left -= some;
            }
        }
        batch.push(StreamPart { slot: open.slot, bytes: &[], last: true });
    }

    /// Takes the digests of finished leaves, in order, one after another.
    pub fn take(&mut self, range: Slot) -> Vec<u8> {
        std::mem::take(&mut self.ranges[range.0].done)
    }

    /// Returns the offset of the range's next byte in its message.
    pub fn end(&self, range: Slot) -> u64 {
        self.ranges[range.0].at
    }

    /// Ends a range and takes the remaining digests.
    pub fn close(&mut self, range: Slot) -> Vec<u8> {
        self.update(&[StreamPart { slot: range, bytes: &[], last: true }]);
        self.free.push(range.0);
        self.take(range)
    }

    /// Drops a range before its end.
    pub fn abandon(&mut self, range: Slot) {
        if let Some(open) = self.ranges[range.0].open.take() {
            self.bank.abandon(open.slot);
        }
        self.free.push(range.0);
    }

    /// Returns the digest of an empty leaf.
    pub fn empty(&mut self) -> Vec<u8> {
        let slot = self.bank.open();
        let before = StreamPart { slot, bytes: self.shape.before, last: true };
        self.bank.update(&[before]);
        self.bank.close(slot).as_bytes().to_vec()
    }

    /// Returns how many long leaves are hashed in the time of one.
    pub fn lanes(&self) -> usize {
        self.bank.lanes()
    }

    pub(super) fn pace(&self) -> Pace {
        self.bank.pace()
    }

    /// Like [`Bank::occupancy`].
    pub fn occupancy(&self) -> (u64, u64) {
        self.bank.occupancy()
    }

    pub(super) fn kernel(&self) -> &'static str {
        self.bank.kernel()
    }

    /// Returns the shape of the messages.
    pub fn shape(&self) -> &Leaves {
        &self.shape
    }
}
