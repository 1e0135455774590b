//! Folding: any number of blocks of 16 bytes become one with the same remainder, by carry-less multiplication. Eight
//! blocks or more are on the way at a time, each multiplied by what the distance to the next one of its row makes of it.
//!
//! Gopal, Ozturk and others, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009.

use super::keys::Keys;
use crate::machine::Isa;

/// Sixteen bytes of a message.
pub(super) type Block = [u8; 16];

/// What is folded.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "other processors have no way")
)]
pub(super) struct Blocks<'a> {
    /// The factors.
    pub(super) keys: &'a Keys,
    /// The remainder before the blocks.
    pub(super) remainder: u64,
    /// At least [`LEAST`] of them.
    pub(super) blocks: &'a [Block],
}

/// The fewest blocks that a way takes.
pub(super) const LEAST: usize = 8;

/// Folds blocks to one, as two words; `FLIP` turns the bits of every byte around first.
pub(super) type Fold = fn(Blocks<'_>) -> [u64; 2];

/// A way to fold: for CRCs that are reflected, and for others.
pub(super) struct Way {
    /// What it is called.
    pub(super) name: &'static str,
    /// What it needs.
    pub(super) isa: Isa,
    /// Whether this processor has the multiplication.
    pub(super) is_there: fn() -> bool,
    /// For bytes whose least significant bit comes first, and for those whose most significant one does.
    pub(super) folds: [Fold; 2],
}

/// The best way up to a limit that this processor has; none if there are only tables.
pub(super) fn best(limit: Isa) -> Option<&'static Way> {
    all().find(|way| way.isa <= limit)
}

/// The ways that this processor has, the best first.
pub(super) fn all() -> impl Iterator<Item = &'static Way> {
    WAYS.iter().filter(|way| way.isa.present() && (way.is_there)())
}

#[cfg(target_arch = "x86_64")]
use super::x86::WAYS;

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use super::neon::WAYS;

#[cfg(not(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little"))))]
const WAYS: &[Way] = &[];
