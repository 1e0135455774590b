//! The division of a run's memory, and the buffers that relays share.

use crate::Plan;
use hashmill_source::AlignedBytes;
use parking_lot::Mutex;

/// Bytes of one read if memory allows: the fastest of the sizes measured (2026-11, 128 to 256 KiB reach 7.7 GB/s from
/// the page cache on a core with 1 MiB of L2; 1 MiB and more is slower).
const CHUNK: usize = 256 << 10;

/// Bytes that a worker reads in one round: with 32 lanes, 32 KiB of each file. It was the best of 512 KiB, 1 MiB and 2
/// MiB on average, by a few per cent (2026-11-21, Zen 4 with an L2 of 1 MiB).
const ARENA: usize = 1024 << 10;

/// The minimum size of a chunk or an arena.
const LEAST_CHUNK: usize = 16 << 10;

/// The maximum number of buffers for threads that only read.
const READ_BUFFERS: usize = 64;

/// The share of memory for these buffers: one part in this many.
const READ_BUFFERS_PART: usize = 4;

/// Bytes of a cache line. Kernels load rows fastest that start at one.
pub(crate) const LINE: usize = 64;

/// The minimum number of chunks with which a relay reads ahead.
const CHUNKS: usize = 3;

/// The division of a run's memory: an arena for each thread, and chunks for relays.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// The size of each worker's arena, for files hashed side by side.
    pub arena: usize,
    /// The size of a chunk of a long file, a power of two.
    pub chunk: usize,
    /// The number of chunks that one relay may hold: those of a file that may wait to be hashed.
    pub chunks: usize,
    /// The bytes that all chunks of one relay may take together.
    relay: usize,
    /// The number of arena-sized buffers for threads that only read. 0 if there is little memory.
    pub read_buffers: usize,
}

impl Layout {
    pub(crate) fn from_plan(plan: &Plan) -> Self {
        Layout::divide(plan.memory, plan.threads.get())
    }

    /// Divides this many bytes among this many threads.
    pub fn divide(memory: usize, threads: usize) -> Self {
        let ample = memory >= 2 * READ_BUFFERS_PART * Plan::least_memory(threads);
        let for_readers = if ample { memory / READ_BUFFERS_PART } else { 0 };
        // The reader of a spinning disk becomes a worker in the end.
        let workers = if ample { threads + 1 } else { threads };
        let share = (memory - for_readers) / workers;
        let arena = (share / 2).clamp(LEAST_CHUNK, ARENA);
        // Every worker may own a relay at the same moment, and all threads may help with one.
        let wanted = 2 * threads + 2;
        let left = share.saturating_sub(arena);
        let chunk = 1 << (left / wanted).clamp(LEAST_CHUNK, CHUNK).ilog2();
        let read_buffers = (for_readers / arena).min(READ_BUFFERS);
        Layout { arena, chunk, chunks: (left / chunk).clamp(CHUNKS, wanted), relay: left, read_buffers }
    }

    /// Returns the bytes of a group of pieces that is never in memory as a whole: one piece for each lane, or fewer, so
    /// that every thread gets some. `None` on overflow.
    pub(crate) fn group(piece: u64, lanes: usize, size: u64, threads: usize) -> Option<u64> {
        let pieces = size.div_ceil(piece).div_ceil(threads as u64);
        piece.checked_mul(pieces.clamp(1, lanes as u64))
    }

    /// Returns the number of chunks that one relay may hold if the thread that reads a chunk also hashes it. More than
    /// a few are only held while the thread with the oldest chunk is not scheduled.
    pub(crate) fn most_chunks(&self) -> usize {
        (self.relay / self.chunk).max(self.chunks)
    }

    /// Returns a layout with chunks that hold whole pieces: one for each lane, if memory allows. `None` if not even two
    /// fit. With `power` their number is a power of two.
    pub(crate) fn for_pieces(self, piece: u64, lanes: usize, power: bool) -> Option<Self> {
        let piece = usize::try_from(piece).ok()?;
        let most = self.relay / CHUNKS / piece;
        let wanted = lanes.max(self.chunk / piece);
        let pieces = wanted.min(most);
        let chunk = piece * if power && pieces > 0 { 1 << pieces.ilog2() } else { pieces };
        (most > 1 && wanted > 1).then(|| Layout {
            chunk,
            chunks: (self.relay / chunk).min(self.chunks),
            ..self
        })
    }
}

impl Plan {
    /// Returns the minimum [`Plan::memory`] in bytes for this many threads.
    pub fn least_memory(threads: usize) -> usize {
        threads * LEAST_CHUNK * (1 + CHUNKS)
    }
}

/// Buffers of one size that are reused.
#[derive(Debug, Default)]
pub(crate) struct BufferPool(Mutex<Vec<AlignedBytes>>);

impl BufferPool {
    pub(crate) fn take(&self, size: usize) -> AlignedBytes {
        let kept = self.0.lock().pop();
        kept.unwrap_or_else(|| AlignedBytes::zeroed(size))
    }

    pub(crate) fn give(&self, buffer: AlignedBytes) {
        self.0.lock().push(buffer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_have_their_size_and_are_used_again() {
        for size in [1, LEAST_CHUNK, CHUNK, CHUNK + 1, 3 << 20] {
            let buffers = BufferPool::default();
            let mut buffer = buffers.take(size);
            buffer.fill(1);
            assert_eq!(buffer.len(), size);
            buffers.give(buffer);
            assert_eq!(buffers.take(size)[size - 1], 1, "it is used again");
        }
    }
}
