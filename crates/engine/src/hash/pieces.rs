//! The pieces of a file when every chunk holds whole pieces. Such chunks can be hashed in any order on any threads, and
//! the pieces of a chunk fill the lanes.

use super::hasher::{Occupancy, OpenRows, RowHasher, Rows, StreamBytes, StreamHasher};
use super::spec::HashSpec;
use super::value::Value;
use hashmill_digest::{About, Slot, StreamPart};
use hashmill_manifest::Piece;
use parking_lot::Mutex;
use std::collections::BTreeMap;

/// Computes one value of every piece of a file.
pub(crate) struct PieceHasher {
    spec: HashSpec,
    size: u64,
    /// Hashers that no thread is using.
    idle: Mutex<Vec<Box<dyn StreamHasher>>>,
    /// The pieces of finished chunks that were not taken yet.
    done: Mutex<BTreeMap<u64, Vec<(Piece, Value)>>>,
}

impl PieceHasher {
    pub(crate) fn new(spec: HashSpec, size: u64) -> Self {
        PieceHasher { spec, size, idle: Mutex::default(), done: Mutex::default() }
    }

    /// Hashes the pieces of a chunk that starts at this offset of the file.
    pub(crate) fn update(&self, chunk: u64, offset: u64, bytes: &[u8]) {
        let size = self.size as usize;
        // Slow hashers gain nothing from many streams and need much memory for each.
        let group = if self.spec.is_slow() { size } else { bytes.len().max(1) };
        let mut values = Vec::with_capacity(bytes.len().div_ceil(size));
        for (part, offset) in bytes.chunks(group).zip((offset..).step_by(group)) {
            let mut open = self.open(offset, part.len() as u64);
            let rows = part.chunks(size).enumerate();
            let rows: Vec<_> = rows.map(|(row, bytes)| StreamBytes { row, bytes, last: true }).collect();
            open.update(&rows);
            open.close(&mut values);
        }
        self.done.lock().insert(chunk, values);
    }

    /// Opens the pieces in this range of the file.
    fn open(&self, offset: u64, bytes: u64) -> OpenPieces<'_> {
        let idle = self.idle.lock().pop();
        let mut hasher = idle.unwrap_or_else(|| self.spec.clone().for_many());
        let starts = (0..bytes).step_by(self.size as usize);
        let pieces = starts.map(|start| {
            let length = self.size.min(bytes - start);
            (hasher.open(&About::sized(Some(length))), Piece { offset: offset + start, length })
        });
        let pieces = pieces.collect();
        OpenPieces { parent: self, hasher: Some(hasher), pieces }
    }

    pub(crate) fn occupancy(&self) -> Occupancy {
        self.idle.lock().iter().map(|hasher| hasher.occupancy()).sum()
    }

    /// Whether the chunk is finished and was not taken yet.
    pub(crate) fn has(&self, chunk: u64) -> bool {
        self.done.lock().contains_key(&chunk)
    }

    /// Takes the pieces of a chunk.
    pub(crate) fn take(&self, chunk: u64) -> Vec<(Piece, Value)> {
        self.done.lock().remove(&chunk).unwrap_or_default()
    }
}

/// Pieces that are being hashed.
struct OpenPieces<'a> {
    parent: &'a PieceHasher,
    /// `None` after it was given back.
    hasher: Option<Box<dyn StreamHasher>>,
    pieces: Vec<(Slot, Piece)>,
}

impl OpenPieces<'_> {
    /// Hashes the next bytes of several pieces.
    fn update(&mut self, rows: &[StreamBytes<'_>]) {
        let parts = rows.iter().map(|row| StreamPart {
            slot: self.pieces[row.row].0,
            bytes: row.bytes,
            last: row.last,
        });
        let parts: Vec<_> = parts.collect();
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&parts);
        }
    }

    /// Ends the pieces and appends their values to `values`.
    fn close(mut self, values: &mut Vec<(Piece, Value)>) {
        let Some(mut hasher) = self.hasher.take() else { return };
        values.extend(self.pieces.drain(..).map(|(slot, piece)| (piece, hasher.close(slot))));
        self.parent.idle.lock().push(hasher);
    }
}

impl RowHasher for PieceHasher {
    /// Opens one row for each piece.
    fn open_rows(&self, rows: Rows) -> Box<dyn OpenRows + '_> {
        Box::new(self.open(rows.offset, rows.bytes))
    }
}

impl OpenRows for OpenPieces<'_> {
    fn update(&mut self, rows: &[StreamBytes<'_>]) {
        OpenPieces::update(self, rows);
    }

    fn close_chunk(self: Box<Self>, chunk: u64) {
        let parent = self.parent;
        let mut values = Vec::with_capacity(self.pieces.len());
        self.close(&mut values);
        parent.done.lock().insert(chunk, values);
    }
}

/// Discards pieces that were not closed, and gives the hasher back.
impl Drop for OpenPieces<'_> {
    fn drop(&mut self) {
        let Some(mut hasher) = self.hasher.take() else { return };
        self.pieces.iter().for_each(|(slot, _)| hasher.abandon(*slot));
        self.parent.idle.lock().push(hasher);
    }
}
