//! BLAKE2b and BLAKE2s, RFC 7693. Single streams use the authors' crates.
//!
//! The state includes the other inputs of a compression (counter, flags), so that every lane has its own.

mod library;
mod output;
mod parameters;

use super::sha256::Sha256;
use super::sha512::Sha512;
use crate::block::{BlockHash, Kernel, LaneKernel, Padding, State};
use crate::lanes::costs::{Costs, costs};
use crate::lanes::one_lane;
use crate::lanes::vector::{Order, Vector, unroll};
use crate::machine::Isa;
use crate::machine::path::Path;
pub(crate) use library::{Blake2bLibrary, Blake2sLibrary};
pub(crate) use output::{blake2b, blake2s};
pub use parameters::{BadBlake2, Blake2, Blake2Parameters};

/// BLAKE2b with a digest of this many bytes.
pub(crate) struct Blake2b<const BYTES: usize>;

impl<const BYTES: usize> BlockHash for Blake2b<BYTES> {
    type Kernel = Compress2b;
    const PADDING: Padding = Padding::Held;
    const BYTES: usize = BYTES;
    const START: State<Self::Kernel> = {
        let [h0, h1, h2, h3, h4, h5, h6, h7] = Sha512::START;
        [h0 ^ 0x0101_0000 ^ BYTES as u64, h1, h2, h3, h4, h5, h6, h7, 0, 0]
    };
}

/// BLAKE2s with a digest of this many bytes.
pub(crate) struct Blake2s<const BYTES: usize>;

impl<const BYTES: usize> BlockHash for Blake2s<BYTES> {
    type Kernel = Compress2s;
    const PADDING: Padding = Padding::Held;
    const BYTES: usize = BYTES;
    const START: State<Self::Kernel> = {
        let [h0, h1, h2, h3, h4, h5, h6, h7] = Sha256::START;
        [h0 ^ 0x0101_0000 ^ BYTES as u32, h1, h2, h3, h4, h5, h6, h7, 0, 0, 0]
    };
}

/// Section 3.2 for BLAKE2b. State: the hash, the bytes before this block, the flag of the last block. The counter's
/// upper half is omitted: no message has 2^64 bytes.
pub(crate) struct Compress2b;

impl Kernel for Compress2b {
    type Word = u64;
    type State<T: Copy + Send> = [T; 10];
    type Block<T: Copy + Send> = [T; 16];
    const ORDER: Order = Order::Little;

    fn path(_: Isa) -> Path<State<Self>> {
        Path::portable(one_lane::<Self>)
    }

    fn mark_last(state: &mut [u64; 10], total: u64) {
        state[8] = total.wrapping_sub(128);
        state[9] = u64::MAX;
    }
}

impl LaneKernel for Compress2b {
    const PLACE: usize = 7;
    const COSTS: [Costs; 2] = costs! { "blake2b":
        with_avx512: alone 121, hardware 121, Portable [121, 340], Neon [171, 580], Sse41 [171, 580],
            Avx2 [186, 325], Avx512 [252, 510];
        up_to_avx2: alone 139, hardware 139, Portable [142, 0], Neon [181, 0], Sse41 [181, 0], Avx2 [195, 0];
    };

    #[inline(always)]
    fn compress<V: Vector<Word = u64>>(simd: V::Simd, state: &mut [V; 10], block: &mut [V; 16]) {
        let [h0, h1, h2, h3, h4, h5, h6, h7, count, last] = *state;
        let count = count + V::splat(simd, 128);
        let iv = iv(simd, &Sha512::START);
        #[rustfmt::skip]
        let mut v = [
            h0, h1, h2, h3, h4, h5, h6, h7,
            iv[0], iv[1], iv[2], iv[3], iv[4] ^ count, iv[5], iv[6] ^ last, iv[7],
        ];
        unroll!(i in 0..10 { round(&mut v, block, &ORDER2[i], [32, 24, 16, 63]); });
        round(&mut v, block, &ORDER2[0], [32, 24, 16, 63]);
        round(&mut v, block, &ORDER2[1], [32, 24, 16, 63]);
        unroll!(i in 0..8 { state[i] = state[i].xor3(v[i], v[i + 8]); });
        state[8] = count;
    }
}

