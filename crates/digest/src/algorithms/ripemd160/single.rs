//! A hand-written version for one message: 158 ns for a block, compared with 186 ns of the lane kernel with one lane
//! (Xeon at 2.5 GHz, 2026-11-22).

use super::{LEFT, RIGHT};
use crate::machine::path::summed_first;

#[inline(always)]
pub(super) fn compress(state: &mut [u32; 5], blocks: &[u8]) {
    for block in blocks.chunks_exact(64) {
        compress_one(state, block);
    }
}

/// Compresses one block, both lines side by side: neither waits for the other.
#[inline(always)]
fn compress_one(state: &mut [u32; 5], block: &[u8]) {
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    let [mut v, mut w, mut x, mut y, mut z] = *state;
    macro_rules! word {
        ($i:expr) => {
            u32::from_le_bytes([block[4 * $i], block[4 * $i + 1], block[4 * $i + 2], block[4 * $i + 3]])
        };
    }
    // Each function is written for the shortest path from its first argument, the newest, to the sum.
    macro_rules! step {
        (1, $line:ident, $r:literal, $s:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            step!($line, $r, $s, $a $c $e, 0, summed_first($c ^ $d) ^ $b);
        };
        (2, $line:ident, $r:literal, $s:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            step!($line, $r, $s, $a $c $e, 0, (($c ^ $d) & $b) ^ $d);
        };
        (3, $line:ident, $r:literal, $s:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            step!($line, $r, $s, $a $c $e, 0, ($b | !$c) ^ $d);
        };
        (4, $line:ident, $r:literal, $s:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            step!($line, $r, $s, $a $c $e, $c & !$d, $b & $d);
        };
        (5, $line:ident, $r:literal, $s:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            step!($line, $r, $s, $a $c $e, 0, $b ^ ($c | !$d));
        };
        ($line:ident, $r:literal, $s:expr, $a:ident $c:ident $e:ident, $early:expr, $late:expr) => {
            let (add, word) = const { ($line.add[$r], $line.word[$r][$s]) };
            $a = summed_first($a.wrapping_add(add).wrapping_add(word!(word)).wrapping_add($early));
            $a = $a.wrapping_add($late).rotate_left(const { $line.shift[$r][$s] }).wrapping_add($e);
            $c = $c.rotate_left(10);
        };
    }
    // Sixteen steps of both lines. After each, the names move by one.
    macro_rules! round {
        ($r:literal, $f:tt $g:tt, $s:expr, [], $($names:ident)*) => {};
        ($r:literal, $f:tt $g:tt, $s:expr, [. $($more:tt)*],
         $a:ident $b:ident $c:ident $d:ident $e:ident $v:ident $w:ident $x:ident $y:ident $z:ident) => {
            step!($f, LEFT, $r, $s, $a $b $c $d $e);
            step!($g, RIGHT, $r, $s, $v $w $x $y $z);
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
