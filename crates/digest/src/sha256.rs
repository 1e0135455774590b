//! SHA-224 and SHA-256 (FIPS 180-4).

use crate::Digest;
use crate::block::{BlockHash, Blocks, Length};
use crate::hw::{self, Choice};

/// The streaming hash.
pub(crate) type Sha256 = Blocks<Variant256, 64>;
/// The streaming hash with the other start and a shorter digest.
pub(crate) type Sha224 = Blocks<Variant224, 64>;

/// FIPS 180-4, 4.2.2.
pub(crate) const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

pub(crate) static CHOICE: Choice<[u32; 8]> = Choice::new(hw::SHA256, compress);

/// SHA-256's start and digest.
pub(crate) struct Variant256;
/// SHA-224's start and digest.
pub(crate) struct Variant224;

impl BlockHash<64> for Variant256 {
    type State = [u32; 8];
    const START: [u32; 8] =
        [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
    const LENGTH: Length = Length::Big64;
    fn choice() -> &'static Choice<[u32; 8]> {
        &CHOICE
    }
    fn digest(state: &[u32; 8]) -> Digest {
        Digest::new(state.map(u32::to_be_bytes).as_flattened())
    }
}

impl BlockHash<64> for Variant224 {
    type State = [u32; 8];
    const START: [u32; 8] =
        [0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4];
    const LENGTH: Length = Length::Big64;
    fn choice() -> &'static Choice<[u32; 8]> {
        &CHOICE
    }
    fn digest(state: &[u32; 8]) -> Digest {
        Digest::new(&state.map(u32::to_be_bytes).as_flattened()[..28])
    }
}

/// Takes blocks.
#[inline(always)]
pub(crate) fn compress(state: &mut [u32; 8], blocks: &[u8]) {
    for block in blocks.chunks_exact(64) {
        compress_one(state, block);
    }
}

/// FIPS 180-4, 6.2.2, with the schedule in sixteen words.
#[inline(always)]
fn compress_one(state: &mut [u32; 8], block: &[u8]) {
    let mut w = [0; 16];
    for (word, bytes) in w.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    // Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b, and b ^ c is the a ^ b of the round before.
    let mut older = b ^ c;
    macro_rules! round {
        ($t:expr, $i:literal, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
            if $t > 0 {
                let (near, far) = (w[($i + 14) % 16], w[($i + 1) % 16]);
                let near = near.rotate_right(17) ^ near.rotate_right(19) ^ (near >> 10);
                let far = far.rotate_right(7) ^ far.rotate_right(18) ^ (far >> 3);
                w[$i] = w[$i].wrapping_add(near).wrapping_add(w[($i + 9) % 16]).wrapping_add(far);
            }
            $h = $h.wrapping_add(K[$t + $i]).wrapping_add(w[$i]).wrapping_add(($e & $f) ^ (!$e & $g));
            $h = $h.wrapping_add($e.rotate_right(6) ^ $e.rotate_right(11) ^ $e.rotate_right(25));
            $d = $d.wrapping_add($h);
            $h = $h.wrapping_add($a.rotate_right(2) ^ $a.rotate_right(13) ^ $a.rotate_right(22));
            let newer = $a ^ $b;
            $h = $h.wrapping_add((newer & older) ^ $b);
            older = newer;
        };
    }
    for t in (0..64).step_by(16) {
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

#[cfg(test)]
mod tests {
    #[test]
    fn every_path_agrees() {
        crate::hw::assert_paths_agree(&super::CHOICE, <super::Variant256 as super::BlockHash<64>>::START, 64);
    }
}