/// Section 3.2 for BLAKE2s. State: the hash, the bytes before this block (low, high), the flag of the last
/// block.
pub(crate) struct Compress2s;

impl Kernel for Compress2s {
    type Word = u32;
    type State<T: Copy + Send> = [T; 11];
    type Block<T: Copy + Send> = [T; 16];
    const ORDER: Order = Order::Little;

    fn path(_: Isa) -> Path<State<Self>> {
        Path::portable(one_lane::<Self>)
    }

    fn mark_last(state: &mut [u32; 11], total: u64) {
        let before = total.wrapping_sub(64);
        state[8] = before as u32;
        state[9] = (before >> 32) as u32;
        state[10] = u32::MAX;
    }
}

impl LaneKernel for Compress2s {
    const PLACE: usize = 8;
    #[rustfmt::skip]
    const COSTS: [Costs; 2] = costs! { "blake2s":
        with_avx512: alone 100, hardware 100, Portable [101, 210], Neon [159, 530], Sse41 [159, 530],
            Avx2 [171, 333], Avx512 [217, 441];
        up_to_avx2: alone 114, hardware 114, Portable [115, 0], Neon [165, 0], Sse41 [165, 0], Avx2 [179, 0];
    };

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(simd: V::Simd, state: &mut [V; 11], block: &mut [V; 16]) {
        let [h0, h1, h2, h3, h4, h5, h6, h7, low, high, last] = *state;
        let sum = low + V::splat(simd, 64);
        // The sum has carried if the old top bit is set and the new one is not.
        let high = high + (low & !sum).shr(31);
        let iv = iv(simd, &Sha256::START);
        #[rustfmt::skip]
        let mut v = [
            h0, h1, h2, h3, h4, h5, h6, h7,
            iv[0], iv[1], iv[2], iv[3], iv[4] ^ sum, iv[5] ^ high, iv[6] ^ last, iv[7],
        ];
        unroll!(i in 0..10 { round(&mut v, block, &ORDER2[i], [16, 12, 8, 7]); });
        unroll!(i in 0..8 { state[i] = state[i].xor3(v[i], v[i + 8]); });
        state[8] = sum;
        state[9] = high;
    }
}

/// Returns the same words in all lanes.
#[inline(always)]
pub(crate) fn iv<V: Vector>(simd: V::Simd, words: &[V::Word; 8]) -> [V; 8] {
    let mut iv = [V::splat(simd, words[0]); 8];
    unroll!(i in 0..8 { iv[i] = V::splat(simd, words[i]); });
    iv
}

/// Section 3.1: eight mixings, with the words of the block in this order, and these rotations.
#[inline(always)]
pub(crate) fn round<V: Vector>(v: &mut [V; 16], block: &[V; 16], order: &[usize; 16], turns: [u32; 4]) {
    macro_rules! mix {
        ($i:literal: $a:literal $b:literal $c:literal $d:literal) => {
            v[$a] = v[$a] + block[order[2 * $i]] + v[$b];
            v[$d] = (v[$d] ^ v[$a]).rotr(turns[0]);
            v[$c] = v[$c] + v[$d];
            v[$b] = (v[$b] ^ v[$c]).rotr(turns[1]);
            v[$a] = v[$a] + block[order[2 * $i + 1]] + v[$b];
            v[$d] = (v[$d] ^ v[$a]).rotr(turns[2]);
            v[$c] = v[$c] + v[$d];
            v[$b] = (v[$b] ^ v[$c]).rotr(turns[3]);
        };
    }
    mix!(0: 0 4 8 12);
    mix!(1: 1 5 9 13);
    mix!(2: 2 6 10 14);
    mix!(3: 3 7 11 15);
    mix!(4: 0 5 10 15);
    mix!(5: 1 6 11 12);
    mix!(6: 2 7 8 13);
    mix!(7: 3 4 9 14);
}

/// RFC 7693, section 2.7.
const ORDER2: [[usize; 16]; 10] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
    [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
    [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
    [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
    [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
    [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
    [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
    [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
