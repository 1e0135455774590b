//! The adapter for the algorithms of `hashmill_similar`.

use super::hasher::StreamHasher;
use super::value::Value;
use hashmill_digest::{About, Slot, StreamPart};
use hashmill_manifest::{Lack, Likeness};
use hashmill_similar::{Likeness as Hash, Similar};

/// Computes one likeness digest, with an object for each stream.
pub(crate) struct SimilarityHasher {
    algorithm: &'static Similar,
    /// `None` in free slots.
    streams: Vec<Option<Box<dyn Hash>>>,
    free: Vec<Slot>,
}

impl SimilarityHasher {
    pub(crate) fn new(algorithm: &'static Similar) -> Self {
        SimilarityHasher { algorithm, streams: Vec::new(), free: Vec::new() }
    }

    fn take(&mut self, slot: Slot) -> Option<Box<dyn Hash>> {
        let hash = self.streams[slot.0].take();
        self.free.push(slot);
        hash
    }
}

impl StreamHasher for SimilarityHasher {
    fn open(&mut self, about: &About<'_>) -> Slot {
        let mut hash = (self.algorithm.stream)();
        about.size.into_iter().for_each(|size| hash.expect(size));
        let slot = self.free.pop().unwrap_or_else(|| {
            self.streams.push(None);
            Slot(self.streams.len() - 1)
        });
        self.streams[slot.0] = Some(hash);
        slot
    }

    fn update(&mut self, parts: &[StreamPart<'_>]) {
        for part in parts {
            if let Some(hash) = &mut self.streams[part.slot.0] {
                hash.update(part.bytes);
            }
        }
    }

    fn close(&mut self, slot: Slot) -> Value {
        let mut hash = self.take(slot).unwrap_or_else(|| (self.algorithm.stream)());
        let digest = hash.finish().map_err(Lack::from);
        Value::Likeness(Likeness { algorithm: self.algorithm, digest })
    }

    fn abandon(&mut self, slot: Slot) {
        self.take(slot);
    }
}
