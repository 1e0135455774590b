//! One digest of bytes that come in parts.

use crate::claim;
use hashmill_digest::{Algorithm, Bank, Digest, Slot, StreamPart};
use serde::Serialize;

/// A digest that was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Computed {
    /// The algorithm.
    #[serde(serialize_with = "claim::name")]
    pub algorithm: &'static Algorithm,
    /// The digest.
    #[serde(serialize_with = "claim::text")]
    pub digest: Digest,
}

/// A consumer of media bytes that computes a digest.
pub(crate) struct Hashing {
    algorithm: &'static Algorithm,
    bank: Box<dyn Bank>,
    slot: Slot,
}

impl Hashing {
    pub(crate) fn new(algorithm: &'static Algorithm) -> Self {
        let mut bank = (algorithm.bank)();
        let slot = bank.open();
        Hashing { algorithm, bank, slot }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.bank.update(&[StreamPart { slot: self.slot, bytes, last: false }]);
    }

    pub(crate) fn finish(mut self) -> Computed {
        self.bank.update(&[StreamPart { slot: self.slot, bytes: &[], last: true }]);
        Computed { algorithm: self.algorithm, digest: self.bank.close(self.slot) }
    }
}
