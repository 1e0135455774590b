//! The version of this crate's text formats, and their limits.

/// The version of seals, proofs and redacted manifests.
pub(crate) const VERSION: u32 = 2;

/// The maximum length of an origin in bytes.
pub(crate) const MAX_ORIGIN: usize = 255;
