//! A hand-written version for one message: 95 ns for a block, compared with 120 ns of the lane kernel with one lane
//! (Xeon at 2.5 GHz, 2026-11-22).

use super::K;
use crate::machine::path::summed_first;

/// The 64 steps of RFC 1321, 3.4, in order. `$step` is a macro that takes the round (0 to 3), the four names, the index
/// of the constant, the index of the block's word, and the shift.
macro_rules! steps {
    ($step:ident, $a:ident $b:ident $c:ident $d:ident) => {
        steps!(16, $step, 0, $a $b $c $d, 1, 0, 7 12 17 22);
        steps!(16, $step, 1, $a $b $c $d, 5, 1, 5 9 14 20);
        steps!(16, $step, 2, $a $b $c $d, 3, 5, 4 11 16 23);
        steps!(16, $step, 3, $a $b $c $d, 7, 0, 6 10 15 21);
    };
    (16, $step:ident, $round:tt, $($name:ident)*, $by:literal, $from:literal, $($shift:literal)*) => {
        steps!(4, $step, $round, $($name)*, 0, $by, $from, $($shift)*);
        steps!(4, $step, $round, $($name)*, 4, $by, $from, $($shift)*);
        steps!(4, $step, $round, $($name)*, 8, $by, $from, $($shift)*);
        steps!(4, $step, $round, $($name)*, 12, $by, $from, $($shift)*);
    };
    (4, $step:ident, $round:tt, $a:ident $b:ident $c:ident $d:ident, $i:literal, $by:literal, $from:literal,
     $s0:literal $s1:literal $s2:literal $s3:literal) => {
        $step!($round, $a $b $c $d, 16 * $round + $i, ($by * $i + $from) % 16, $s0);
        $step!($round, $d $a $b $c, 16 * $round + $i + 1, ($by * ($i + 1) + $from) % 16, $s1);
        $step!($round, $c $d $a $b, 16 * $round + $i + 2, ($by * ($i + 2) + $from) % 16, $s2);
        $step!($round, $b $c $d $a, 16 * $round + $i + 3, ($by * ($i + 3) + $from) % 16, $s3);
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use steps;

/// Compresses blocks. Each step waits for the previous one, so each function is written for the shortest path from `b`
/// to the sum; the halves of `(d & b) | (!d & c)` share no bit and are added separately.
#[inline(always)]
pub(super) fn compress(state: &mut [u32; 4], blocks: &[u8]) {
    let [mut a, mut b, mut c, mut d] = *state;
    for block in blocks.chunks_exact(64) {
        let start = [a, b, c, d];
        macro_rules! word {
            ($i:expr) => {
                u32::from_le_bytes([block[4 * $i], block[4 * $i + 1], block[4 * $i + 2], block[4 * $i + 3]])
            };
        }
        macro_rules! step {
            (0, $a:ident $b:ident $c:ident $d:ident, $k:expr, $i:expr, $shift:literal) => {
                step!($a $b, 0, $k, $i, (($c ^ $d) & $b) ^ $d, $shift);
            };
            (1, $a:ident $b:ident $c:ident $d:ident, $k:expr, $i:expr, $shift:literal) => {
                step!($a $b, !$d & $c, $k, $i, $d & $b, $shift);
            };
            (2, $a:ident $b:ident $c:ident $d:ident, $k:expr, $i:expr, $shift:literal) => {
                step!($a $b, 0, $k, $i, summed_first($c ^ $d) ^ $b, $shift);
            };
            (3, $a:ident $b:ident $c:ident $d:ident, $k:expr, $i:expr, $shift:literal) => {
                step!($a $b, 0, $k, $i, $c ^ ($b | !$d), $shift);
            };
            ($a:ident $b:ident, $early:expr, $k:expr, $i:expr, $late:expr, $shift:literal) => {
                $a = summed_first($a.wrapping_add(K[$k]).wrapping_add(word!($i)).wrapping_add($early));
                $a = $a.wrapping_add($late).rotate_left($shift).wrapping_add($b);
            };
        }
        steps!(step, a b c d);
        a = a.wrapping_add(start[0]);
        b = b.wrapping_add(start[1]);
        c = c.wrapping_add(start[2]);
        d = d.wrapping_add(start[3]);
    }
    *state = [a, b, c, d];
}
