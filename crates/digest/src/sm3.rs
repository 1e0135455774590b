//! SM3 (GB/T 32905-2016, ISO/IEC 10118-3:2018).

use crate::Digest;
use crate::block::{BlockHash, Blocks, Length};
use crate::hw::{self, Choice};

/// The streaming hash.
pub(crate) type Sm3 = Blocks<Variant, 64>;

pub(crate) static CHOICE: Choice<[u32; 8]> = Choice::new(hw::SM3, compress);

/// SM3's start and digest.
pub(crate) struct Variant;

impl BlockHash<64> for Variant {
    type State = [u32; 8];
    const START: [u32; 8] =
        [0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e];
    const LENGTH: Length = Length::Big64;
    fn choice() -> &'static Choice<[u32; 8]> {
        &CHOICE
    }
    fn digest(state: &[u32; 8]) -> Digest {
        Digest::new(state.map(u32::to_be_bytes).as_flattened())
    }
}

/// Takes blocks.
#[inline(always)]
pub(crate) fn compress(state: &mut [u32; 8], blocks: &[u8]) {
    for block in blocks.chunks_exact(64) {
        compress_one(state, block);
    }
}

/// GB/T 32905, 5.3.2 and 5.3.3, with the expanded message in sixteen words.
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
            let first = turned.wrapping_add($e).wrapping_add(T[$t]).rotate_left(7);
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

/// The constants of GB/T 32905, 4.2, rotated as 5.3.3 uses them.
const T: [u32; 64] = {
    let mut table = [0_u32; 64];
    let mut t = 0;
    while t < 64 {
        let constant: u32 = if t < 16 { 0x79cc4519 } else { 0x7a879d8a };
        table[t] = constant.rotate_left(t as u32 % 32);
        t += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    #[test]
    fn every_path_agrees() {
        crate::hw::assert_paths_agree(&super::CHOICE, <super::Variant as super::BlockHash<64>>::START, 64);
    }
}
