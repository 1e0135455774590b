//! SHA-1 (FIPS 180-4).
//!
//! The schedules of `L` consecutive blocks are computed at once: see `sha256.rs`.

use crate::Digest;
use crate::block::{BlockHash, Blocks, Length};
use crate::hw::{self, Choice};

/// The streaming hash.
pub(crate) type Sha1 = Blocks<Variant, 64>;

/// FIPS 180-4, 4.2.1: one for each 20 rounds.
pub(crate) const K: [u32; 4] = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];

static CHOICE: Choice<[u32; 5]> = Choice::new(hw::SHA1, compress::<4>);

/// SHA-1's start and digest.
pub(crate) struct Variant;

impl BlockHash<64> for Variant {
    type State = [u32; 5];
    const START: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    const LENGTH: Length = Length::Big64;
    fn choice() -> &'static Choice<[u32; 5]> {
        &CHOICE
    }
    fn digest(state: &[u32; 5]) -> Digest {
        Digest::new(state.map(u32::to_be_bytes).as_flattened())
    }
}

/// The digests of messages of one block each, all at once: for algorithms that are made of such.
///
/// # Panics
/// If there is not one place for each message.
pub fn sha1_of_blocks(messages: &[[u8; 64]], digests: &mut [[u8; 20]]) {
    assert_eq!(messages.len(), digests.len());
    let path = CHOICE.best();
    // The second block of such a message: a one, zeros, and its length in bits.
    let mut padded = [0; 128];
    (padded[64], padded[126]) = (0x80, 2);
    for (message, digest) in messages.iter().zip(digests) {
        let mut state = Variant::START;
        padded[..64].copy_from_slice(message);
        (path.compress)(&mut state, &padded);
        digest.copy_from_slice(state.map(u32::to_be_bytes).as_flattened());
    }
}

/// Takes blocks, the schedules of `L` at a time.
#[inline(always)]
pub(crate) fn compress<const L: usize>(state: &mut [u32; 5], blocks: &[u8]) {
    let mut groups = blocks.chunks_exact(64 * L);
    let mut words = [[0; L]; 80];
    for group in &mut groups {
        schedule(&mut words, group);
        for lane in 0..L {
            rounds(state, &words, lane);
        }
    }
    let mut words = [[0; 1]; 80];
    for block in groups.remainder().chunks_exact(64) {
        schedule(&mut words, block);
        rounds(state, &words, 0);
    }
}

/// FIPS 180-4, 6.1.2, step 1, with the round constants added.
#[inline(always)]
fn schedule<const L: usize>(words: &mut [[u32; L]; 80], blocks: &[u8]) {
    for lane in 0..L {
        for t in 0..16 {
            let at = 64 * lane + 4 * t;
            words[t][lane] = u32::from_be_bytes([blocks[at], blocks[at + 1], blocks[at + 2], blocks[at + 3]]);
        }
    }
    for t in 16..80 {
        for lane in 0..L {
            let word = words[t - 3][lane] ^ words[t - 8][lane] ^ words[t - 14][lane] ^ words[t - 16][lane];
            words[t][lane] = word.rotate_left(1);
        }
    }
    for t in 0..80 {
        for lane in 0..L {
            words[t][lane] = words[t][lane].wrapping_add(K[t / 20]);
        }
    }
}

/// FIPS 180-4, 6.1.2, steps 2 to 4, for the block in one lane.
#[inline(always)]
fn rounds<const L: usize>(state: &mut [u32; 5], words: &[[u32; L]; 80], lane: usize) {
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    // The halves of a function that share no bit are added one by one: the sum waits for neither.
    macro_rules! round {
        (choose, $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            $e = $e.wrapping_add($b & $c).wrapping_add(!$b & $d);
            round!(common, $t, $a $b $e);
        };
        (parity, $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            $e = $e.wrapping_add($b ^ $c ^ $d);
            round!(common, $t, $a $b $e);
        };
        (majority, $t:expr, $a:ident $b:ident $c:ident $d:ident $e:ident) => {
            $e = $e.wrapping_add($c & $d).wrapping_add($b & ($c ^ $d));
            round!(common, $t, $a $b $e);
        };
        (common, $t:expr, $a:ident $b:ident $e:ident) => {
            $e = $e.wrapping_add(words[$t][lane]).wrapping_add($a.rotate_left(5));
            $b = $b.rotate_left(30);
        };
    }
    macro_rules! quarter {
        ($from:literal, $kind:ident) => {
            for t in ($from..$from + 20).step_by(5) {
                round!($kind, t, a b c d e);
                round!($kind, t + 1, e a b c d);
                round!($kind, t + 2, d e a b c);
                round!($kind, t + 3, c d e a b);
                round!($kind, t + 4, b c d e a);
            }
        };
    }
    quarter!(0, choose);
    quarter!(20, parity);
    quarter!(40, majority);
    quarter!(60, parity);
    for (word, more) in state.iter_mut().zip([a, b, c, d, e]) {
        *word = word.wrapping_add(more);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn messages_of_one_block_have_their_digests() {
        let messages = [[7; 64], std::array::from_fn(|i| i as u8), [0; 64]];
        let mut digests = [[0; 20]; 3];
        super::sha1_of_blocks(&messages, &mut digests);
        let sha1 = crate::find("sha1").unwrap();
        for (message, digest) in messages.iter().zip(&digests) {
            assert_eq!(crate::hash(sha1, message).as_bytes(), digest);
        }
    }

    #[test]
    fn every_path_agrees() {
        crate::hw::assert_paths_agree(&super::CHOICE, <super::Variant as super::BlockHash<64>>::START, 64);
    }
}
