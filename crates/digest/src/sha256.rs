//! SHA-224 and SHA-256 (FIPS 180-4).
//!
//! The message schedule depends on the message alone. So it is computed for `L` consecutive blocks at
//! once, lane by lane, which a compiler turns into vector code, and the rounds that follow only add the
//! stored words (Gueron and Krasnov, "Parallelizing message schedules", 2012). With `L` = 1 it is the
//! ordinary function.

use crate::Digest;
use crate::block::{BlockHash, Blocks, Length};
use crate::hw::{self, Choice};
use crate::row::Row;

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

static CHOICE: Choice<[u32; 8]> = Choice::new(hw::SHA256, compress::<u32, 1>);

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

/// Takes blocks, the schedules of `L` at a time.
#[inline(always)]
pub(crate) fn compress<R: Row<u32, L>, const L: usize>(state: &mut [u32; 8], blocks: &[u8]) {
    let mut groups = blocks.chunks_exact(64 * L);
    let mut words = [[0; L]; 64];
    for group in &mut groups {
        schedule::<R, L>(&mut words, group);
        for lane in 0..L {
            rounds(state, &words, lane);
        }
    }
    let mut words = [[0; 1]; 64];
    for block in groups.remainder().chunks_exact(64) {
        schedule::<u32, 1>(&mut words, block);
        rounds(state, &words, 0);
    }
}

/// FIPS 180-4, 6.2.2, step 1, with the round constants added.
#[inline(always)]
fn schedule<R: Row<u32, L>, const L: usize>(words: &mut [[u32; L]; 64], blocks: &[u8]) {
    let mut window = [R::splat(0); 16];
    for t in 0..16 {
        let mut row = [0; L];
        for lane in 0..L {
            let mut word = [0; 4];
            word.copy_from_slice(&blocks[64 * lane + 4 * t..][..4]);
            row[lane] = u32::from_be_bytes(word);
        }
        window[t] = R::new(row);
        words[t] = window[t].add(R::splat(K[t])).words();
    }
    for start in (16..64).step_by(16) {
        for t in 0..16 {
            let (near, far) = (window[(t + 14) % 16], window[(t + 1) % 16]);
            let near = near.rotate(17).xor(near.rotate(19)).xor(near.shift(10));
            let far = far.rotate(7).xor(far.rotate(18)).xor(far.shift(3));
            window[t] = window[t].add(near).add(window[(t + 9) % 16]).add(far);
            words[start + t] = window[t].add(R::splat(K[start + t])).words();
        }
    }
}

/// FIPS 180-4, 6.2.2, steps 2 to 4, for the block in one lane.
#[inline(always)]
fn rounds<const L: usize>(state: &mut [u32; 8], words: &[[u32; L]; 64], lane: usize) {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    // Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b, and b ^ c is the a ^ b of the round before.
    let mut older = b ^ c;
    macro_rules! round {
        ($t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
            $h = $h.wrapping_add(words[$t][lane]).wrapping_add(($e & $f) ^ (!$e & $g));
            $h = $h.wrapping_add($e.rotate_right(6) ^ $e.rotate_right(11) ^ $e.rotate_right(25));
            $d = $d.wrapping_add($h);
            $h = $h.wrapping_add($a.rotate_right(2) ^ $a.rotate_right(13) ^ $a.rotate_right(22));
            let newer = $a ^ $b;
            $h = $h.wrapping_add((newer & older) ^ $b);
            older = newer;
        };
    }
    for t in (0..64).step_by(8) {
        round!(t, a b c d e f g h);
        round!(t + 1, h a b c d e f g);
        round!(t + 2, g h a b c d e f);
        round!(t + 3, f g h a b c d e);
        round!(t + 4, e f g h a b c d);
        round!(t + 5, d e f g h a b c);
        round!(t + 6, c d e f g h a b);
        round!(t + 7, b c d e f g h a);
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
