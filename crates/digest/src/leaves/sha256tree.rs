//! SHA256TREE of Bazel's remote execution: SHA-256 of every 1 KiB, joined in pairs by compressing a single block, from
//! another initial state and without the final addition; a node without a neighbour moves up unchanged.
//!
//! build/bazel/remote/execution/v2/remote_execution.proto of bazelbuild/remote-apis, `DigestFunction.SHA256TREE`.

use super::fold::Pairs;
use super::shape::{Keeping, Nodes};
use super::{Leaves, Shape};
use crate::Digest;
use crate::algorithms::sha256;
use crate::algorithms::sha256::Sha256;
use crate::bank::serial;
use crate::block::Kernel;
use crate::lanes::bank::lanes;
use crate::machine::Isa;
use crate::stream::Blocks;

pub(crate) struct Sha256Tree;

impl Shape for Sha256Tree {
    const LEAVES: Leaves = Leaves {
        keeping: Keeping::Nodes(Nodes { join, filling: None }),
        ..Leaves::new(1024, 32, [lanes::<Sha256>, serial::<Blocks<Sha256>>], || {
            Box::new(Pairs::new(join, None))
        })
    };
}

/// The first 32 bits of the fractional parts of the square roots of the 9th to 16th prime: the low halves of SHA-384's.
const START: [u32; 8] =
    [0xcbbb_9d5d, 0x629a_292a, 0x9159_015a, 0x152f_ecd8, 0x6733_2667, 0x8eb4_4a87, 0xdb0c_2e0d, 0x47b5_481d];

fn join(left: &[u8], right: &[u8]) -> Digest {
    let mut block = [0; 64];
    block[..32].copy_from_slice(left);
    block[32..].copy_from_slice(right);
    let mut state = START;
    (sha256::Compress::path(Isa::WIDEST).compress)(&mut state, &block);
    let mut digest = [0; 32];
    for ((word, start), bytes) in state.iter().zip(START).zip(digest.chunks_exact_mut(4)) {
        bytes.copy_from_slice(&word.wrapping_sub(start).to_be_bytes());
    }
    Digest::new(&digest)
}
