//! The names of blobs in git: the hash of `blob`, a space, the length in decimal digits, a zero byte, and the bytes.
//! With SHA-1 it is also the identifier of a content in Software Heritage (SWHID, ISO/IEC 18670).
//!
//! The length comes first. If it is unknown, all bytes are kept in memory until the end. So callers should determine
//! the length of such a stream first, as the engine does with a temporary file.

use crate::bank::{Bank, Pace, Slot, StreamPart, serial};
use crate::block::LaneHash;
use crate::lanes::bank::lanes;
use crate::stream::Blocks;
use crate::{About, Digest};

/// Hashes blobs: a bank of the hash, with a header before each message.
struct Blobs {
    bank: Box<dyn Bank>,
    /// Makes a bank of the hash.
    make: fn() -> Box<dyn Bank>,
    open: Vec<Option<Blob>>,
    free: Vec<usize>,
}

enum Blob {
    /// The header was not hashed yet.
    New(Slot, Box<[u8]>),
    Begun(Slot),
    /// The length is unknown.
    Held(Vec<u8>),
}

/// Makes a bank for many blobs by this hash.
pub(crate) fn blobs<A: LaneHash>() -> Box<dyn Bank> {
    Box::new(Blobs::new(lanes::<A>))
}

/// Makes a bank for one blob after another.
pub(crate) fn blobs_alone<A: LaneHash>() -> Box<dyn Bank> {
    Box::new(Blobs::new(serial::<Blocks<A>>))
}

impl Blobs {
    fn new(make: fn() -> Box<dyn Bank>) -> Self {
        Blobs { bank: make(), make, open: Vec::new(), free: Vec::new() }
    }

    /// Opens a blob of this size.
    fn sized(&mut self, size: u64) -> Blob {
        Blob::New(self.bank.open(), format!("blob {size}\0").into_bytes().into())
    }

    fn put(&mut self, blob: Blob) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.open.push(None);
            self.open.len() - 1
        });
        self.open[slot] = Some(blob);
        Slot(slot)
    }

    fn take(&mut self, slot: Slot) -> Option<Blob> {
        self.free.push(slot.0);
        self.open[slot.0].take()
    }

    /// Returns the digest of a blob that ends with these bytes.
    fn end(&mut self, blob: Option<Blob>, bytes: &[u8]) -> Digest {
        let (slot, head) = match blob {
            Some(Blob::Begun(slot)) => return self.bank.close(slot),
            Some(Blob::New(slot, head)) => (slot, head),
            Some(Blob::Held(held)) => {
                let blob = self.sized(held.len() as u64);
                return self.end(Some(blob), &held);
            }
            None => (self.bank.open(), Box::default()),
        };
        self.bank.update(&[
            StreamPart { slot, bytes: &head, last: false },
            StreamPart { slot, bytes, last: true },
        ]);
        self.bank.close(slot)
    }
}

impl Bank for Blobs {
    fn open(&mut self) -> Slot {
        self.open_about(&About::default())
    }

    fn open_about(&mut self, about: &About<'_>) -> Slot {
        let blob = match about.size {
            Some(size) => self.sized(size),
            None => Blob::Held(Vec::new()),
        };
        self.put(blob)
    }

    fn update(&mut self, batch: &[StreamPart<'_>]) {
        // The headers of blobs that start here, each with its slot in the bank.
        let mut heads = Vec::new();
        for part in batch {
            let blob = &mut self.open[part.slot.0];
            match blob.take() {
                Some(Blob::New(slot, head)) => {
                    *blob = Some(Blob::Begun(slot));
                    heads.push((slot, head));
                }
                Some(Blob::Held(mut held)) => {
                    held.extend_from_slice(part.bytes);
                    *blob = Some(Blob::Held(held));
                }
                begun => *blob = begun,
            }
        }
        let mut parts = Vec::with_capacity(heads.len() + batch.len());
        parts.extend(heads.iter().map(|(slot, head)| StreamPart { slot: *slot, bytes: head, last: false }));
        parts.extend(batch.iter().filter_map(|part| match self.open[part.slot.0] {
            Some(Blob::Begun(slot)) => Some(StreamPart { slot, ..*part }),
            _ => None,
        }));
        self.bank.update(&parts);
    }

    fn close(&mut self, slot: Slot) -> Digest {
        let blob = self.take(slot);
        self.end(blob, &[])
    }

    fn abandon(&mut self, slot: Slot) {
        if let Some(Blob::New(slot, _) | Blob::Begun(slot)) = self.take(slot) {
            self.bank.abandon(slot);
        }
    }

    fn fork(&self, slot: Slot) -> Box<dyn Bank> {
        let begun = |slot: &Slot| self.bank.fork(*slot);
        let (bank, blob) = match &self.open[slot.0] {
            Some(Blob::New(slot, head)) => (begun(slot), Some(Blob::New(Slot(0), head.clone()))),
            Some(Blob::Begun(slot)) => (begun(slot), Some(Blob::Begun(Slot(0)))),
            Some(Blob::Held(held)) => ((self.make)(), Some(Blob::Held(held.clone()))),
            None => ((self.make)(), None),
        };
        Box::new(Blobs { bank, make: self.make, open: vec![blob], free: Vec::new() })
    }

    /// The state has the header, so only the size of the blob must be the same.
    fn save(&self, slot: Slot) -> Option<Vec<u8>> {
        match &self.open[slot.0] {
            Some(Blob::Begun(slot)) => self.bank.save(*slot),
            _ => None,
        }
    }

    fn restore(&mut self, state: &[u8]) -> Option<Slot> {
        let slot = self.bank.restore(state)?;
        Some(self.put(Blob::Begun(slot)))
    }

    fn lanes(&self) -> usize {
        self.bank.lanes()
    }

    fn pace(&self) -> Pace {
        self.bank.pace()
    }

    fn occupancy(&self) -> (u64, u64) {
        self.bank.occupancy()
    }

    fn kernel(&self) -> &'static str {
        self.bank.kernel()
    }
}
