//! What takes the chunks of a relay: an algorithm over the whole file, an algorithm over its pieces, or
//! an algorithm that is a tree.

use crate::event::named;
use crate::pieces::Cutter;
use hashloom_digest::{Algorithm, Bank, Part, Slot};
use hashloom_manifest::{Named, Piece};

/// An algorithm that takes chunks one after another.
pub(crate) struct Consumer {
    algorithm: &'static Algorithm,
    bank: Box<dyn Bank>,
    over: Over,
}

enum Over {
    /// The whole file, with the algorithm's place in the plan.
    Whole(usize, Slot),
    Pieces {
        cutter: Cutter,
        open: Option<Slot>,
        done: Vec<(Piece, Named)>,
    },
}

impl Consumer {
    pub(crate) fn whole(index: usize, algorithm: &'static Algorithm) -> Self {
        let mut bank = (algorithm.alone)();
        let over = Over::Whole(index, bank.open());
        Consumer { algorithm, bank, over }
    }

    pub(crate) fn pieces(algorithm: &'static Algorithm, size: u64) -> Self {
        let over = Over::Pieces { cutter: Cutter::new(size), open: None, done: Vec::new() };
        Consumer { algorithm, bank: (algorithm.alone)(), over }
    }

    pub(crate) fn update(&mut self, bytes: &[u8], last: bool) {
        let bank = &mut self.bank;
        match &mut self.over {
            Over::Whole(_, slot) => bank.update(&[Part { slot: *slot, bytes, last }]),
            Over::Pieces { cutter, open, done } => {
                let mut parts = Vec::new();
                let mut ended = Vec::new();
                for cut in cutter.cut(bytes.len(), last) {
                    let slot = open.take().unwrap_or_else(|| bank.open());
                    parts.push(Part { slot, bytes: &bytes[cut.range], last: cut.ends });
                    if cut.ends {
                        ended.push((cut.piece, slot));
                    } else {
                        *open = Some(slot);
                    }
                }
                bank.update(&parts);
                let digests = ended.into_iter().map(|(piece, slot)| (piece, bank.close(slot)));
                done.extend(digests.map(|(piece, digest)| (piece, named(self.algorithm, digest))));
            }
        }
    }

    pub(crate) fn is_pieces(&self) -> bool {
        matches!(self.over, Over::Pieces { .. })
    }

    /// The pieces that ended since the last call, in order.
    pub(crate) fn take_pieces(&mut self) -> Vec<(Piece, Named)> {
        match &mut self.over {
            Over::Pieces { done, .. } => std::mem::take(done),
            Over::Whole(..) => Vec::new(),
        }
    }

    /// The digest of the whole file, with the algorithm's place in the plan.
    pub(crate) fn finish(mut self) -> Option<(usize, Named)> {
        match self.over {
            Over::Whole(index, slot) => Some((index, named(self.algorithm, self.bank.close(slot)))),
            Over::Pieces { .. } => None,
        }
    }
}
