//! A hand-written version for one message: 288 ns for a block, compared with 335 ns of the lane kernel with one lane
//! (Xeon at 2.5 GHz, 2026-11-22).

use super::constants::K;

/// Defines the functions for SHA-2 with this word and these rotations: of the schedule, then of the sums.
macro_rules! sha2_single {
    ($word:ident, $n1:literal $n2:literal $n3:literal, $f1:literal $f2:literal $f3:literal,
     $e1:literal $e2:literal $e3:literal, $a1:literal $a2:literal $a3:literal) => {
        #[inline(always)]
        pub(super) fn compress(state: &mut [$word; 8], blocks: &[u8]) {
            for block in blocks.chunks_exact(16 * size_of::<$word>()) {
                compress_one(state, block);
            }
        }

        /// Compresses one block by FIPS 180-4, 6.2.2 and 6.4.2, with the schedule in sixteen words.
        #[inline(always)]
        fn compress_one(state: &mut [$word; 8], block: &[u8]) {
            let mut w = [0; 16];
            for (word, bytes) in w.iter_mut().zip(block.as_chunks::<{ size_of::<$word>() }>().0) {
                *word = $word::from_be_bytes(*bytes);
            }
            let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
            // Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b, and b ^ c is the a ^ b of the previous round.
            let mut older = b ^ c;
            macro_rules! round {
                ($t:expr, $i:literal, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
                    if $t > 0 {
                        let (near, far) = (w[($i + 14) % 16], w[($i + 1) % 16]);
                        let near = near.rotate_right($n1) ^ near.rotate_right($n2) ^ (near >> $n3);
                        let far = far.rotate_right($f1) ^ far.rotate_right($f2) ^ (far >> $f3);
                        w[$i] = w[$i].wrapping_add(near).wrapping_add(w[($i + 9) % 16]).wrapping_add(far);
                    }
                    $h = $h.wrapping_add(K[$t + $i]).wrapping_add(w[$i]).wrapping_add(($e & $f) ^ (!$e & $g));
                    $h = $h.wrapping_add($e.rotate_right($e1) ^ $e.rotate_right($e2) ^ $e.rotate_right($e3));
                    $d = $d.wrapping_add($h);
                    $h = $h.wrapping_add($a.rotate_right($a1) ^ $a.rotate_right($a2) ^ $a.rotate_right($a3));
                    let newer = $a ^ $b;
                    $h = $h.wrapping_add((newer & older) ^ $b);
                    older = newer;
                };
            }
            for t in (0..K.len()).step_by(16) {
                round!(t, 0, a b c d e f g h);
                round!(t, 1, h a b c d e f g);
                round!(t, 2, g h a b c d e f);
                round!(t, 3, f g h a b c d e);
                round!(t, 4, e f g h a b c d);
                round!(t, 5, d e f g h a b c);
                round!(t, 6, c d e f g h a b);
                round!(t, 7, b c d e f g h a);
                round!(t, 8, a b c d e f g h);
                round!(t, 9, h a b c d e f g);
                round!(t, 10, g h a b c d e f);
                round!(t, 11, f g h a b c d e);
                round!(t, 12, e f g h a b c d);
                round!(t, 13, d e f g h a b c);
                round!(t, 14, c d e f g h a b);
                round!(t, 15, b c d e f g h a);
            }
            for (word, more) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
                *word = word.wrapping_add(more);
            }
        }
    };
}
pub(crate) use sha2_single;

sha2_single!(u32, 17 19 10, 7 18 3, 6 11 25, 2 13 22);
