//! One stream of BLAKE3: by the authors' crate, or by its parts if it would choose forbidden instructions.

use super::forced;
use crate::Digest;
use crate::bank::{Bank, StreamState, serial_by};
use crate::machine::{Isa, Machine};
use blake3::hazmat::{self, HasherExt, Mode};

#[allow(clippy::large_enum_variant, reason = "the large variant is the usual one")]
#[derive(Clone)]
pub(crate) enum Hasher {
    Library(blake3::Hasher),
    Forced(forced::Hasher),
}

impl Hasher {
    /// Hashes a whole message.
    pub(super) fn hash(message: &[u8]) -> Digest {
        if free() {
            return Digest::new(blake3::hash(message).as_bytes());
        }
        let mut hasher = forced::Hasher::new(0);
        hasher.update(message);
        Digest::new(&hasher.root())
    }

    /// Returns the chaining value of a subtree at this offset of its message.
    pub(super) fn subtree(offset: u64, bytes: &[u8]) -> [u8; 32] {
        if free() {
            let mut hasher = blake3::Hasher::new();
            hasher.set_input_offset(offset).update(bytes);
            return hasher.finalize_non_root();
        }
        let mut hasher = forced::Hasher::new(offset);
        hasher.update(bytes);
        hasher.subtree()
    }

    pub(super) fn reset(&mut self) {
        match self {
            Hasher::Library(hasher) => drop(hasher.reset()),
            Hasher::Forced(hasher) => *hasher = forced::Hasher::new(0),
        }
    }

    /// Returns the digest of all bytes taken.
    pub(super) fn digest(&mut self) -> Digest {
        match self {
            Hasher::Library(hasher) => Digest::new(hasher.finalize().as_bytes()),
            Hasher::Forced(hasher) => Digest::new(&hasher.root()),
        }
    }
}

impl StreamState for Hasher {
    fn new() -> Self {
        if free() { Hasher::Library(blake3::Hasher::new()) } else { Hasher::Forced(forced::Hasher::new(0)) }
    }

    fn update(&mut self, bytes: &[u8]) {
        match self {
            Hasher::Library(hasher) => drop(hasher.update(bytes)),
            Hasher::Forced(hasher) => hasher.update(bytes),
        }
    }

    fn finish(&mut self) -> Digest {
        self.digest()
    }

    fn extend(&self, from: u64, output: &mut [u8]) -> bool {
        match self {
            Hasher::Library(hasher) => extend(hasher, from, output),
            Hasher::Forced(hasher) => hasher.extend(from, output),
        }
        true
    }

    fn save(&self, into: &mut Vec<u8>) -> bool {
        match self {
            Hasher::Library(_) => false,
            Hasher::Forced(hasher) => {
                hasher.save(into);
                true
            }
        }
    }

    fn load(&mut self, from: &mut &[u8]) -> Option<()> {
        *self = Hasher::Forced(forced::Hasher::load(from)?);
        Some(())
    }

    fn kernel() -> &'static str {
        match picks().min(Machine::detect().limit()) {
            Isa::Portable => "portable (blake3)",
            Isa::Neon => "neon (blake3)",
            Isa::Sse41 => "sse4.1 (blake3)",
            Isa::Avx2 => "avx2 (blake3)",
            Isa::Avx512 | Isa::Shani => "avx512 (blake3)",
        }
    }
}

/// Makes a bank of streams whose states can be had.
pub(crate) fn own() -> Box<dyn Bank> {
    serial_by(|| Hasher::Forced(forced::Hasher::new(0)))
}

/// Writes the output of the crate's hasher from this byte on.
pub(super) fn extend(hasher: &blake3::Hasher, from: u64, output: &mut [u8]) {
    let mut reader = hasher.finalize_xof();
    reader.set_position(from);
    reader.fill(output);
}

/// Returns the chaining value of two subtrees.
pub(super) fn merge(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    if free() { hazmat::merge_subtrees_non_root(left, right, Mode::Hash) } else { forced::merge(left, right) }
}

/// Returns the digest of two subtrees.
pub(super) fn merge_root(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    if free() {
        return hazmat::merge_subtrees_root(left, right, Mode::Hash).into();
    }
    forced::merge_root(left, right)
}

/// Whether the crate's choice is allowed.
fn free() -> bool {
    picks() <= Machine::detect().limit()
}

/// Returns the instruction set that the crate chooses on this processor.
#[cfg(target_arch = "x86_64")]
fn picks() -> Isa {
    use std::arch::is_x86_feature_detected as has;
    match () {
        () if has!("avx512f") && has!("avx512vl") => Isa::Avx512,
        () if has!("avx2") => Isa::Avx2,
        () if has!("sse4.1") => Isa::Sse41,
        () => Isa::Portable,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn picks() -> Isa {
    if cfg!(all(target_arch = "aarch64", target_endian = "little")) { Isa::Neon } else { Isa::Portable }
}
