//! The bytes of streams that are looked at.

/// The bytes that are kept of each end.
pub const END_BYTES: usize = 64 << 10;
