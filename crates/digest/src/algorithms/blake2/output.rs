//! BLAKE2 with other digest lengths: the length is part of the initial state, and the digest is cut (RFC 7693, section
//! 2.5).

use super::{Blake2b, Blake2s};
use crate::algorithm::parameter::kept;
use crate::algorithm::{Algorithm, Make};
use crate::bank::after::{after, cut};
use crate::bank::serial_by;
use crate::block::BlockHash;
use crate::stream::Blocks;

/// Makes BLAKE2b with this many bytes of digest, up to 64.
pub(crate) fn blake2b(base: &'static Algorithm, bytes: u64) -> Algorithm {
    let mut start = Blake2b::<64>::START;
    start[0] ^= 64 ^ bytes;
    let make = move || Blocks::<Blake2b<64>>::starting(start);
    serial(base, bytes, kept(move || after(serial_by(make), cut(bytes as usize))))
}

/// Makes BLAKE2s with this many bytes of digest, up to 32.
pub(crate) fn blake2s(base: &'static Algorithm, bytes: u64) -> Algorithm {
    let mut start = Blake2s::<32>::START;
    start[0] ^= 32 ^ bytes as u32;
    let make = move || Blocks::<Blake2s<32>>::starting(start);
    serial(base, bytes, kept(move || after(serial_by(make), cut(bytes as usize))))
}

fn serial(base: &'static Algorithm, bytes: u64, bank: Make) -> Algorithm {
    Algorithm { bits: 8 * bytes as u32, bank, alone: bank, lanes: None, ..*base }
}
