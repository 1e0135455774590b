//! BLAKE3: the compression function for our lanes, which hash many small messages. The authors' crate does the rest.

mod bank;
mod forced;
mod hasher;
mod key;
mod keyed;
mod output;
mod tree;

use super::blake2::{iv, round};
use super::sha256::Sha256;
use crate::block::{BlockHash, LaneKernel, kernel};
use crate::lanes::costs::{Costs, costs};
use crate::lanes::one_lane;
use crate::lanes::vector::{Vector, unroll};
pub(crate) use bank::{lanes, planned};
pub(crate) use hasher::{Hasher, own};
pub use key::{KEY_BYTES, Key};
pub(crate) use keyed::{KeyedTree, by_no_context, by_no_key, of_length as keyed_of_length};
pub use keyed::{with_context, with_key};
pub(crate) use output::of_length;
pub(crate) use tree::{Blake3Tree, again};

kernel! {
    /// BLAKE3, section 2.2. State: the chaining value, the chunk's number (low, high), the block's length, the flags.
    /// [`START`](flag::START) is cleared after the block.
    u32, 12 by 16, Little;
    best: [];
    always: one_lane::<Compress>
}

/// BLAKE3's flags, table 3.
pub(crate) mod flag {
    /// The first block of a chunk.
    pub(crate) const START: u32 = 1;
    /// The last block of a chunk.
    pub(crate) const END: u32 = 2;
    /// A node of two children.
    pub(crate) const PARENT: u32 = 4;
    /// The last compression of a message.
    pub(crate) const ROOT: u32 = 8;
}

impl LaneKernel for Compress {
    const PLACE: usize = 9;
    const COSTS: [Costs; 2] = costs! { "blake3":
        with_avx512: alone 67, hardware 67, Portable [78, 174], Neon [121, 251], Sse41 [121, 251],
            Avx2 [140, 278], Avx512 [195, 378];
        up_to_avx2: alone 75, hardware 75, Portable [88, 0], Neon [135, 0], Sse41 [135, 0], Avx2 [153, 0];
    };

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(simd: V::Simd, state: &mut [V; 12], block: &mut [V; 16]) {
        let [h0, h1, h2, h3, h4, h5, h6, h7, low, high, length, flags] = *state;
        let iv = iv(simd, &Sha256::START);
        let mut v = [h0, h1, h2, h3, h4, h5, h6, h7, iv[0], iv[1], iv[2], iv[3], low, high, length, flags];
        unroll!(i in 0..7 { round(&mut v, block, &ORDER[i], [16, 12, 8, 7]); });
        unroll!(i in 0..8 { state[i] = v[i] ^ v[i + 8]; });
        state[11] = flags & V::splat(simd, !flag::START);
    }
}

/// The permutation of table 2, applied once more for each round.
const ORDER: [[usize; 16]; 7] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8],
    [3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1],
    [10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6],
    [12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4],
    [9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7],
    [11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13],
];
