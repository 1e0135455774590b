//! An algorithm over the pieces of a file, where every chunk holds whole pieces: then chunks can be taken
//! in any order, on any threads, and the pieces of a chunk fill the lanes of a bank. A chunk's bytes come all at
//! once, or strip by strip ([`crate::strips`]).

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
        match &self.work {
            Work::Digests(..) => {
                let Some(mut opened) = self.open(offset, bytes.len() as u64) else { return };
                let rows = bytes.chunks(self.size as usize).enumerate();
                let rows: Vec<_> = rows.map(|(number, row)| (number, row, true)).collect();
                opened.update(&rows);
                opened.close(index);
            }
            Work::Likeness(algorithm) => {
                let starts = (offset..).step_by(self.size as usize);
                let pieces = bytes.chunks(self.size as usize).zip(starts).map(|(bytes, offset)| {
                    let piece = Piece { offset, length: bytes.len() as u64 };
                    (piece, Value::Likeness(kin::of(algorithm, bytes)))
                });
                let digested = pieces.collect();
                lock(&self.done).insert(index, digested);
            }
        }
    }

    /// Begins the pieces of so many bytes that start at this offset of the file. None for likeness digests,
    /// which are made of one whole piece after another.
    pub(crate) fn open(&self, offset: u64, bytes: u64) -> Option<Opened<'_>> {
        let Work::Digests(algorithm, banks) = &self.work else { return None };
        let mut bank = lock(banks).pop().unwrap_or_else(|| (algorithm.bank)());
        let starts = (0..bytes).step_by(self.size as usize);
        let pieces = starts.map(|start| {
            let length = self.size.min(bytes - start);
            (bank.open(), Piece { offset: offset + start, length })
        });
        let pieces = pieces.collect();
        Some(Opened { algorithm, banks, done: &self.done, bank: Some(bank), pieces })
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

/// Pieces that are being hashed.
pub(crate) struct Opened<'a> {
    algorithm: &'static Algorithm,
    banks: &'a Mutex<Vec<Box<dyn Bank>>>,
    done: &'a Mutex<BTreeMap<u64, Digested>>,
    /// None once it was given back.
    bank: Option<Box<dyn Bank>>,
    pieces: Vec<(Slot, Piece)>,
}

/// The next bytes of a piece: its number among those that were opened, and whether they are its last.
pub(crate) type Row<'a> = (usize, &'a [u8], bool);

impl Opened<'_> {
    /// Hashes the next bytes of several pieces.
    pub(crate) fn update(&mut self, rows: &[Row<'_>]) {
        let parts = rows.iter().map(|(number, bytes, last)| Part {
            slot: self.pieces[*number].0,
            bytes,
            last: *last,
        });
        let parts: Vec<_> = parts.collect();
        if let Some(bank) = &mut self.bank {
            bank.update(&parts);
        }
    }

    /// Takes the digests of the pieces, which are at their end, as those of this chunk.
    pub(crate) fn close(mut self, index: u64) {
        let Some(mut bank) = self.bank.take() else { return };
        let pieces = self.pieces.drain(..);
        let value = |digest| Value::Digest(named(self.algorithm, digest));
        let digested = pieces.map(|(slot, piece)| (piece, value(bank.close(slot)))).collect();
        lock(self.banks).push(bank);
        lock(self.done).insert(index, digested);
    }
}

/// What was not closed is dropped, and the bank is free again.
impl Drop for Opened<'_> {
    fn drop(&mut self) {
        let Some(mut bank) = self.bank.take() else { return };
        self.pieces.iter().for_each(|(slot, _)| bank.abandon(*slot));
        lock(self.banks).push(bank);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
