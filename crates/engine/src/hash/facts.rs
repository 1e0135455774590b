//! The adapters for the facts of `hashmill_facts`: of streams in order, and of the chunks of one stream in any order.

use super::hasher::{StreamHasher, UnorderedHasher};
use super::value::Value;
use hashmill_digest::{About, Slot, StreamPart};
use hashmill_facts::{Ends, EndsAt, Fact, Histogram, Signatures};
use parking_lot::Mutex;
use std::sync::Arc;

/// Finds one fact, with an object for each stream.
pub(crate) struct FactHasher {
    fact: Fact,
    /// The signatures of PRONOM, for that fact.
    signatures: Option<Arc<Signatures>>,
    streams: Vec<FactStream>,
    free: Vec<Slot>,
}

/// The collected part of a stream.
enum FactStream {
    Type(Ends),
    Entropy(Histogram),
    /// The ends, and the path.
    Puid(Ends, Box<[u8]>),
    /// Nothing: the slot is free, or the fact is none of pieces.
    None,
}

impl FactStream {
    fn new(fact: Fact, about: &About<'_>) -> FactStream {
        // Only pieces have no path.
        match fact {
            fact if about.path.is_empty() && !fact.row().of_pieces => FactStream::None,
            Fact::Type => FactStream::Type(Ends::new(about.size)),
            Fact::Entropy => FactStream::Entropy(Histogram::default()),
            // A hasher of its own finds them.
            Fact::Yara => FactStream::None,
            Fact::Puid => FactStream::Puid(Ends::new(about.size), about.path.into()),
        }
    }
}

impl FactHasher {
    pub(crate) fn new(fact: Fact, signatures: Option<Arc<Signatures>>) -> Self {
        FactHasher { fact, signatures, streams: Vec::new(), free: Vec::new() }
    }

    fn take(&mut self, slot: Slot) -> FactStream {
        self.free.push(slot);
        std::mem::replace(&mut self.streams[slot.0], FactStream::None)
    }
}

impl StreamHasher for FactHasher {
    fn open(&mut self, about: &About<'_>) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.streams.push(FactStream::None);
            Slot(self.streams.len() - 1)
        });
        self.streams[slot.0] = FactStream::new(self.fact, about);
        slot
    }

    fn update(&mut self, parts: &[StreamPart<'_>]) {
        for part in parts {
            match &mut self.streams[part.slot.0] {
                FactStream::Type(ends) | FactStream::Puid(ends, _) => ends.push(part.bytes),
                FactStream::Entropy(histogram) => histogram.update(part.bytes),
                FactStream::None => {}
            }
        }
    }

    fn close(&mut self, slot: Slot) -> Value {
        match self.take(slot) {
            FactStream::Type(ends) => Value::ContentType(ends.content_type()),
            FactStream::Entropy(histogram) => Value::Entropy(histogram.entropy()),
            FactStream::Puid(ends, path) => match &self.signatures {
                Some(signatures) => Value::Pronom(ends.pronom(signatures, &path)),
                None => Value::None,
            },
            FactStream::None => Value::None,
        }
    }

    fn abandon(&mut self, slot: Slot) {
        self.take(slot);
    }
}

/// Keeps the ends of a stream whose chunks come in any order.
pub(crate) struct ChunkEnds(Mutex<EndsAt>);

/// Counts the bytes of a stream whose chunks come in any order.
#[derive(Default)]
pub(crate) struct ChunkHistogram(Mutex<Histogram>);

impl ChunkEnds {
    pub(crate) fn new(size: u64) -> Self {
        ChunkEnds(Mutex::new(EndsAt::new(size)))
    }
}

impl UnorderedHasher for ChunkEnds {
    fn update(&self, _: u64, offset: u64, bytes: &[u8]) {
        let mut ends = self.0.lock();
        if ends.takes(offset, bytes.len()) {
            ends.put(offset, bytes);
        }
    }

    fn finish(&self) -> Value {
        Value::ContentType(self.0.lock().content_type())
    }
}

/// Finds the formats of a stream whose chunks come in any order.
pub(crate) struct ChunkPronom {
    ends: Mutex<EndsAt>,
    signatures: Arc<Signatures>,
    path: Box<[u8]>,
}

impl ChunkPronom {
    pub(crate) fn new(size: u64, signatures: Arc<Signatures>, path: &[u8]) -> Self {
        ChunkPronom { ends: Mutex::new(EndsAt::new(size)), signatures, path: path.into() }
    }
}

impl UnorderedHasher for ChunkPronom {
    fn update(&self, _: u64, offset: u64, bytes: &[u8]) {
        let mut ends = self.ends.lock();
        if ends.takes(offset, bytes.len()) {
            ends.put(offset, bytes);
        }
    }

    fn finish(&self) -> Value {
        Value::Pronom(self.ends.lock().pronom(&self.signatures, &self.path))
    }
}

impl UnorderedHasher for ChunkHistogram {
    fn update(&self, _: u64, _: u64, bytes: &[u8]) {
        let mut histogram = Histogram::default();
        histogram.update(bytes);
        self.0.lock().add(&histogram);
    }

    fn finish(&self) -> Value {
        Value::Entropy(self.0.lock().entropy())
    }
}
