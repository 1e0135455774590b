//! RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996; ISO/IEC 10118-3).

use crate::Digest;
use crate::block::{BlockHash, Blocks, Length};
use crate::hw::{self, Choice, settled};

/// The streaming hash.
pub(crate) type Ripemd160 = Blocks<Variant, 64>;

pub(crate) static CHOICE: Choice<[u32; 5]> = Choice::new(hw::RIPEMD160, compress);

/// RIPEMD-160's start and digest.
pub(crate) struct Variant;

impl BlockHash<64> for Variant {
    type State = [u32; 5];
    const START: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    const LENGTH: Length = Length::Little64;
    fn choice() -> &'static Choice<[u32; 5]> {
        &CHOICE
    }
    fn digest(state: &[u32; 5]) -> Digest {
        Digest::new(state.map(u32::to_le_bytes).as_flattened())
    }
}

/// Takes blocks.
#[inline(always)]
pub(crate) fn compress(state: &mut [u32; 5], blocks: &[u8]) {
    for block in blocks.chunks_exact(64) {
        compress_one(state, block);
    }
}

/// Both lines of one block, step by step side by side: neither waits for the other.
#[inline(always)]
fn compress_one(state: &mut [u32; 5], block: &[u8]) {
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    let [mut v, mut w, mut x, mut y, mut z] = *state;
    macro_rules! word {
        ($i:expr) => {
            u32::from_le_bytes([block[4 * $i], block[4 * $i + 1], block[4 * $i + 2], block[4 * $i + 3]])
        };
    }
    // Each function is written for the shortest way from its first argument, the newest, to the sum.
    macro_rules! step {
        (1, $k:expr, $a:ident $b:ident $c:ident $d:ident $e:ident, $i:expr, $shift:expr) => {
            step!($k, $a $c $e, 0, settled($c ^ $d) ^ $b, $i, $shift);
        };
        (2, $k:expr, $a:ident $b:ident $c:ident $d:ident $e:ident, $i:expr, $shift:expr) => {
            step!($k, $a $c $e, 0, (($c ^ $d) & $b) ^ $d, $i, $shift);
        };
        (3, $k:expr, $a:ident $b:ident $c:ident $d:ident $e:ident, $i:expr, $shift:expr) => {
            step!($k, $a $c $e, 0, ($b | !$c) ^ $d, $i, $shift);
        };
        (4, $k:expr, $a:ident $b:ident $c:ident $d:ident $e:ident, $i:expr, $shift:expr) => {
            step!($k, $a $c $e, $c & !$d, $b & $d, $i, $shift);
        };
        (5, $k:expr, $a:ident $b:ident $c:ident $d:ident $e:ident, $i:expr, $shift:expr) => {
            step!($k, $a $c $e, 0, $b ^ ($c | !$d), $i, $shift);
        };
        ($k:expr, $a:ident $c:ident $e:ident, $early:expr, $late:expr, $i:expr, $shift:expr) => {
            $a = settled($a.wrapping_add($k).wrapping_add(word!($i)).wrapping_add($early));
            $a = $a.wrapping_add($late).rotate_left($shift).wrapping_add($e);
            $c = $c.rotate_left(10);
        };
    }
    // Sixteen steps of both lines. After each the names move by one.
    macro_rules! round {
        ($r:literal, $f:tt $g:tt, $s:expr, [], $($names:ident)*) => {};
        ($r:literal, $f:tt $g:tt, $s:expr, [. $($more:tt)*],
         $a:ident $b:ident $c:ident $d:ident $e:ident $v:ident $w:ident $x:ident $y:ident $z:ident) => {
            step!($f, K[0][$r], $a $b $c $d $e, WORD[0][$r][$s], SHIFT[0][$r][$s]);
            step!($g, K[1][$r], $v $w $x $y $z, WORD[1][$r][$s], SHIFT[1][$r][$s]);
            round!($r, $f $g, $s + 1, [$($more)*], $e $a $b $c $d $z $v $w $x $y);
        };
    }
    round!(0, 1 5, 0, [. . . . . . . . . . . . . . . .], a b c d e v w x y z);
    round!(1, 2 4, 0, [. . . . . . . . . . . . . . . .], e a b c d z v w x y);
    round!(2, 3 3, 0, [. . . . . . . . . . . . . . . .], d e a b c y z v w x);
    round!(3, 4 2, 0, [. . . . . . . . . . . . . . . .], c d e a b x y z v w);
    round!(4, 5 1, 0, [. . . . . . . . . . . . . . . .], b c d e a w x y z v);
    let [h0, h1, h2, h3, h4] = *state;
    *state = [
        h1.wrapping_add(c).wrapping_add(y),
        h2.wrapping_add(d).wrapping_add(z),
        h3.wrapping_add(e).wrapping_add(v),
        h4.wrapping_add(a).wrapping_add(w),
        h0.wrapping_add(b).wrapping_add(x),
    ];
}

/// The constants of the left and the right line, one a round.
const K: [[u32; 5]; 2] = [
    [0, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e],
    [0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0],
];

/// Which word of the block each step takes.
const WORD: [[[usize; 16]; 5]; 2] = [
    [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8],
        [3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12],
        [1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2],
        [4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13],
    ],
    [
        [5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12],
        [6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2],
        [15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13],
        [8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14],
        [12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11],
    ],
];

/// How far each step rotates.
const SHIFT: [[[u32; 16]; 5]; 2] = [
    [
        [11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8],
        [7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12],
        [11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5],
        [11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12],
        [9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6],
    ],
    [
        [8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6],
        [9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11],
        [9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5],
        [15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8],
        [8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11],
    ],
];

#[cfg(test)]
mod tests {
    #[test]
    fn every_path_agrees() {
        crate::hw::assert_paths_agree(&super::CHOICE, <super::Variant as super::BlockHash<64>>::START, 64);
    }
}
