//! Digests folded from leaves: the leaves of one file in any order, on any threads, in all lanes.

use super::hasher::{Occupancy, OpenRows, RowHasher, Rows, StreamBytes, UnorderedHasher};
use super::value::Value;
use hashmill_digest::leaves::{Folding, LeafBank, Leaves};
use hashmill_digest::{Algorithm, Saved, Slot, StreamPart, hash};
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Computes a digest that is folded from leaves. Each chunk becomes the digests of its leaves; these are folded in the
/// file's order.
pub(crate) struct LeafHasher {
    algorithm: &'static Algorithm,
    shape: Leaves,
    /// Banks that no thread is using.
    idle: Mutex<Vec<LeafBank>>,
    state: Mutex<State>,
}

struct State {
    /// `None` after the end.
    fold: Option<Folding>,
    /// The next chunk to fold.
    next: u64,
    /// The bytes folded so far.
    bytes: u64,
    /// Chunks that were hashed before their turn: their length and the digests of their leaves.
    early: BTreeMap<u64, (u64, Vec<u8>)>,
    /// The number of chunks from one saved state to the next, if they are saved, and the newest states.
    every: Option<u64>,
    saved: Vec<Saved>,
}

impl LeafHasher {
    /// Returns `None` if chunks of this size don't start where leaves do.
    pub(crate) fn new(algorithm: &'static Algorithm, fold: Folding, chunk: usize) -> Option<Self> {
        let shape = *fold.shape();
        let state = State {
            fold: Some(fold),
            next: 0,
            bytes: 0,
            early: BTreeMap::new(),
            every: None,
            saved: Vec::new(),
        };
        let hasher = LeafHasher { algorithm, shape, idle: Mutex::default(), state: Mutex::new(state) };
        (chunk as u64).is_multiple_of(shape.unit()).then_some(hasher)
    }

    /// Folds the leaves of a chunk, once all chunks before it were folded.
    fn done(&self, chunk: u64, bytes: u64, digests: Vec<u8>) {
        let mut state = self.state.lock();
        state.early.insert(chunk, (bytes, digests));
        while let Some((bytes, digests)) = state.take_next() {
            state.bytes += bytes;
            if let Some(fold) = &mut state.fold {
                fold.take(&digests);
            }
            if state.every.is_some_and(|every| state.next.is_multiple_of(every)) {
                let saved = state.save(self.algorithm);
                state.saved.extend(saved);
            }
        }
    }

    fn bank(&self) -> LeafBank {
        let idle = self.idle.lock().pop();
        idle.unwrap_or_else(|| LeafBank::new(self.shape))
    }
}

impl State {
    fn take_next(&mut self) -> Option<(u64, Vec<u8>)> {
        let chunk = self.early.remove(&self.next)?;
        self.next += 1;
        Some(chunk)
    }

    fn save(&self, algorithm: &'static Algorithm) -> Option<Saved> {
        Saved::from_fold(algorithm, self.bytes, self.fold.as_ref()?)
    }
}

impl UnorderedHasher for LeafHasher {
    fn update(&self, chunk: u64, offset: u64, bytes: &[u8]) {
        let length = bytes.len() as u64;
        if length == 0 {
            return self.done(chunk, 0, Vec::new());
        }
        let mut only = self.open(Rows { offset, bytes: length, row: length });
        only.update(&[StreamBytes { row: 0, bytes, last: true }]);
        only.close(chunk);
    }

    fn finish(&self) -> Value {
        let mut state = self.state.lock();
        let bytes = state.bytes;
        let fold = state.fold.take();
        let (digest, leaves) =
            fold.map_or_else(|| (hash(self.algorithm, &[]), None), |fold| fold.finish_kept(bytes));
        Value::with_leaves(self.algorithm, digest, leaves)
    }

    fn restore(&mut self, state: &Saved, chunk: u64) -> bool {
        let own = self.state.get_mut();
        own.fold = own.fold.take().and_then(|unused| state.folding(unused));
        (own.next, own.bytes) = (state.bytes / chunk, state.bytes);
        own.fold.is_some()
    }

    fn save_every(&mut self, chunks: u64) -> bool {
        let own = self.state.get_mut();
        own.every = Some(chunks);
        own.save(self.algorithm).is_some()
    }

    fn take_saved(&self) -> Vec<Saved> {
        std::mem::take(&mut self.state.lock().saved)
    }

    fn as_rows(&self) -> Option<&dyn RowHasher> {
        Some(self)
    }

    fn occupancy(&self) -> Occupancy {
        let banks = self.idle.lock();
        banks.iter().map(LeafBank::occupancy).map(|(used, offered)| Occupancy { used, offered }).sum()
    }
}

impl LeafHasher {
    fn open(&self, Rows { offset, bytes, row }: Rows) -> OpenLeaves<'_> {
        let mut bank = self.bank();
        let starts = (0..bytes).step_by(usize::try_from(row.max(1)).unwrap_or(usize::MAX));
        let rows = starts.map(|start| bank.open(offset + start)).collect();
        OpenLeaves { parent: self, bank: Some(bank), bytes, rows }
    }
}

impl RowHasher for LeafHasher {
    fn open_rows(&self, rows: Rows) -> Box<dyn OpenRows + '_> {
        Box::new(self.open(rows))
    }
}

/// Rows of leaves that are being hashed.
struct OpenLeaves<'a> {
    parent: &'a LeafHasher,
    /// `None` after it was given back.
    bank: Option<LeafBank>,
    bytes: u64,
    rows: Vec<Slot>,
}

impl OpenLeaves<'_> {
    fn close(mut self, chunk: u64) {
        let Some(mut bank) = self.bank.take() else { return };
        let digests = self.rows.drain(..).flat_map(|row| bank.close(row)).collect();
        self.parent.idle.lock().push(bank);
        self.parent.done(chunk, self.bytes, digests);
    }
}

impl OpenRows for OpenLeaves<'_> {
    fn update(&mut self, rows: &[StreamBytes<'_>]) {
        let parts =
            rows.iter().map(|row| StreamPart { slot: self.rows[row.row], bytes: row.bytes, last: row.last });
        let parts: Vec<_> = parts.collect();
        if let Some(bank) = &mut self.bank {
            bank.update(&parts);
        }
    }

    fn close_chunk(self: Box<Self>, chunk: u64) {
        self.close(chunk);
    }
}

/// Discards rows that were not closed, and gives the bank back.
impl Drop for OpenLeaves<'_> {
    fn drop(&mut self) {
        let Some(mut bank) = self.bank.take() else { return };
        self.rows.iter().for_each(|row| bank.abandon(*row));
        self.parent.idle.lock().push(bank);
    }
}
