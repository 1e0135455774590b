//! A hand-written version for one message: 279 ns for a block, compared with 308 ns of the lane kernel with one lane
//! (Xeon at 2.5 GHz, 2026-11-22).

use super::constant;

#[inline(always)]
pub(super) fn compress(state: &mut [u32; 8], blocks: &[u8]) {
    for block in blocks.chunks_exact(64) {
        compress_one(state, block);
    }
}

/// Compresses one block by GB/T 32905, 5.3.2 and 5.3.3, with the expanded message in sixteen words.
#[inline(always)]
fn compress_one(state: &mut [u32; 8], block: &[u8]) {
    let mut w = [0; 16];
    for (word, bytes) in w.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    macro_rules! round {
        ($kind:ident, $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
            let turned = $a.rotate_left(12);
            let first = turned.wrapping_add($e).wrapping_add(const { constant($t) }).rotate_left(7);
            if $t >= 12 {
                let word = w[($t + 4) % 16] ^ w[($t + 11) % 16] ^ w[($t + 1) % 16].rotate_left(15);
                let mixed = word ^ word.rotate_left(15) ^ word.rotate_left(23);
                w[($t + 4) % 16] = mixed ^ w[($t + 7) % 16].rotate_left(7) ^ w[($t + 14) % 16];
            }
            let word = w[$t % 16];
            $h = $h.wrapping_add(word).wrapping_add(round!($kind e, $e $f $g)).wrapping_add(first);
            $d = $d.wrapping_add(word ^ w[($t + 4) % 16]).wrapping_add(round!($kind a, $a $b $c));
            $d = $d.wrapping_add(first ^ turned);
            $b = $b.rotate_left(9);
            $f = $f.rotate_left(19);
            $h = $h ^ $h.rotate_left(9) ^ $h.rotate_left(17);
        };
        (early $side:ident, $x:ident $y:ident $z:ident) => {
            $x ^ $y ^ $z
        };
        (late a, $x:ident $y:ident $z:ident) => {
            ($x & $y) | ($z & ($x | $y))
        };
        (late e, $x:ident $y:ident $z:ident) => {
            ($x & $y) ^ (!$x & $z)
        };
    }
    // After a round the words have moved by one: (a, b, c, d) to (d, a, b, c), (e, f, g, h) to (h, e, f, g).
    macro_rules! four {
        ($kind:ident, $($t:literal)*) => {$(
            round!($kind, $t, a b c d e f g h);
            round!($kind, $t + 1, d a b c h e f g);
            round!($kind, $t + 2, c d a b g h e f);
            round!($kind, $t + 3, b c d a f g h e);
        )*};
    }
    four!(early, 0 4 8 12);
    four!(late, 16 20 24 28 32 36 40 44 48 52 56 60);
    for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word ^= more;
    }
}
