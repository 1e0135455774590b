//! A hasher that takes the chunks of a relay in order: over the whole file, or over each of its pieces.

use crate::hash::{Cutter, StreamHasher, Value};
use hashloom_digest::{About, Part, Slot};
use hashloom_manifest::Piece;

/// A hasher that takes chunks in order.
pub(crate) struct Consumer {
    hasher: Box<dyn StreamHasher>,
    over: Over,
}

/// What it hashes.
enum Over {
    /// The whole file. With the value's place in the record.
    Whole { place: usize, slot: Slot },
    Pieces {
        cutter: Cutter,
        /// Bytes of the file, where known.
        size: Option<u64>,
        open: Option<Slot>,
        done: Vec<(Piece, Value)>,
    },
}

impl Consumer {
    /// Hashes the whole file.
    pub(crate) fn whole(place: usize, mut hasher: Box<dyn StreamHasher>, about: &About<'_>) -> Self {
        let over = Over::Whole { place, slot: hasher.open(about) };
        Consumer { hasher, over }
    }

    /// Hashes every piece of so many bytes.
    pub(crate) fn pieces(piece: u64, hasher: Box<dyn StreamHasher>, size: Option<u64>) -> Self {
        let over = Over::Pieces { cutter: Cutter::new(piece), size, open: None, done: Vec::new() };
        Consumer { hasher, over }
    }

    /// Hashes the next chunk; `last` says that no more follow.
    pub(crate) fn update(&mut self, bytes: &[u8], last: bool) {
        let hasher = &mut self.hasher;
        let (cutter, size, open, done) = match &mut self.over {
            Over::Whole { slot, .. } => return hasher.update(&[Part { slot: *slot, bytes, last }]),
            Over::Pieces { cutter, size, open, done } => (cutter, *size, open, done),
        };
        for cut in cutter.cut(bytes.len(), last) {
            let slot = open.take().unwrap_or_else(|| {
                let expected = cutter.expected(cut.piece, size);
                hasher.open(&About::sized(expected))
            });
            hasher.update(&[Part { slot, bytes: &bytes[cut.range], last: cut.ends }]);
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

    /// The pieces that ended since the last call, in order.
    pub(crate) fn take_pieces(&mut self) -> Vec<(Piece, Value)> {
        match &mut self.over {
            Over::Pieces { done, .. } => std::mem::take(done),
            Over::Whole { .. } => Vec::new(),
        }
    }

    /// The value of the whole file and its place in the record; `None` if only pieces are hashed.
    pub(crate) fn finish(mut self) -> Option<(usize, Value)> {
        match self.over {
            Over::Whole { place, slot } => Some((place, self.hasher.close(slot))),
            Over::Pieces { .. } => None,
        }
    }
}
