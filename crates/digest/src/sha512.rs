//! SHA-384, SHA-512 and SHA-512/256 (FIPS 180-4).

use crate::Digest;
use crate::block::{BlockHash, Blocks, Length};
use crate::hw::{self, Choice};

/// The streaming hash.
pub(crate) type Sha512 = Blocks<Variant512, 128>;
/// The streaming hash with another start and 384 bits of digest.
pub(crate) type Sha384 = Blocks<Variant384, 128>;
/// The streaming hash with another start and 256 bits of digest.
pub(crate) type Sha512Short = Blocks<Variant512Short, 128>;

/// FIPS 180-4, 4.2.3.
pub(crate) const K: [u64; 80] = [
    0x428a2f98d728ae22,
    0x7137449123ef65cd,
    0xb5c0fbcfec4d3b2f,
    0xe9b5dba58189dbbc,
    0x3956c25bf348b538,
    0x59f111f1b605d019,
    0x923f82a4af194f9b,
    0xab1c5ed5da6d8118,
    0xd807aa98a3030242,
    0x12835b0145706fbe,
    0x243185be4ee4b28c,
    0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f,
    0x80deb1fe3b1696b1,
    0x9bdc06a725c71235,
    0xc19bf174cf692694,
    0xe49b69c19ef14ad2,
    0xefbe4786384f25e3,
    0x0fc19dc68b8cd5b5,
    0x240ca1cc77ac9c65,
    0x2de92c6f592b0275,
    0x4a7484aa6ea6e483,
    0x5cb0a9dcbd41fbd4,
    0x76f988da831153b5,
    0x983e5152ee66dfab,
    0xa831c66d2db43210,
    0xb00327c898fb213f,
    0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2,
    0xd5a79147930aa725,
    0x06ca6351e003826f,
    0x142929670a0e6e70,
    0x27b70a8546d22ffc,
    0x2e1b21385c26c926,
    0x4d2c6dfc5ac42aed,
    0x53380d139d95b3df,
    0x650a73548baf63de,
    0x766a0abb3c77b2a8,
    0x81c2c92e47edaee6,
    0x92722c851482353b,
    0xa2bfe8a14cf10364,
    0xa81a664bbc423001,
    0xc24b8b70d0f89791,
    0xc76c51a30654be30,
    0xd192e819d6ef5218,
    0xd69906245565a910,
    0xf40e35855771202a,
    0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8,
    0x1e376c085141ab53,
    0x2748774cdf8eeb99,
    0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63,
    0x4ed8aa4ae3418acb,
    0x5b9cca4f7763e373,
    0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc,
    0x78a5636f43172f60,
    0x84c87814a1f0ab72,
    0x8cc702081a6439ec,
    0x90befffa23631e28,
    0xa4506cebde82bde9,
    0xbef9a3f7b2c67915,
    0xc67178f2e372532b,
    0xca273eceea26619c,
    0xd186b8c721c0c207,
    0xeada7dd6cde0eb1e,
    0xf57d4f7fee6ed178,
    0x06f067aa72176fba,
    0x0a637dc5a2c898a6,
    0x113f9804bef90dae,
    0x1b710b35131c471b,
    0x28db77f523047d84,
    0x32caab7b40c72493,
    0x3c9ebe0a15c9bebc,
    0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6,
    0x597f299cfc657e2a,
    0x5fcb6fab3ad6faec,
    0x6c44198c4a475817,
];

pub(crate) static CHOICE: Choice<[u64; 8]> = Choice::new(hw::SHA512, compress);

/// SHA-512's start and digest.
pub(crate) struct Variant512;
/// SHA-384's start and digest.
pub(crate) struct Variant384;
/// SHA-512/256's start and digest.
pub(crate) struct Variant512Short;

