//! BLAKE2b and BLAKE2s, RFC 7693, and BLAKE3's compression function, which is BLAKE2s's with seven rounds.
//!
//! The state carries what else goes into a compression (counter, flags), so that every lane has its own.

use super::{BlockHash, Kernel, Padding, Start};
use crate::lanes::{Lanes, Order, unroll};

/// BLAKE2b with a digest of so many bytes.
pub(crate) struct Blake2b<const BYTES: usize>;

impl<const BYTES: usize> BlockHash for Blake2b<BYTES> {
    type Kernel = Compress2b;
    const PADDING: Padding = Padding::Held;
    const BYTES: usize = BYTES;
    const START: Start<Self> = {
        let [h0, h1, h2, h3, h4, h5, h6, h7] = IV64;
        [h0 ^ 0x0101_0000 ^ BYTES as u64, h1, h2, h3, h4, h5, h6, h7, 0, 0]
    };
}

/// BLAKE2s with a digest of so many bytes.
pub(crate) struct Blake2s<const BYTES: usize>;

impl<const BYTES: usize> BlockHash for Blake2s<BYTES> {
    type Kernel = Compress2s;
    const PADDING: Padding = Padding::Held;
    const BYTES: usize = BYTES;
    const START: Start<Self> = {
        let [h0, h1, h2, h3, h4, h5, h6, h7] = IV32;
        [h0 ^ 0x0101_0000 ^ BYTES as u32, h1, h2, h3, h4, h5, h6, h7, 0, 0, 0]
    };
}

/// Section 3.2 for BLAKE2b. State: the hash, the bytes before this block, the flag of the last block.
/// The counter's upper half is left out: no message has 2^64 bytes.
pub(crate) struct Compress2b;

impl Kernel for Compress2b {
    type Word = u64;
    type State<T: Copy + Send> = [T; 10];
    type Block<T: Copy + Send> = [T; 16];
    const NAME: &'static str = "blake2b";
    const ORDER: Order = Order::Little;

    #[inline(always)]
    fn compress<L: Lanes<Word = u64>>(isa: L::Isa, state: &mut [L; 10], block: &mut [L; 16]) {
        let [h0, h1, h2, h3, h4, h5, h6, h7, count, last] = *state;
        let count = count + L::splat(isa, 128);
        let iv = iv(isa, &IV64);
        let mut v = [
            h0,
            h1,
            h2,
            h3,
            h4,
            h5,
            h6,
            h7,
            iv[0],
            iv[1],
            iv[2],
            iv[3],
            iv[4] ^ count,
            iv[5],
            iv[6] ^ last,
            iv[7],
        ];
        unroll!(i in 0..10 { round(&mut v, block, &ORDER2[i], [32, 24, 16, 63]); });
        round(&mut v, block, &ORDER2[0], [32, 24, 16, 63]);
        round(&mut v, block, &ORDER2[1], [32, 24, 16, 63]);
        unroll!(i in 0..8 { state[i] = state[i].xor3(v[i], v[i + 8]); });
        state[8] = count;
    }

    fn mark_last(state: &mut [u64; 10], total: u64) {
        state[8] = total.wrapping_sub(128);
        state[9] = u64::MAX;
    }
}

/// Section 3.2 for BLAKE2s. State: the hash, the bytes before this block (low, high), the flag of the last
/// block.
pub(crate) struct Compress2s;

impl Kernel for Compress2s {
    type Word = u32;
    type State<T: Copy + Send> = [T; 11];
    type Block<T: Copy + Send> = [T; 16];
    const NAME: &'static str = "blake2s";
    const ORDER: Order = Order::Little;

    #[inline(always)]
    fn compress<L: Lanes<Word = u32>>(isa: L::Isa, state: &mut [L; 11], block: &mut [L; 16]) {
        let [h0, h1, h2, h3, h4, h5, h6, h7, low, high, last] = *state;
        let sum = low + L::splat(isa, 64);
        // The sum has carried where the old top bit is set and the new one is not.
        let high = high + (low & !sum).shr(31);
        let iv = iv(isa, &IV32);
        let mut v = [
            h0,
            h1,
            h2,
            h3,
            h4,
            h5,
            h6,
            h7,
            iv[0],
            iv[1],
            iv[2],
            iv[3],
            iv[4] ^ sum,
            iv[5] ^ high,
            iv[6] ^ last,
            iv[7],
        ];
        unroll!(i in 0..10 { round(&mut v, block, &ORDER2[i], [16, 12, 8, 7]); });
        unroll!(i in 0..8 { state[i] = state[i].xor3(v[i], v[i + 8]); });
        state[8] = sum;
        state[9] = high;
    }

    fn mark_last(state: &mut [u32; 11], total: u64) {
        let before = total.wrapping_sub(64);
        state[8] = before as u32;
        state[9] = (before >> 32) as u32;
        state[10] = u32::MAX;
    }
}

/// BLAKE3, section 2.2. State: the chaining value, the chunk's number (low, high), the block's length, the
/// flags. [`START`](flag::START) is taken away after the block.
pub(crate) struct Compress3;

/// BLAKE3's flags, table 3.
pub(crate) mod flag {
    /// First block of a chunk.
    pub(crate) const START: u32 = 1;
    /// Last block of a chunk.
    pub(crate) const END: u32 = 2;
    /// A node of two children.
    pub(crate) const PARENT: u32 = 4;
    /// The last compression of a message.
    pub(crate) const ROOT: u32 = 8;
}

impl Kernel for Compress3 {
    type Word = u32;
    type State<T: Copy + Send> = [T; 12];
    type Block<T: Copy + Send> = [T; 16];
    const NAME: &'static str = "blake3";
    const ORDER: Order = Order::Little;

    #[inline(always)]
    fn compress<L: Lanes<Word = u32>>(isa: L::Isa, state: &mut [L; 12], block: &mut [L; 16]) {
        let [h0, h1, h2, h3, h4, h5, h6, h7, low, high, length, flags] = *state;
        let iv = iv(isa, &IV32);
        let mut v = [h0, h1, h2, h3, h4, h5, h6, h7, iv[0], iv[1], iv[2], iv[3], low, high, length, flags];
        round(&mut v, block, &ORDER3[0], [16, 12, 8, 7]);
        round(&mut v, block, &ORDER3[1], [16, 12, 8, 7]);
        round(&mut v, block, &ORDER3[2], [16, 12, 8, 7]);
        round(&mut v, block, &ORDER3[3], [16, 12, 8, 7]);
        round(&mut v, block, &ORDER3[4], [16, 12, 8, 7]);
        round(&mut v, block, &ORDER3[5], [16, 12, 8, 7]);
        round(&mut v, block, &ORDER3[6], [16, 12, 8, 7]);
        unroll!(i in 0..8 { state[i] = v[i] ^ v[i + 8]; });
        state[11] = flags & L::splat(isa, !flag::START);
    }
}

#[inline(always)]
fn iv<L: Lanes>(isa: L::Isa, words: &[L::Word; 8]) -> [L; 8] {
    let mut iv = [L::splat(isa, words[0]); 8];
    unroll!(i in 0..8 { iv[i] = L::splat(isa, words[i]); });
    iv
}

#[inline(always)]
fn round<L: Lanes>(v: &mut [L; 16], block: &[L; 16], order: &[usize; 16], turns: [u32; 4]) {
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

const IV64: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// SHA-256's start.
pub(crate) const IV32: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

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

/// The permutation of table 2, applied once more for each round.
const ORDER3: [[usize; 16]; 7] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8],
    [3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1],
    [10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6],
    [12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4],
    [9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7],
    [11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13],
];
