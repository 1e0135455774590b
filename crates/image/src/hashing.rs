//! One digest of bytes that come in parts.

use crate::claim;
use hashmill_digest::{Algorithm, Digest, MessageHasher};
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
    hasher: MessageHasher,
}

impl Hashing {
    pub(crate) fn new(algorithm: &'static Algorithm) -> Self {
        Hashing { algorithm, hasher: MessageHasher::new(algorithm) }
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    pub(crate) fn finish(self) -> Computed {
        Computed { algorithm: self.algorithm, digest: self.hasher.finish() }
    }
}
