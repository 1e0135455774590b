//! SHA-1 (FIPS 180-4).

use crate::Digest;
use crate::block::{BlockHash, Blocks, Length};
use crate::hw::{self, Choice};

/// The streaming hash.
pub(crate) type Sha1 = Blocks<Variant, 64>;

/// FIPS 180-4, 4.2.1: one for each 20 rounds.
pub(crate) const K: [u32; 4] = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];

pub(crate) static CHOICE: Choice<[u32; 5]> = Choice::new(hw::SHA1, compress);

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

/// Takes blocks.
#[inline(always)]
pub(crate) fn compress(state: &mut [u32; 5], blocks: &[u8]) {
    for block in blocks.chunks_exact(64) {
        compress_one(state, block);
    }
}

/// FIPS 180-4, 6.1.3: with the schedule in sixteen words.
#[inline(always)]
fn compress_one(state: &mut [u32; 5], block: &[u8]) {
    let mut w = [0; 16];
    for (word, bytes) in w.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    // The halves of a function that share no bit are added one by one: the sum waits for neither.
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
