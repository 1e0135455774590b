//! The version of the texts that this crate writes, and the limits of what they hold.

/// The version of seals, proofs and redacted manifests.
pub(crate) const VERSION: u32 = 2;

/// The most bytes of an origin.
pub(crate) const MAX_ORIGIN: usize = 255;
