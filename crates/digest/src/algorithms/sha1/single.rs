//! A hand-written version for one message: 111 ns for a block (with BMI), compared with 132 ns of the lane kernel with
//! one lane (Xeon at 2.5 GHz, 2026-11-22).

use super::constants::K;

#[inline(always)]
pub(super) fn compress(state: &mut [u32; 5], blocks: &[u8]) {
    for block in blocks.chunks_exact(64) {
        compress_one(state, block);
    }
}

/// Compresses one block by FIPS 180-4, 6.1.3, with the schedule in sixteen words.
#[inline(always)]
fn compress_one(state: &mut [u32; 5], block: &[u8]) {
    let mut w = [0; 16];
    for (word, bytes) in w.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    // The halves of a function share no bit and are added separately, so the sum waits for neither.
    macro_rules! round {
        (choose, $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            $e = $e.wrapping_add($b & $c).wrapping_add(!$b & $d);
            round!($t, $a $b $e);
        };
        (parity, $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            $e = $e.wrapping_add($b ^ $c ^ $d);
            round!($t, $a $b $e);
        };
        (majority, $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            $e = $e.wrapping_add($c & $d).wrapping_add($b & ($c ^ $d));
            round!($t, $a $b $e);
        };
        ($t:expr, $a:ident $b:ident $e:ident) => {
            if $t >= 16 {
                let word = w[($t + 13) % 16] ^ w[($t + 8) % 16] ^ w[($t + 2) % 16] ^ w[$t % 16];
                w[$t % 16] = word.rotate_left(1);
            }
            $e = $e.wrapping_add(w[$t % 16]).wrapping_add(K[$t / 20]).wrapping_add($a.rotate_left(5));
            $b = $b.rotate_left(30);
        };
    }
    macro_rules! five {
        ($kind:ident, $($t:literal)*) => {$(
            round!($kind, $t, a b c d e);
            round!($kind, $t + 1, e a b c d);
            round!($kind, $t + 2, d e a b c);
            round!($kind, $t + 3, c d e a b);
            round!($kind, $t + 4, b c d e a);
        )*};
    }
    five!(choose, 0 5 10 15);
    five!(parity, 20 25 30 35);
    five!(majority, 40 45 50 55);
    five!(parity, 60 65 70 75);
    for (word, more) in state.iter_mut().zip([a, b, c, d, e]) {
        *word = word.wrapping_add(more);
    }
}
