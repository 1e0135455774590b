//! The map of a relay's file. Its pages are given back by windows, once all of a window was hashed: so many threads do it,
//! and the process never holds the whole file.

use super::state::ChunkBytes;
use crate::read::{AHEAD, FileMap, PHASE, WINDOW, Way};
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// The map of a relay's file.
pub(super) struct RelayMap {
    map: Arc<FileMap>,
    /// Bytes of a chunk.
    chunk: usize,
    /// Pages are entered into the page table before their bytes are needed: somebody else hashes meanwhile.
    ahead: bool,
    /// When the phase before ended.
    phase: Mutex<Instant>,
}

impl RelayMap {
    pub(super) fn new(map: FileMap, chunk: usize, ahead: bool) -> RelayMap {
        RelayMap { map: Arc::new(map), chunk, ahead, phase: Mutex::new(Instant::now()) }
    }

    pub(super) fn file(&self) -> &FileMap {
        &self.map
    }

    /// A chunk, if it is to come from the map. On trial every other phase does.
    pub(super) fn chunk(&self, index: u64) -> Option<ChunkBytes> {
        if self.map.way(self.turn(index)) == Way::Copied {
            return None;
        }
        let range = self.range(index..index + 1);
        self.map.touch(range.len());
        if self.ahead && index.is_multiple_of(self.chunks(AHEAD)) {
            self.map.populate(self.range(index..index + self.chunks(AHEAD)));
        }
        Some(ChunkBytes::Mapped(Arc::clone(&self.map), range))
    }

    /// All of a chunk was hashed, and all before it.
    pub(super) fn passed(&self, index: u64) {
        if self.ends(index, WINDOW) && self.map.way(self.turn(index)) == Way::Mapped {
            self.map.release(self.part(index, WINDOW));
        }
        if let Some(class) = self.map.on_trial()
            && self.ends(index, PHASE)
        {
            let mut phase = self.phase.lock();
            let now = Instant::now();
            class.note(self.turn(index), self.part(index, PHASE).len(), now - *phase);
            *phase = now;
        }
    }

    /// Whose turn it is on trial.
    fn turn(&self, index: u64) -> Way {
        let phase = index / self.chunks(PHASE);
        if phase.is_multiple_of(2) { Way::Copied } else { Way::Mapped }
    }

    /// Whether a chunk is the last of a window or a phase.
    fn ends(&self, index: u64, bytes: usize) -> bool {
        self.range(index..index + 1).end == self.part(index, bytes).end
    }

    /// The window or phase that a chunk is part of.
    fn part(&self, index: u64, bytes: usize) -> Range<usize> {
        let chunks = self.chunks(bytes);
        let first = index / chunks * chunks;
        self.range(first..first + chunks)
    }

    /// How many chunks a window or a phase has.
    fn chunks(&self, bytes: usize) -> u64 {
        (bytes / self.chunk).max(1) as u64
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
