//! The trait of all likeness hashes, and the reasons for a missing digest.

use crate::LikenessDigest;
use std::fmt;

/// A likeness hash of one stream. Bytes may arrive in any number of parts of any size.
pub trait Likeness: Send {
    /// Announces the exact length of the stream in bytes, before its first byte. Some algorithms then avoid computing
    /// alternatives that depend on the length.
    fn expect(&mut self, size: u64) {
        let _ = size;
    }

    /// Hashes the next bytes.
    fn update(&mut self, bytes: &[u8]);

    /// Returns the digest of all bytes. Called once, at the end.
    ///
    /// # Errors
    /// Returns [`Refusal`] if the algorithm has no digest for the stream.
    fn finish(&mut self) -> Result<LikenessDigest, Refusal>;
}

/// The reason why a stream has no digest, which is a property of the stream and not a failure.
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
