//! What takes the chunks of a relay one after another: an algorithm over the whole file or over its pieces.

use crate::event::{Value, named};
use crate::kin;
use crate::pieces::Cutter;
use hashloom_digest::{Algorithm, Bank, Part, Slot};
use hashloom_manifest::Piece;

/// An algorithm that takes chunks one after another.
pub(crate) enum Consumer {
    /// A digest.
    Digest(Serial),
    /// A likeness digest.
    Likeness(kin::Serial),
}

impl Consumer {
    pub(crate) fn update(&mut self, bytes: &[u8], last: bool) {
        match self {
            Consumer::Digest(serial) => serial.update(bytes, last),
            Consumer::Likeness(serial) => serial.update(bytes, last),
        }
    }

    /// Whether it is over pieces.
    pub(crate) fn is_pieces(&self) -> bool {
        match self {
            Consumer::Digest(serial) => serial.is_pieces(),
            Consumer::Likeness(serial) => serial.is_pieces(),
        }
    }

    /// The pieces that ended since the last call, in order.
    pub(crate) fn take_pieces(&mut self) -> Vec<(Piece, Value)> {
        match self {
            Consumer::Digest(serial) => serial.take_pieces(),
            Consumer::Likeness(serial) => serial.take_pieces(),
        }
    }

    /// The digest of the whole file, with the algorithm's place in its list of the plan.
    pub(crate) fn finish(self) -> Option<(usize, Value)> {
        match self {
            Consumer::Digest(serial) => serial.finish(),
            Consumer::Likeness(serial) => serial.finish(),
        }
    }
}

/// A digest of the whole file or of its pieces.
pub(crate) struct Serial {
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
        done: Vec<(Piece, Value)>,
    },
}

impl Serial {
    pub(crate) fn whole(index: usize, algorithm: &'static Algorithm) -> Self {
        let mut bank = (algorithm.alone)();
        let over = Over::Whole(index, bank.open());
        Serial { algorithm, bank, over }
    }

    pub(crate) fn pieces(algorithm: &'static Algorithm, size: u64) -> Self {
        let over = Over::Pieces { cutter: Cutter::new(size), open: None, done: Vec::new() };
        Serial { algorithm, bank: (algorithm.alone)(), over }
    }

    fn update(&mut self, bytes: &[u8], last: bool) {
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
                let named = |digest| Value::Digest(named(self.algorithm, digest));
                done.extend(digests.map(|(piece, digest)| (piece, named(digest))));
            }
        }
    }

    fn is_pieces(&self) -> bool {
        matches!(self.over, Over::Pieces { .. })
    }

    fn take_pieces(&mut self) -> Vec<(Piece, Value)> {
        match &mut self.over {
            Over::Pieces { done, .. } => std::mem::take(done),
            Over::Whole(..) => Vec::new(),
        }
    }

    fn finish(mut self) -> Option<(usize, Value)> {
        match self.over {
            Over::Whole(index, slot) => {
                Some((index, Value::Digest(named(self.algorithm, self.bank.close(slot)))))
            }
            Over::Pieces { .. } => None,
        }
    }
}
