//! Binary formats.

pub(crate) mod encase;
pub(crate) mod par;
