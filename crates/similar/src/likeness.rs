//! The trait of all likeness hashes, and why there may be no digest.

use crate::Digest;
use std::fmt;

/// A likeness hash of one stream. Bytes may come in any number of parts, cut anywhere.
pub trait Likeness: Send {
    /// Says how long the stream will be, in bytes, before its first byte. Worth while where it is known:
    /// what depends on the length need not be computed twice. It must be right.
    fn expect(&mut self, size: u64) {
        let _ = size;
    }

    /// Takes the next bytes.
    fn update(&mut self, bytes: &[u8]);

    /// The digest of all bytes taken. Called once, at the end.
    ///
    /// # Errors
    /// [`Refusal`] where the algorithm gives no digest for such a stream.
    fn finish(&mut self) -> Result<Digest, Refusal>;
}

/// Why a stream has no digest. This is a property of the stream, not a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Shorter than the algorithm's minimum, in bytes.
    TooSmall {
        /// The minimum.
        minimum: u64,
    },
    /// Longer than the algorithm can express, in bytes.
    TooLarge {
        /// The maximum.
        maximum: u64,
    },
    /// The bytes vary too little.
    TooPlain,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::TooSmall { minimum } => write!(f, "too small: the minimum is {minimum} bytes"),
            Refusal::TooLarge { maximum } => write!(f, "too large: the maximum is {maximum} bytes"),
            Refusal::TooPlain => write!(f, "too little variation"),
        }
    }
}

impl std::error::Error for Refusal {}
