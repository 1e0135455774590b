//! A hasher that takes the chunks of a relay in order: of the whole file, or of each of its pieces.

use crate::hash::{Cutter, HashSpec, StreamHasher, Value};
use hashmill_digest::{About, Saved, Slot, StreamPart};
use hashmill_manifest::Piece;

/// A hasher that takes chunks in order.
pub(crate) struct Consumer {
    hasher: Box<dyn StreamHasher>,
    over: Over,
}

/// The unit of hashing.
enum Over {
    /// The whole file; `place` is the value's position in the record.
    Whole { place: usize, slot: Slot },
    Pieces {
        cutter: Cutter,
        /// The file's size, if known.
        size: Option<u64>,
        open: Option<Slot>,
        done: Vec<(Piece, Value)>,
    },
}

impl Consumer {
    /// Creates a consumer of the whole file.
    pub(crate) fn whole(place: usize, mut hasher: Box<dyn StreamHasher>, about: &About<'_>) -> Self {
        let over = Over::Whole { place, slot: hasher.open(about) };
        Consumer { hasher, over }
    }

    /// Creates a consumer of the whole file whose state can be saved, beginning with `state` if there is one. `None` if states
    /// of the algorithm can't be saved, or `state` is not one.
    pub(crate) fn saving(
        place: usize,
        spec: HashSpec,
        about: &About<'_>,
        state: Option<&Saved>,
    ) -> Option<Self> {
        let mut hasher = spec.for_saving()?;
        let slot = match state {
            Some(state) => hasher.restore(state)?,
            None => hasher.open(about),
        };
        Some(Consumer { hasher, over: Over::Whole { place, slot } })
    }

    /// Returns the state after this many bytes of the whole file, with its place in the record.
    pub(crate) fn save(&self, bytes: u64) -> Option<(usize, Saved)> {
        let Over::Whole { place, slot } = self.over else { return None };
        Some((place, self.hasher.save(slot, bytes)?))
    }

    /// Creates a consumer of every piece of `piece` bytes.
    pub(crate) fn pieces(piece: u64, hasher: Box<dyn StreamHasher>, size: Option<u64>) -> Self {
        let over = Over::Pieces { cutter: Cutter::new(piece), size, open: None, done: Vec::new() };
        Consumer { hasher, over }
    }

    /// Hashes the next chunk; `last` if no more follow.
    pub(crate) fn update(&mut self, bytes: &[u8], last: bool) {
        let hasher = &mut self.hasher;
        let (cutter, size, open, done) = match &mut self.over {
            Over::Whole { slot, .. } => return hasher.update(&[StreamPart { slot: *slot, bytes, last }]),
            Over::Pieces { cutter, size, open, done } => (cutter, *size, open, done),
        };
        for cut in cutter.cut(bytes.len(), last) {
            let slot = open.take().unwrap_or_else(|| {
                let expected = cutter.expected(cut.piece, size);
                hasher.open(&About::sized(expected))
            });
            hasher.update(&[StreamPart { slot, bytes: &bytes[cut.range], last: cut.ends }]);
            if cut.ends {
                done.push((cut.piece, hasher.close(slot)));
            } else {
                *open = Some(slot);
            }
        }
    }

    pub(crate) fn is_over_pieces(&self) -> bool {
        matches!(self.over, Over::Pieces { .. })
    }

    /// Takes the pieces that ended since the last call, in order.
    pub(crate) fn take_pieces(&mut self) -> Vec<(Piece, Value)> {
        match &mut self.over {
            Over::Pieces { done, .. } => std::mem::take(done),
            Over::Whole { .. } => Vec::new(),
        }
    }

    /// Returns the value of the whole file and its position in the record; `None` if only pieces are hashed.
    pub(crate) fn finish(mut self) -> Option<(usize, Value)> {
        match self.over {
            Over::Whole { place, slot } => Some((place, self.hasher.close(slot))),
            Over::Pieces { .. } => None,
        }
    }
}
