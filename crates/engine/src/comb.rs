//! An algorithm over the pieces of a file, where every chunk holds whole pieces: then chunks can be taken
//! in any order, on any threads, and the pieces of a chunk fill the lanes of a bank.

use crate::event::named;
use hashloom_digest::{Algorithm, Bank, Part, Slot};
use hashloom_manifest::{Named, Piece};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Pieces with their digests.
pub(crate) type Digested = Vec<(Piece, Named)>;

/// An algorithm over the pieces of a file.
pub(crate) struct Comb {
    algorithm: &'static Algorithm,
    /// Bytes of a piece.
    size: u64,
    /// Banks that no thread uses at the moment.
    banks: Mutex<Vec<Box<dyn Bank>>>,
    /// The pieces of each chunk that is done and was not taken.
    done: Mutex<BTreeMap<u64, Digested>>,
}

impl Comb {
    pub(crate) fn new(algorithm: &'static Algorithm, size: u64) -> Self {
        Comb { algorithm, size, banks: Mutex::default(), done: Mutex::default() }
    }

    /// Hashes the pieces of a chunk that starts at this offset of the file.
    pub(crate) fn hash(&self, index: u64, offset: u64, bytes: &[u8]) {
        let mut bank = lock(&self.banks).pop().unwrap_or_else(|| (self.algorithm.bank)());
        let pieces: Vec<(Slot, &[u8])> =
            bytes.chunks(self.size as usize).map(|bytes| (bank.open(), bytes)).collect();
        let parts: Vec<_> =
            pieces.iter().map(|(slot, bytes)| Part { slot: *slot, bytes, last: true }).collect();
        bank.update(&parts);
        let starts = (offset..).step_by(self.size as usize);
        let digested = pieces.iter().zip(starts).map(|((slot, bytes), offset)| {
            let piece = Piece { offset, length: bytes.len() as u64 };
            (piece, named(self.algorithm, bank.close(*slot)))
        });
        let digested = digested.collect();
        lock(&self.done).insert(index, digested);
        lock(&self.banks).push(bank);
    }

    /// Blocks hashed in lanes, and blocks that the lanes could have hashed in that time.
    pub(crate) fn occupancy(&self) -> (u64, u64) {
        let banks = lock(&self.banks);
        banks.iter().fold((0, 0), |sum, bank| {
            let (used, offered) = bank.occupancy();
            (sum.0 + used, sum.1 + offered)
        })
    }

    /// Whether the pieces of this chunk are done and were not taken.
    pub(crate) fn has(&self, index: u64) -> bool {
        lock(&self.done).contains_key(&index)
    }

    /// Takes the pieces of a chunk.
    pub(crate) fn take(&self, index: u64) -> Digested {
        lock(&self.done).remove(&index).unwrap_or_default()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
