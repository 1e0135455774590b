//! Tiger with 192 bits and the padding of its first version (Anderson and Biham, "Tiger: a fast new hash
//! function", 1996): what hashdeep calls tiger.
//!
//! The four substitution boxes are made by Tiger itself from one sentence, as its authors made them.

use crate::block::{BlockHash, LaneKernel, Padding, kernel};
use crate::lanes::costs::BuiltIn;
use crate::lanes::portable::{One, Portable};
use crate::lanes::vector::{Order, Vector};
use crate::machine::Isa;
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
    always: |state, blocks| blocks_of_one(&BOXES, state, blocks)
}

impl LaneKernel for Compress {
    const NAME: &'static str = "tiger";
    const PLACE: usize = 11;
    /// A round waits for a look-up, and another message fills the time. Lanes of vectors are slower: their look-ups are
    /// gathered one by one.
    #[rustfmt::skip]
    const COSTS: BuiltIn = BuiltIn {
        with_avx512: (108, 108, [[108, 130], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]),
        up_to_avx2: (108, 108, [[108, 130], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]),
    };
    const PAIRS: &'static [Isa] = &[Isa::Portable];

    #[inline(always)]
    fn compress<V: Vector<Word = u64>>(simd: V::Simd, state: &mut [V; 3], block: &mut [V; 8]) {
        compress_by(&BOXES, simd, state, block);
    }
}

/// Takes blocks of one message, with boxes that may be unfinished.
fn blocks_of_one(boxes: &Boxes, state: &mut [u64; 3], blocks: &[u8]) {
    for block in blocks.as_chunks::<8>().0.as_chunks::<8>().0 {
        let mut words = [One::<u64>::splat(Portable, 0); 8];
        let mut chain = [One::<u64>::splat(Portable, 0); 3];
        for i in 0..8 {
            words[i] = One::<u64>::load(Portable, &[u64::from_le_bytes(block[i])]);
        }
        for i in 0..3 {
            chain[i] = One::<u64>::load(Portable, &state[i..]);
        }
        compress_by(boxes, Portable, &mut chain, &mut words);
        for i in 0..3 {
            chain[i].store(&mut state[i..]);
        }
    }
}

/// Takes one block of each lane.
#[inline(always)]
fn compress_by<V: Vector<Word = u64>>(boxes: &Boxes, simd: V::Simd, state: &mut [V; 3], x: &mut [V; 8]) {
    let [mut a, mut b, mut c] = *state;
    macro_rules! round {
        ($a:ident $b:ident $c:ident, $word:literal, $factor:ident) => {
            $c = $c ^ x[$word];
            // Two bytes at a time, which processors take out of a word's low end most cheaply.
            let second = $c.shr(16).opaque();
            let third = second.shr(16).opaque();
            let fourth = third.shr(16).opaque();
            let even = $c.look_up(simd, &boxes[0], 0)
                ^ second.look_up(simd, &boxes[1], 0)
                ^ third.look_up(simd, &boxes[2], 0)
                ^ fourth.look_up(simd, &boxes[3], 0);
            let odd = $c.look_up(simd, &boxes[3], 1)
                ^ second.look_up(simd, &boxes[2], 1)
                ^ third.look_up(simd, &boxes[1], 1)
                ^ fourth.look_up(simd, &boxes[0], 1);
            $a = less($a, even);
            $b = $factor($b + odd);
        };
    }
    /// Eight rounds; the three words change places after each.
    macro_rules! pass {
        ($a:ident $b:ident $c:ident, $factor:ident) => {
            round!($a $b $c, 0, $factor);
            round!($b $c $a, 1, $factor);
            round!($c $a $b, 2, $factor);
            round!($a $b $c, 3, $factor);
            round!($b $c $a, 4, $factor);
            round!($c $a $b, 5, $factor);
            round!($a $b $c, 6, $factor);
            round!($b $c $a, 7, $factor);
        };
    }
    pass!(a b c, times5);
    schedule(simd, x);
    pass!(c a b, times7);
    schedule(simd, x);
    pass!(b c a, times9);
    *state = [a ^ state[0], less(b, state[1]), c + state[2]];
}

/// The difference.
#[inline(always)]
fn less<V: Vector>(a: V, b: V) -> V {
    !(!a + b)
}

#[inline(always)]
fn times4<V: Vector>(word: V) -> V {
    let twice = word + word;
    twice + twice
}

#[inline(always)]
fn times5<V: Vector>(word: V) -> V {
    times4(word) + word
}

#[inline(always)]
fn times7<V: Vector>(word: V) -> V {
    let four = times4(word);
    less(four + four, word)
}

#[inline(always)]
fn times9<V: Vector>(word: V) -> V {
    let four = times4(word);
    four + four + word
}

#[inline(always)]
fn schedule<V: Vector<Word = u64>>(simd: V::Simd, x: &mut [V; 8]) {
    let high = V::splat(simd, !0 << 19);
    x[0] = less(x[0], x[7] ^ V::splat(simd, 0xa5a5_a5a5_a5a5_a5a5));
    x[1] = x[1] ^ x[0];
    x[2] = x[2] + x[1];
    x[3] = less(x[3], x[2] ^ ((!x[1]).rotl(19) & high));
    x[4] = x[4] ^ x[3];
    x[5] = x[5] + x[4];
    x[6] = less(x[6], x[5] ^ (!x[4]).shr(23));
    x[7] = x[7] ^ x[6];
    x[0] = x[0] + x[7];
    x[1] = less(x[1], x[0] ^ ((!x[7]).rotl(19) & high));
    x[2] = x[2] ^ x[1];
    x[3] = x[3] + x[2];
    x[4] = less(x[4], x[3] ^ (!x[2]).shr(23));
    x[5] = x[5] ^ x[4];
    x[6] = x[6] + x[5];
    x[7] = less(x[7], x[6] ^ V::splat(simd, 0x0123_4567_89ab_cdef));
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
                blocks_of_one(&boxes, &mut state, SENTENCE);
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
