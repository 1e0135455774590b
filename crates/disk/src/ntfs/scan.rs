//! A pass over the whole table of files, in large pieces.

use super::record::Record;
use super::table::RecordTable;
use crate::Problem;

/// The number of bytes that are read at once.
const PIECE: usize = 1 << 20;

/// The records of the table, without those that were never written, in order. Of those that can't be read, one failure
/// is told for each piece.
pub(super) struct Scan<'a> {
    table: &'a RecordTable,
    /// The number of the next record.
    next: u64,
    piece: Vec<u8>,
    at: usize,
    failure: Option<Problem>,
}

impl<'a> Scan<'a> {
    /// Begins a pass.
    pub(super) fn new(table: &'a RecordTable) -> Scan<'a> {
        Scan { table, next: 0, piece: Vec::new(), at: 0, failure: None }
    }

    /// Reads the next piece, or record by record if it can't be read as a whole.
    fn fill(&mut self) {
        let size = self.table.record_size();
        let left = self.table.count().saturating_sub(self.next);
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(PIECE / size);
        self.piece.clear();
        self.piece.resize(count * size, 0);
        self.at = 0;
        if self.table.read_bytes(self.next, &mut self.piece).is_ok() {
            return;
        }
        for (number, bytes) in (self.next..).zip(self.piece.chunks_exact_mut(size)) {
            if let Err(problem) = self.table.read_bytes(number, bytes) {
                bytes.fill(0);
                self.failure.get_or_insert(problem);
            }
        }
    }
}

impl Iterator for Scan<'_> {
    /// The number of a record, and the record or what is wrong with it.
    type Item = (u64, Result<Record, Problem>);

    fn next(&mut self) -> Option<Self::Item> {
        let size = self.table.record_size();
        loop {
            if self.at >= self.piece.len() {
                if self.next >= self.table.count() {
                    return None;
                }
                self.fill();
            }
            if let Some(problem) = self.failure.take() {
                return Some((self.next, Err(problem)));
            }
            let bytes = self.piece.get(self.at..self.at + size)?;
            let number = self.next;
            self.at += size;
            self.next += 1;
            if Record::is_one(bytes) {
                return Some((number, Record::parse(number, bytes.to_vec())));
            }
        }
    }
}
