//! Tiger with 192 bits and the padding of its first version (Anderson and Biham, "Tiger: a fast new hash
//! function", 1996): what hashdeep calls tiger.
//!
//! The four substitution boxes are made by Tiger itself from one sentence, as its authors made them.

use crate::block::{BlockHash, Padding, kernel};
use crate::lanes::vector::Order;
use crate::path::opaque;
use std::sync::LazyLock;

type Boxes = [[u64; 256]; 4];

/// The 192-bit hash.
pub(crate) struct Tiger;

impl BlockHash for Tiger {
    type Kernel = Compress;
    const PADDING: Padding = Padding::Length { mark: 1, bytes: 8, order: Order::Little };
    const BYTES: usize = 24;
    const START: [u64; 3] = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 0xf096_a5b4_c3b2_e187];
}

kernel! {
    /// The compression function.
    u64, 3 by 8, Little;
    best: [];
    always: |state, blocks| compress(&BOXES, state, blocks)
}

/// Takes blocks.
fn compress(boxes: &Boxes, state: &mut [u64; 3], blocks: &[u8]) {
    for block in blocks.as_chunks::<8>().0.as_chunks::<8>().0 {
        let mut words = block.map(u64::from_le_bytes);
        let [mut a, mut b, mut c] = *state;
        pass(boxes, [&mut a, &mut b, &mut c], &words, 5);
        schedule(&mut words);
        pass(boxes, [&mut c, &mut a, &mut b], &words, 7);
        schedule(&mut words);
        pass(boxes, [&mut b, &mut c, &mut a], &words, 9);
        *state = [a ^ state[0], b.wrapping_sub(state[1]), c.wrapping_add(state[2])];
    }
}

/// Eight rounds; the three words change places after each.
#[inline(always)]
fn pass(boxes: &Boxes, [a, b, c]: [&mut u64; 3], words: &[u64; 8], factor: u64) {
    round(boxes, [a, b, c], words[0], factor);
    round(boxes, [b, c, a], words[1], factor);
    round(boxes, [c, a, b], words[2], factor);
    round(boxes, [a, b, c], words[3], factor);
    round(boxes, [b, c, a], words[4], factor);
    round(boxes, [c, a, b], words[5], factor);
    round(boxes, [a, b, c], words[6], factor);
    round(boxes, [b, c, a], words[7], factor);
}

#[inline(always)]
fn round(boxes: &Boxes, [a, b, c]: [&mut u64; 3], word: u64, factor: u64) {
    *c ^= word;
    // Two bytes at a time, which processors take out of a word's low end most cheaply: 104 ns a block where shifts
    // by each byte's place take 109 (Cascade Lake, 2026-11-22).
    let first = *c;
    let second = opaque(first >> 16);
    let third = opaque(second >> 16);
    let fourth = opaque(third >> 16);
    let low = |word: u64| word as usize & 255;
    let high = |word: u64| (word >> 8) as usize & 255;
    let even = boxes[0][low(first)] ^ boxes[1][low(second)] ^ boxes[2][low(third)] ^ boxes[3][low(fourth)];
    let odd = boxes[3][high(first)] ^ boxes[2][high(second)] ^ boxes[1][high(third)] ^ boxes[0][high(fourth)];
    *a = a.wrapping_sub(even);
    *b = b.wrapping_add(odd).wrapping_mul(factor);
}

#[inline(always)]
fn schedule(x: &mut [u64; 8]) {
    x[0] = x[0].wrapping_sub(x[7] ^ 0xa5a5_a5a5_a5a5_a5a5);
    x[1] ^= x[0];
    x[2] = x[2].wrapping_add(x[1]);
    x[3] = x[3].wrapping_sub(x[2] ^ (!x[1] << 19));
    x[4] ^= x[3];
    x[5] = x[5].wrapping_add(x[4]);
    x[6] = x[6].wrapping_sub(x[5] ^ (!x[4] >> 23));
    x[7] ^= x[6];
    x[0] = x[0].wrapping_add(x[7]);
    x[1] = x[1].wrapping_sub(x[0] ^ (!x[7] << 19));
    x[2] ^= x[1];
    x[3] = x[3].wrapping_add(x[2]);
    x[4] = x[4].wrapping_sub(x[3] ^ (!x[2] >> 23));
    x[5] ^= x[4];
    x[6] = x[6].wrapping_add(x[5]);
    x[7] = x[7].wrapping_sub(x[6] ^ 0x0123_4567_89ab_cdef);
}

static BOXES: LazyLock<Boxes> = LazyLock::new(boxes);

/// Makes the boxes: in five passes every byte changes places with one of its column, chosen by the state
/// of Tiger itself, which runs over the sentence with the boxes as they are so far.
fn boxes() -> Boxes {
    const SENTENCE: &[u8; 64] = b"Tiger - A Fast New Hash Function, by Ross Anderson and Eli Biham";
    let mut boxes: Boxes = [const { identity() }; 4];
    let mut state = Tiger::START;
    let mut word = 2;
    for row in (0..5).flat_map(|_| 0..256) {
        for which in 0..4 {
            word = (word + 1) % 3;
            if word == 0 {
                compress(&boxes, &mut state, SENTENCE);
            }
            exchange(&mut boxes[which], row, state[word]);
        }
    }
    boxes
}

/// Exchanges each byte of a row with the one in its column that `others` names.
fn exchange(table: &mut [u64; 256], row: usize, others: u64) {
    for column in 0..8 {
        let other = (others >> (8 * column)) as usize & 255;
        let differ = (table[row] ^ table[other]) & (255 << (8 * column));
        table[row] ^= differ;
        table[other] ^= differ;
    }
}

/// In every column the bytes 0 to 255 in order.
const fn identity() -> [u64; 256] {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = i as u64 * 0x0101_0101_0101_0101;
        i += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_boxes_are_those_of_the_reference() {
        // First and last entries of the authors' sboxes.c.
        assert_eq!(super::BOXES[0][0], 0x02aa_b17c_f7e9_0c5e);
        assert_eq!(super::BOXES[3][255], 0xc3a0_396f_7363_a51f);
    }
}
