//! An algorithm over the pieces of a file, where every chunk holds whole pieces: then chunks can be taken
//! in any order, on any threads, and the pieces of a chunk fill the lanes of a bank.

use crate::event::{Value, named};
use crate::kin;
use hashloom_digest::{Algorithm, Bank, Part, Slot};
use hashloom_manifest::Piece;
use hashloom_similar::Similar;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Pieces with their digests.
pub(crate) type Digested = Vec<(Piece, Value)>;

/// An algorithm over the pieces of a file.
pub(crate) struct Comb {
    work: Work,
    /// Bytes of a piece.
    size: u64,
    /// The pieces of each chunk that is done and was not taken.
    done: Mutex<BTreeMap<u64, Digested>>,
}

/// What is done with the pieces of a chunk.
enum Work {
    /// Digests, by banks that no thread uses at the moment.
    Digests(&'static Algorithm, Mutex<Vec<Box<dyn Bank>>>),
    Likeness(&'static Similar),
}

impl Comb {
    pub(crate) fn new(algorithm: &'static Algorithm, size: u64) -> Self {
        Comb { work: Work::Digests(algorithm, Mutex::default()), size, done: Mutex::default() }
    }

    pub(crate) fn likeness(algorithm: &'static Similar, size: u64) -> Self {
        Comb { work: Work::Likeness(algorithm), size, done: Mutex::default() }
    }

    /// Hashes the pieces of a chunk that starts at this offset of the file.
    pub(crate) fn hash(&self, index: u64, offset: u64, bytes: &[u8]) {
        let parts: Vec<&[u8]> = bytes.chunks(self.size as usize).collect();
        let values = match &self.work {
            Work::Digests(algorithm, banks) => digests(algorithm, banks, &parts),
            Work::Likeness(algorithm) => {
                parts.iter().map(|bytes| Value::Likeness(kin::of(algorithm, bytes))).collect()
            }
        };
        let starts = (offset..).step_by(self.size as usize);
        let pieces =
            parts.iter().zip(starts).map(|(bytes, offset)| Piece { offset, length: bytes.len() as u64 });
        let digested = pieces.zip(values).collect();
        lock(&self.done).insert(index, digested);
    }

    /// Blocks hashed in lanes, and blocks that the lanes could have hashed in that time.
    pub(crate) fn occupancy(&self) -> (u64, u64) {
        let Work::Digests(_, banks) = &self.work else { return (0, 0) };
        lock(banks).iter().fold((0, 0), |sum, bank| {
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

/// The digests of the pieces of a chunk, in the lanes of one bank.
fn digests(algorithm: &'static Algorithm, banks: &Mutex<Vec<Box<dyn Bank>>>, parts: &[&[u8]]) -> Vec<Value> {
    let mut bank = lock(banks).pop().unwrap_or_else(|| (algorithm.bank)());
    let slots: Vec<Slot> = parts.iter().map(|_| bank.open()).collect();
    let whole: Vec<_> =
        slots.iter().zip(parts).map(|(slot, bytes)| Part { slot: *slot, bytes, last: true }).collect();
    bank.update(&whole);
    let values = slots.into_iter().map(|slot| Value::Digest(named(algorithm, bank.close(slot)))).collect();
    lock(banks).push(bank);
    values
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
