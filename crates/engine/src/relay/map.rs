//! The map of a relay's file. Its pages are entered into the page table by windows, ahead of those who hash, and given back
//! when all of a window was hashed: so both is done by many threads, and the process never holds the whole file.

use super::state::ChunkBytes;
use crate::read::{FileMap, WINDOW, Way};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// The map of a relay's file.
pub(super) struct RelayMap {
    map: Arc<FileMap>,
    /// Bytes of a chunk.
    chunk: usize,
    /// While the way is on trial: what each window has cost so far.
    spent: Mutex<HashMap<u64, Duration>>,
}

impl RelayMap {
    pub(super) fn new(map: FileMap, chunk: usize) -> RelayMap {
        RelayMap { map: Arc::new(map), chunk, spent: Mutex::default() }
    }

    pub(super) fn file(&self) -> &FileMap {
        &self.map
    }

    /// A chunk, if it is to come from the map. On trial every other window does.
    pub(super) fn chunk(&self, index: u64) -> Option<ChunkBytes> {
        let turn = if self.window(index).is_multiple_of(2) { Way::Copied } else { Way::Mapped };
        if self.map.way(turn) == Way::Copied {
            return None;
        }
        let range = self.range(index..index + 1);
        if index.is_multiple_of(self.window_chunks()) {
            self.map.populate(self.range(index..index + self.window_chunks()));
        }
        Some(ChunkBytes::Mapped(Arc::clone(&self.map), range))
    }

    /// Whether time counts.
    pub(super) fn is_on_trial(&self) -> bool {
        self.map.on_trial().is_some()
    }

    /// A thread has read or hashed a chunk in this time.
    pub(super) fn add(&self, index: u64, time: Duration) {
        *self.spent.lock().entry(self.window(index)).or_default() += time;
    }

    /// All of a chunk was hashed, and all before it.
    pub(super) fn passed(&self, index: u64) {
        let chunks = self.window_chunks();
        let window = self.window(index);
        let range = self.range(window * chunks..(window + 1) * chunks);
        if self.range(index..index + 1).end < range.end {
            return;
        }
        let turn = if window.is_multiple_of(2) { Way::Copied } else { Way::Mapped };
        let bytes = range.len();
        if self.map.way(turn) == Way::Mapped {
            self.map.release(range);
        }
        let spent = self.spent.lock().remove(&window);
        if let (Some(class), Some(spent)) = (self.map.on_trial(), spent) {
            class.note(turn, bytes, spent);
        }
    }

    fn window_chunks(&self) -> u64 {
        (WINDOW / self.chunk).max(1) as u64
    }

    fn window(&self, index: u64) -> u64 {
        index / self.window_chunks()
    }

    /// Where chunks lie in the map.
    fn range(&self, chunks: Range<u64>) -> Range<usize> {
        let place = |index: u64| {
            let place = usize::try_from(index).unwrap_or(usize::MAX).saturating_mul(self.chunk);
            place.min(self.map.len())
        };
        place(chunks.start)..place(chunks.end)
    }
}
