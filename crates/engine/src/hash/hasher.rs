//! What a hasher is.

use super::value::Value;
use hashloom_digest::{About, Pace, Part, Slot};
use std::iter::Sum;

/// Computes one thing, a digest or a likeness digest, of every stream that it is given.
///
/// A stream is one [`Slot`]: it is opened, takes its bytes in order, and is closed. One hasher can have many streams
/// open, so that it can hash them side by side.
pub(crate) trait StreamHasher: Send {
    /// Opens a stream of which this is known. Slots of closed streams are used again.
    fn open(&mut self, about: &About<'_>) -> Slot;

    /// Hashes the next bytes of some streams. The last part of each stream must be marked.
    fn update(&mut self, parts: &[Part<'_>]);

    /// Ends a stream.
    fn close(&mut self, slot: Slot) -> Value;

    /// Drops a stream before its end.
    fn abandon(&mut self, slot: Slot);

    /// How many long streams are best hashed side by side.
    fn lanes(&self) -> usize {
        1
    }

    /// What a byte costs, if it costs so little that lanes matter.
    fn pace(&self) -> Option<Pace> {
        None
    }

    /// How full the lanes were so far.
    fn occupancy(&self) -> Occupancy {
        Occupancy::default()
    }
}

/// Takes the chunks of one stream in any order, on any threads at once.
pub(crate) trait UnorderedHasher: Send + Sync {
    /// Hashes the chunk with this number, which starts at this offset of the stream.
    fn update(&self, chunk: u64, offset: u64, bytes: &[u8]);

    /// The value of the whole stream, once every chunk was hashed.
    fn finish(&self) -> Value;

    /// Takes the chunks in rows as well, if it can.
    fn as_rows(&self) -> Option<&dyn RowHasher> {
        None
    }

    /// How full the lanes were so far.
    fn occupancy(&self) -> Occupancy {
        Occupancy::default()
    }
}

/// Takes the chunks of one stream in rows: ranges of one length, side by side, whose bytes come strip by strip.
pub(crate) trait RowHasher: Send + Sync {
    /// Begins rows.
    fn open_rows(&self, rows: Rows) -> Box<dyn OpenRows + '_>;
}

/// Rows that follow each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    /// Where the first one starts in the stream.
    pub(crate) offset: u64,
    /// Bytes of all together.
    pub(crate) bytes: u64,
    /// Bytes of each; the last one may be shorter.
    pub(crate) row: u64,
}

/// Rows that are being hashed. They are dropped if they are not closed.
pub(crate) trait OpenRows {
    /// Hashes the next bytes of several rows.
    fn update(&mut self, rows: &[Row<'_>]);

    /// Ends the rows. They are those of this chunk.
    fn close_chunk(self: Box<Self>, chunk: u64);
}

/// The next bytes of a row.
pub(crate) struct Row<'a> {
    /// The number of the row among those that were opened together.
    pub(crate) row: usize,
    pub(crate) bytes: &'a [u8],
    /// They are the row's last.
    pub(crate) last: bool,
}

/// How full the lanes were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Occupancy {
    /// Blocks that were hashed in lanes.
    pub(crate) used: u64,
    /// Blocks that the lanes could have hashed in that time.
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