impl BlockHash<128> for Variant512 {
    type State = [u64; 8];
    const START: [u64; 8] = [
        0x6a09e667f3bcc908,
        0xbb67ae8584caa73b,
        0x3c6ef372fe94f82b,
        0xa54ff53a5f1d36f1,
        0x510e527fade682d1,
        0x9b05688c2b3e6c1f,
        0x1f83d9abfb41bd6b,
        0x5be0cd19137e2179,
    ];
    const LENGTH: Length = Length::Big128;
    fn choice() -> &'static Choice<[u64; 8]> {
        &CHOICE
    }
    fn digest(state: &[u64; 8]) -> Digest {
        Digest::new(state.map(u64::to_be_bytes).as_flattened())
    }
}

impl BlockHash<128> for Variant384 {
    type State = [u64; 8];
    const START: [u64; 8] = [
        0xcbbb9d5dc1059ed8,
        0x629a292a367cd507,
        0x9159015a3070dd17,
        0x152fecd8f70e5939,
        0x67332667ffc00b31,
        0x8eb44a8768581511,
        0xdb0c2e0d64f98fa7,
        0x47b5481dbefa4fa4,
    ];
    const LENGTH: Length = Length::Big128;
    fn choice() -> &'static Choice<[u64; 8]> {
        &CHOICE
    }
    fn digest(state: &[u64; 8]) -> Digest {
        Digest::new(&state.map(u64::to_be_bytes).as_flattened()[..48])
    }
}

impl BlockHash<128> for Variant512Short {
    type State = [u64; 8];
    const START: [u64; 8] = [
        0x22312194fc2bf72c,
        0x9f555fa3c84c64c2,
        0x2393b86b6f53b151,
        0x963877195940eabd,
        0x96283ee2a88effe3,
        0xbe5e1e2553863992,
        0x2b0199fc2c85b8aa,
        0x0eb72ddc81c52ca2,
    ];
    const LENGTH: Length = Length::Big128;
    fn choice() -> &'static Choice<[u64; 8]> {
        &CHOICE
    }
    fn digest(state: &[u64; 8]) -> Digest {
        Digest::new(&state.map(u64::to_be_bytes).as_flattened()[..32])
    }
}

/// Takes blocks.
#[inline(always)]
pub(crate) fn compress(state: &mut [u64; 8], blocks: &[u8]) {
    for block in blocks.chunks_exact(128) {
        compress_one(state, block);
    }
}

/// FIPS 180-4, 6.4.2, with the schedule in sixteen words.
#[inline(always)]
fn compress_one(state: &mut [u64; 8], block: &[u8]) {
    let mut w = [0; 16];
    for (word, bytes) in w.iter_mut().zip(block.as_chunks::<8>().0) {
        *word = u64::from_be_bytes(*bytes);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    // Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b, and b ^ c is the a ^ b of the round before.
    let mut older = b ^ c;
    macro_rules! round {
        ($t:expr, $i:literal, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
            if $t > 0 {
                let (near, far) = (w[($i + 14) % 16], w[($i + 1) % 16]);
                let near = near.rotate_right(19) ^ near.rotate_right(61) ^ (near >> 6);
                let far = far.rotate_right(1) ^ far.rotate_right(8) ^ (far >> 7);
                w[$i] = w[$i].wrapping_add(near).wrapping_add(w[($i + 9) % 16]).wrapping_add(far);
            }
            $h = $h.wrapping_add(K[$t + $i]).wrapping_add(w[$i]).wrapping_add(($e & $f) ^ (!$e & $g));
            $h = $h.wrapping_add($e.rotate_right(14) ^ $e.rotate_right(18) ^ $e.rotate_right(41));
            $d = $d.wrapping_add($h);
            $h = $h.wrapping_add($a.rotate_right(28) ^ $a.rotate_right(34) ^ $a.rotate_right(39));
            let newer = $a ^ $b;
            $h = $h.wrapping_add((newer & older) ^ $b);
            older = newer;
        };
    }
    for t in (0..80).step_by(16) {
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
        crate::hw::assert_paths_agree(
            &super::CHOICE,
            <super::Variant512 as super::BlockHash<128>>::START,
            128,
        );
    }
}
