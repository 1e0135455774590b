//! The map of a relay's file. Pages are given back in windows, once a whole window was hashed: so several threads share
//! the work, and the process never holds the whole file.

use super::state::ChunkBytes;
use crate::read::{AHEAD, FileMap, PHASE, ReadMethod, WINDOW};
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// The map of a relay's file.
pub(super) struct RelayMap {
    map: Arc<FileMap>,
    chunk: usize,
    /// Populate the page table before the bytes are needed, while other threads hash.
    ahead: bool,
    /// The end of the previous phase.
    phase: Mutex<Instant>,
}

impl RelayMap {
    pub(super) fn new(map: FileMap, chunk: usize, ahead: bool) -> RelayMap {
        RelayMap { map: Arc::new(map), chunk, ahead, phase: Mutex::new(Instant::now()) }
    }

    pub(super) fn file(&self) -> &FileMap {
        &self.map
    }

    /// Returns a chunk if it comes from the map. During a trial every other phase does.
    pub(super) fn chunk(&self, index: u64) -> Option<ChunkBytes> {
        if self.map.way(self.turn(index)) == ReadMethod::Copied {
            return None;
        }
        let range = self.range(index..index + 1);
        self.map.touch(range.len());
        if self.ahead && index.is_multiple_of(self.chunks(AHEAD)) {
            self.map.populate(self.range(index..index + self.chunks(AHEAD)));
        }
        Some(ChunkBytes::Mapped(Arc::clone(&self.map), range))
    }

    /// Notes that this chunk and all before it were hashed.
    pub(super) fn passed(&self, index: u64) {
        if self.ends(index, WINDOW) && self.map.way(self.turn(index)) == ReadMethod::Mapped {
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

    /// Returns the way of a chunk during a trial.
    fn turn(&self, index: u64) -> ReadMethod {
        let phase = index / self.chunks(PHASE);
        if phase.is_multiple_of(2) { ReadMethod::Copied } else { ReadMethod::Mapped }
    }

    /// Whether a chunk is the last of a window or phase of this many bytes.
    fn ends(&self, index: u64, bytes: usize) -> bool {
        self.range(index..index + 1).end == self.part(index, bytes).end
    }

    /// Returns the range of the window or phase that a chunk belongs to.
    fn part(&self, index: u64, bytes: usize) -> Range<usize> {
        let chunks = self.chunks(bytes);
        let first = index / chunks * chunks;
        self.range(first..first + chunks)
    }

    /// Returns the number of chunks in a window or phase.
    fn chunks(&self, bytes: usize) -> u64 {
        (bytes / self.chunk).max(1) as u64
    }

    /// Returns the range of chunks in the map.
    fn range(&self, chunks: Range<u64>) -> Range<usize> {
        let place = |index: u64| {
            let place = usize::try_from(index).unwrap_or(usize::MAX).saturating_mul(self.chunk);
            place.min(self.map.len())
        };
        place(chunks.start)..place(chunks.end)
    }
}
