//! Files that take more than one read and wait for a worker.

use crate::task::LargeFile;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

#[derive(Default)]
pub(super) struct LargeFiles {
    by_size: BinaryHeap<LargeFile>,
    bytes: u64,
    /// Files with so many pieces that these go straight to the sink. Each waits for its turn.
    deferred: BTreeMap<u64, LargeFile>,
    /// Files whose reads may wait for entries behind them. Each is for a thread that has nothing else to do.
    waiting: VecDeque<LargeFile>,
}

impl LargeFiles {
    /// Whether there are neither ready nor deferred files.
    pub(super) fn is_empty(&self) -> bool {
        self.by_size.is_empty() && self.deferred.is_empty() && self.waiting.is_empty()
    }

    pub(super) fn push(&mut self, file: LargeFile) {
        if file.entry.waits() {
            return self.waiting.push_back(file);
        }
        self.bytes += file.size;
        self.by_size.push(file);
    }

    /// Takes the first file whose reads may wait for entries behind it.
    pub(super) fn pop_waiting(&mut self) -> Option<LargeFile> {
        self.waiting.pop_front()
    }

    /// Whether any file may start.
    pub(super) fn has_ready(&self) -> bool {
        !self.by_size.is_empty() || !self.waiting.is_empty()
    }

    /// Adds a file that must wait until all entries before it are done.
    pub(super) fn defer(&mut self, file: LargeFile) {
        self.deferred.insert(file.number, file);
    }

    /// Returns the number of files that may start beside others.
    pub(super) fn ready(&self) -> usize {
        self.by_size.len()
    }

    /// Returns the bytes of the files that may start.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes the longest file that may start.
    pub(super) fn pop(&mut self) -> Option<LargeFile> {
        let file = self.by_size.pop()?;
        self.bytes -= file.size;
        Some(file)
    }

    pub(super) fn has_deferred(&self) -> bool {
        !self.deferred.is_empty()
    }

    /// Takes the deferred file with this number, if its turn has come.
    pub(super) fn pop_deferred(&mut self, turn: u64) -> Option<LargeFile> {
        let first = self.deferred.first_entry()?;
        (*first.key() == turn).then(|| first.remove())
    }
}

impl PartialEq for LargeFile {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for LargeFile {}

impl PartialOrd for LargeFile {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Longer files come first; among equals, the one found first. Remote files come last, in the order of the walk: their
/// requests are sent ahead in that order, and a longer one taken early would block them and the memory of their bytes.
impl Ord for LargeFile {
    fn cmp(&self, other: &Self) -> Ordering {
        let length = |file: &LargeFile| if file.entry.is_remote() { 0 } else { file.size };
        length(self).cmp(&length(other)).then(other.number.cmp(&self.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_source::{Entry, Origin};

    fn file(number: u64, size: u64) -> LargeFile {
        let entry = Entry::new(b"file".as_slice().into(), Origin::Path);
        LargeFile { number, entry, size, reader: None }
    }

    #[test]
    fn the_longest_comes_first_and_then_the_one_that_was_met_first() {
        let mut files = LargeFiles::default();
        [(0, 5), (1, 9), (2, 9), (3, 1)].iter().for_each(|(number, size)| files.push(file(*number, *size)));
        assert_eq!((files.ready(), files.bytes()), (4, 24));
        let numbers: Vec<u64> = std::iter::from_fn(|| files.pop()).map(|file| file.number).collect();
        assert_eq!(numbers, [1, 2, 0, 3]);
        assert!(files.is_empty() && files.bytes() == 0);
    }

    #[test]
    fn deferred_files_wait_for_their_turn() {
        let mut files = LargeFiles::default();
        files.defer(file(3, 100));
        files.defer(file(7, 1));
        assert!(files.pop().is_none() && files.has_deferred() && !files.is_empty());
        assert!(files.pop_deferred(2).is_none());
        assert_eq!(files.pop_deferred(3).map(|file| file.size), Some(100));
        assert!(files.pop_deferred(4).is_none());
        assert_eq!(files.pop_deferred(7).map(|file| file.size), Some(1));
        assert!(files.is_empty());
    }
}
