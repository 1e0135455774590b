//! The traits of hashers.

use super::value::Value;
use hashmill_digest::{About, Pace, Saved, Slot, StreamPart};
use std::iter::Sum;

/// Computes one digest or likeness digest of every stream that it is given.
///
/// A stream is one [`Slot`]: it is opened, fed in order, and closed. A hasher may have many open streams to hash them
/// side by side.
pub(crate) trait StreamHasher: Send {
    /// Opens a stream. Slots of closed streams are reused.
    fn open(&mut self, about: &About<'_>) -> Slot;

    /// Hashes the next bytes of some streams. The last part of each stream must be marked.
    fn update(&mut self, parts: &[StreamPart<'_>]);

    /// Ends a stream and returns its value.
    fn close(&mut self, slot: Slot) -> Value;

    /// Drops a stream before its end.
    fn abandon(&mut self, slot: Slot);

    /// Returns the state of a stream that was given this many bytes; `None` if it can't be had.
    fn save(&self, _slot: Slot, _bytes: u64) -> Option<Saved> {
        None
    }

    /// Opens a stream with a saved state; `None` if it is none.
    fn restore(&mut self, _state: &Saved) -> Option<Slot> {
        None
    }

    /// Returns how many long streams are best hashed side by side.
    fn lanes(&self) -> usize {
        1
    }

    /// Returns the cost of a byte, if hashing is so fast that lanes matter.
    fn pace(&self) -> Option<Pace> {
        None
    }

    /// Returns how full the lanes were so far.
    fn occupancy(&self) -> Occupancy {
        Occupancy::default()
    }
}

/// Takes the chunks of one stream in any order, from any threads.
pub(crate) trait UnorderedHasher: Send + Sync {
    /// Hashes the chunk with this number, which starts at this offset of the stream.
    fn update(&self, chunk: u64, offset: u64, bytes: &[u8]);

    /// Returns the value of the whole stream, after all chunks.
    fn finish(&self) -> Value;

    /// Takes a saved state up before the first chunk, which then is the one behind that state; chunks have this many
    /// bytes. False if it is none, and the hasher of no use.
    fn restore(&mut self, _state: &Saved, _chunk: u64) -> bool {
        false
    }

    /// From now on saves the state after every so many chunks; false if it can't be had.
    fn save_every(&mut self, _chunks: u64) -> bool {
        false
    }

    /// Takes the states that were saved since the last call.
    fn take_saved(&self) -> Vec<Saved> {
        Vec::new()
    }

    /// Returns the interface for rows, if the hasher has one.
    fn as_rows(&self) -> Option<&dyn RowHasher> {
        None
    }

    /// Returns how full the lanes were so far.
    fn occupancy(&self) -> Occupancy {
        Occupancy::default()
    }
}

/// Takes the chunks of one stream as rows: equally long ranges whose bytes arrive strip by strip, side by side.
pub(crate) trait RowHasher: Send + Sync {
    fn open_rows(&self, rows: Rows) -> Box<dyn OpenRows + '_>;
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    /// The offset of the first row in the stream.
    pub(crate) offset: u64,
    /// The bytes of all rows together.
    pub(crate) bytes: u64,
    /// The bytes of each row; the last may be shorter.
    pub(crate) row: u64,
}

/// Rows that are being hashed. They are discarded if they are not closed.
pub(crate) trait OpenRows {
    /// Hashes the next bytes of several rows.
    fn update(&mut self, rows: &[StreamBytes<'_>]);

    /// Ends the rows, which make up this chunk.
    fn close_chunk(self: Box<Self>, chunk: u64);
}

/// The next bytes of a row.
pub(crate) struct StreamBytes<'a> {
    /// The index of the row in its [`Rows`].
    pub(crate) row: usize,
    pub(crate) bytes: &'a [u8],
    /// These are the last bytes of the row.
    pub(crate) last: bool,
}

/// How full the lanes were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Occupancy {
    /// Blocks that were hashed in lanes.
    pub(crate) used: u64,
    /// Blocks that all lanes could have hashed in that time.
    pub(crate) offered: u64,
}

impl Sum for Occupancy {
    fn sum<I: Iterator<Item = Occupancy>>(all: I) -> Occupancy {
        all.fold(Occupancy::default(), |sum, one| Occupancy {
            used: sum.used + one.used,
            offered: sum.offered + one.offered,
        })
    }
}
