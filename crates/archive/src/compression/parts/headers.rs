//! Headers that are looked at, here and there in a file.

use hashmill_disk::Medium;
use std::sync::Arc;

/// The bytes that are read at once.
const SIZE: u64 = 4 << 10;
/// The most blocks of a part that are passed over to find its end.
pub(super) const MOST_BLOCKS: usize = 4096;

/// Looks into a medium without reading all of it.
pub(crate) struct Headers {
    medium: Arc<dyn Medium>,
    bytes: Vec<u8>,
    start: u64,
}

impl Headers {
    /// Creates a look into a medium.
    pub(crate) fn new(medium: Arc<dyn Medium>) -> Headers {
        Headers { medium, bytes: Vec::new(), start: 0 }
    }

    /// Returns the position of the end.
    pub(crate) fn end(&self) -> u64 {
        self.medium.size()
    }

    /// Returns the bytes from a position on, fewer only at the end; none where they can't be read.
    pub(crate) fn look(&mut self, position: u64, count: usize) -> &[u8] {
        let there = self.end().saturating_sub(position);
        let count = there.min(count as u64);
        let held = self.start.saturating_add(self.bytes.len() as u64);
        if position < self.start || position.saturating_add(count) > held {
            let wanted = there.min(count.max(SIZE));
            self.bytes.resize(usize::try_from(wanted).unwrap_or_default(), 0);
            self.start = position;
            if self.medium.read_at(position, &mut self.bytes).is_err() {
                self.bytes.clear();
            }
        }
        let from = usize::try_from(position.saturating_sub(self.start)).unwrap_or(usize::MAX);
        let held = self.bytes.get(from..).unwrap_or_default();
        held.get(..usize::try_from(count).unwrap_or(usize::MAX)).unwrap_or(held)
    }

    /// Returns a byte.
    pub(crate) fn byte(&mut self, position: u64) -> Option<u8> {
        self.look(position, 1).first().copied()
    }

    /// Returns `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self, position: u64) -> Option<[u8; N]> {
        self.look(position, N).first_chunk().copied()
    }
}
