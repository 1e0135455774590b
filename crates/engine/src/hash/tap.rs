//! The adapter for a [`Tap`], which is given bytes as a hasher is and has no value.

use super::hasher::StreamHasher;
use super::value::Value;
use crate::tap::{Tap, TapStream};
use hashmill_digest::{About, Slot, StreamPart};
use std::sync::Arc;

/// Passes bytes on, with an object for each stream.
pub(crate) struct TapHasher {
    tap: Arc<dyn Tap>,
    /// `None` in free slots.
    streams: Vec<Option<Box<dyn TapStream>>>,
    free: Vec<Slot>,
}

impl TapHasher {
    pub(crate) fn new(tap: &Arc<dyn Tap>) -> Self {
        TapHasher { tap: Arc::clone(tap), streams: Vec::new(), free: Vec::new() }
    }

    fn take(&mut self, slot: Slot) -> Option<Box<dyn TapStream>> {
        let stream = self.streams[slot.0].take();
        self.free.push(slot);
        stream
    }
}

impl StreamHasher for TapHasher {
    fn open(&mut self, about: &About<'_>) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.streams.push(None);
            Slot(self.streams.len() - 1)
        });
        self.streams[slot.0] = Some(self.tap.open(about));
        slot
    }

    fn update(&mut self, parts: &[StreamPart<'_>]) {
        for part in parts {
            if let Some(stream) = &mut self.streams[part.slot.0] {
                stream.write(part.bytes);
            }
        }
    }

    fn close(&mut self, slot: Slot) -> Value {
        self.take(slot).into_iter().for_each(TapStream::end);
        Value::None
    }

    fn abandon(&mut self, slot: Slot) {
        self.take(slot);
    }
}
