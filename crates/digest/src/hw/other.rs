//! Processors that no kernel is written for: every algorithm goes its portable way.

use super::{Pair, Path};

pub(crate) static MD5: &[Path<[u32; 4]>] = &[];
pub(crate) static SHA1: &[Path<[u32; 5]>] = &[];
pub(crate) static SHA256: &[Path<[u32; 8]>] = &[];
pub(crate) static SHA512: &[Path<[u64; 8]>] = &[];
pub(crate) static SM3: &[Path<[u32; 8]>] = &[];
pub(crate) static RIPEMD160: &[Path<[u32; 5]>] = &[];
pub(crate) static KECCAK: &[Path<crate::keccak::Keccak>] = &[];

/// The same number; see `x86.rs`.
#[inline(always)]
pub(crate) fn settled(number: u32) -> u32 {
    number
}

/// No instructions for it.
pub(crate) fn sha256_pair() -> Option<Pair<[u32; 8]>> {
    None
}
