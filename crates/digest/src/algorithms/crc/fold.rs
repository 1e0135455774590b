//! Folding: reduces any number of 16-byte blocks to one with the same remainder, by carry-less multiplication. Eight
//! blocks or more are processed at a time; each is multiplied by a factor for its distance to the next one of its row.
//!
//! Gopal, Ozturk and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009.

use super::keys::Keys;
use crate::machine::Isa;

/// Sixteen bytes of a message.
pub(super) type Block = [u8; 16];

/// The blocks to fold.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "only these processors can fold")
)]
pub(super) struct Blocks<'a> {
    pub(super) keys: &'a Keys,
    pub(super) remainder: u64,
    /// At least [`LEAST_BLOCKS`] blocks.
    pub(super) blocks: &'a [Block],
}

/// The minimum number of blocks.
pub(super) const LEAST_BLOCKS: usize = 8;

/// Folds blocks to one, as two words. With `FLIP` the bits of every byte are reversed first.
pub(super) type Fold = fn(Blocks<'_>) -> [u64; 2];

/// An implementation of folding, for reflected and other CRCs.
pub(super) struct FoldKernel {
    pub(super) name: &'static str,
    pub(super) isa: Isa,
    /// Returns whether this processor has the multiplication.
    pub(super) is_there: fn() -> bool,
    /// The functions for bytes with the least significant bit first, and with the most significant bit first.
    pub(super) folds: [Fold; 2],
}

/// Returns the best implementation up to a limit; `None` if there are only tables.
pub(super) fn best(limit: Isa) -> Option<&'static FoldKernel> {
    all().find(|way| way.isa <= limit)
}

/// Returns the implementations for this processor, the best first.
pub(super) fn all() -> impl Iterator<Item = &'static FoldKernel> {
    WAYS.iter().filter(|way| way.isa.present() && (way.is_there)())
}

#[cfg(target_arch = "x86_64")]
use super::x86::WAYS;

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use super::neon::WAYS;

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
const WAYS: &[FoldKernel] = &[];
