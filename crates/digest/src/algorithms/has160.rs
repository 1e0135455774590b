//! HAS-160, TTAS.KO-12.0011/R1, a South Korean standard.

use crate::block::{BlockHash, Padding, kernel};

pub(crate) struct Has160;

impl BlockHash for Has160 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::LITTLE64;
    const BYTES: usize = 20;
    const START: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
}

kernel! {
    /// The compression function.
    u32, 5 by 16, Little;
    best: [];
    always: compress
}

fn compress(state: &mut [u32; 5], blocks: &[u8]) {
    for block in blocks.as_chunks::<4>().0.as_chunks::<16>().0 {
        let words = block.map(u32::from_le_bytes);
        let mut work = *state;
        for round in 0..4 {
            turn(&mut work, &words, round);
        }
        for (word, more) in state.iter_mut().zip(work) {
            *word = word.wrapping_add(more);
        }
    }
}

/// Runs twenty steps: each group of four words of the block follows the sum of the group two quarters later.
#[inline(always)]
fn turn(work: &mut [u32; 5], words: &[u32; 16], round: usize) {
    let order = ORDER[round].as_chunks::<4>().0;
    for quarter in 0..4 {
        let mixed = order[(quarter + 2) % 4].iter().fold(0, |sum, at| sum ^ words[*at]);
        step(work, mixed, round, 5 * quarter);
        for (place, at) in order[quarter].iter().enumerate() {
            step(work, words[*at], round, 5 * quarter + 1 + place);
        }
    }
}

#[inline(always)]
fn step(work: &mut [u32; 5], word: u32, round: usize, step: usize) {
    let [a, b, c, d, e] = *work;
    let mixed = match round {
        0 => d ^ (b & (c ^ d)),
        2 => c ^ (b | !d),
        _ => b ^ c ^ d,
    };
    let sum = a.rotate_left(TURN_A[step]).wrapping_add(mixed).wrapping_add(e).wrapping_add(word);
    *work = [sum.wrapping_add(K[round]), a, b.rotate_left(TURN_B[round]), c, d];
}

const K: [u32; 4] = [0, 0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc];

const TURN_A: [u32; 20] = [5, 11, 7, 15, 6, 13, 8, 14, 7, 12, 9, 11, 8, 15, 6, 12, 9, 14, 5, 13];

const TURN_B: [u32; 4] = [10, 17, 25, 30];

const ORDER: [[usize; 16]; 4] = [
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    [3, 6, 9, 12, 15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13, 0],
    [12, 5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3],
    [7, 2, 13, 8, 3, 14, 9, 4, 15, 10, 5, 0, 11, 6, 1, 12],
];
