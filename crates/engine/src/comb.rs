//! An algorithm over the pieces of a file, where every chunk holds whole pieces: then chunks can be taken
//! in any order, on any threads, and the pieces of a chunk fill the lanes of a bank. A chunk's bytes come all at
//! once, or strip by strip ([`crate::strips`]).

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
        let mut opened = self.open(offset, bytes.len() as u64);
        let rows: Vec<_> =
            bytes.chunks(self.size as usize).enumerate().map(|(number, row)| (number, row, true)).collect();
        opened.update(&rows);
        self.close(index, opened);
    }

    /// Begins the pieces of so many bytes that start at this offset of the file.
    pub(crate) fn open(&self, offset: u64, bytes: u64) -> Opened<'_> {
        let mut bank = lock(&self.banks).pop().unwrap_or_else(|| (self.algorithm.bank)());
        let starts = (0..bytes).step_by(self.size as usize);
        let pieces = starts.map(|start| {
            let length = self.size.min(bytes - start);
            (bank.open(), Piece { offset: offset + start, length })
        });
        let pieces = pieces.collect();
        Opened { comb: self, bank: Some(bank), pieces }
    }

    /// Takes the digests of pieces that are at their end, as those of this chunk.
    pub(crate) fn close(&self, index: u64, mut opened: Opened<'_>) {
        let Some(mut bank) = opened.bank.take() else { return };
        let pieces = opened.pieces.drain(..);
        let digested = pieces.map(|(slot, piece)| (piece, named(self.algorithm, bank.close(slot)))).collect();
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

/// Pieces that are being hashed.
pub(crate) struct Opened<'a> {
    comb: &'a Comb,
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
}

/// What was not closed is dropped, and the bank is free again.
impl Drop for Opened<'_> {
    fn drop(&mut self) {
        let Some(mut bank) = self.bank.take() else { return };
        self.pieces.iter().for_each(|(slot, _)| bank.abandon(*slot));
        lock(&self.comb.banks).push(bank);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
