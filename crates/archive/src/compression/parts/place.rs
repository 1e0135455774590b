//! The place in a compressed file of the content that is read.

use hashmill_disk::Medium;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The place in a compressed file of the content that a reader yields: the bytes that it came of lie between two
/// positions. Whoever holds it learns how much is stored of some content, even if it was decoded long before.
#[derive(Debug, Default)]
pub struct DecodingPlace {
    start: AtomicU64,
    end: AtomicU64,
}

impl DecodingPlace {
    /// Returns a position before which all content was yielded, or was yielded in part.
    pub fn start(&self) -> u64 {
        self.start.load(Ordering::Relaxed)
    }

    /// Returns a position up to which no byte is left out of which content was yielded.
    pub fn end(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    /// Sets both.
    pub fn set(&self, place: Range<u64>) {
        self.start.store(place.start, Ordering::Relaxed);
        self.end.store(place.end, Ordering::Relaxed);
    }
}

/// A medium that a decoder reads in order: the place is where it was read last.
#[derive(Debug)]
pub(super) struct Followed {
    pub(super) medium: Arc<dyn Medium>,
    pub(super) place: Arc<DecodingPlace>,
}

impl Medium for Followed {
    fn size(&self) -> u64 {
        self.medium.size()
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.medium.read_at(position, buffer)?;
        let end = position.saturating_add(buffer.len() as u64);
        self.place.set(end..end);
        Ok(())
    }
}
