//! GOST R 34.11-94, RFC 5831: with the parameters of the standard's examples, called `gost94` by rhash, and with those of
//! CryptoPro (RFC 4357, 11.2).

use crate::Digest;
use crate::bank::StreamState;
use crate::stream::Carry;
use std::marker::PhantomData;

/// A block of a message, and the state: 256 bits, the lowest word first.
type Block = [u64; 4];

/// The bytes of a block.
const BYTES: usize = 32;

/// The constant of the third key (RFC 5831, 6.1).
const C3: Block =
    [0xff00_ff00_ff00_ff00, 0x00ff_00ff_00ff_00ff, 0xff00_00ff_00ff_ff00, 0xff00_ffff_0000_00ff];

/// The substitutions of the cipher, for the half bytes of a word from the lowest on.
type Boxes = [[u8; 16]; 8];

/// The substitutions of the bytes of a word, turned as in a round.
type Tables = [[u32; 256]; 4];

/// The substitutions that a standard chose.
pub(crate) trait Parameters: Clone + Send + 'static {
    const TABLES: &'static Tables;
}

/// The parameters of the standard's examples (RFC 5831, 10.1).
#[derive(Clone)]
pub(crate) struct Examples;

impl Parameters for Examples {
    const TABLES: &'static Tables = &tables([
        [4, 10, 9, 2, 13, 8, 0, 14, 6, 11, 1, 12, 7, 15, 5, 3],
        [14, 11, 4, 12, 6, 13, 15, 10, 2, 3, 8, 1, 0, 7, 5, 9],
        [5, 8, 1, 13, 10, 3, 4, 2, 14, 15, 12, 7, 6, 0, 9, 11],
        [7, 13, 10, 1, 0, 8, 9, 15, 14, 4, 6, 12, 11, 2, 5, 3],
        [6, 12, 7, 1, 5, 15, 13, 8, 4, 10, 9, 14, 0, 3, 11, 2],
        [4, 11, 10, 0, 7, 2, 1, 13, 3, 6, 8, 5, 9, 12, 15, 14],
        [13, 11, 4, 1, 3, 15, 5, 9, 0, 10, 14, 7, 6, 8, 2, 12],
        [1, 15, 13, 0, 5, 7, 10, 4, 9, 2, 3, 14, 6, 11, 8, 12],
    ]);
}

/// The parameters of CryptoPro.
#[derive(Clone)]
pub(crate) struct CryptoPro;

impl Parameters for CryptoPro {
    const TABLES: &'static Tables = &tables([
        [10, 4, 5, 6, 8, 1, 3, 7, 13, 12, 14, 0, 9, 2, 11, 15],
        [5, 15, 4, 0, 2, 13, 11, 9, 1, 7, 6, 3, 12, 14, 10, 8],
        [7, 15, 12, 14, 9, 4, 1, 0, 3, 11, 5, 2, 6, 10, 8, 13],
        [4, 10, 7, 12, 0, 15, 2, 8, 14, 1, 6, 5, 13, 11, 9, 3],
        [7, 6, 4, 11, 9, 12, 2, 10, 1, 8, 0, 14, 15, 13, 3, 5],
        [7, 6, 2, 4, 13, 9, 15, 0, 10, 1, 5, 11, 8, 14, 12, 3],
        [13, 14, 4, 1, 7, 0, 5, 10, 3, 12, 8, 15, 6, 2, 9, 11],
        [1, 3, 10, 9, 5, 11, 4, 15, 8, 6, 7, 14, 13, 0, 2, 12],
    ]);
}

const fn tables(boxes: Boxes) -> Tables {
    let mut tables = [[0; 256]; 4];
    let mut at = 0;
    while at < 4 * 256 {
        let (place, byte) = (at / 256, at % 256);
        let substituted = boxes[2 * place][byte % 16] as u32 | (boxes[2 * place + 1][byte / 16] as u32) << 4;
        tables[place][byte] = (substituted << (8 * place)).rotate_left(11);
        at += 1;
    }
    tables
}

/// The hash with the parameters of the standard's examples.
pub(crate) type Gost94 = Hash<Examples>;
/// The hash with CryptoPro's parameters.
pub(crate) type Gost94CryptoPro = Hash<CryptoPro>;

/// A message so far.
#[derive(Clone)]
pub(crate) struct Hash<P> {
    state: Block,
    /// The sum of all blocks.
    sum: Block,
    /// The bytes of the message.
    bytes: u64,
    carry: Carry,
    parameters: PhantomData<P>,
}

impl<P: Parameters> Hash<P> {
    /// Takes whole blocks.
    fn compress(state: &mut Block, sum: &mut Block, blocks: &[u8]) {
        for block in blocks.as_chunks::<8>().0.as_chunks::<4>().0 {
            let block = block.map(u64::from_le_bytes);
            *state = step::<P>(state, &block);
            let mut carried = 0;
            for (word, other) in sum.iter_mut().zip(block) {
                let total = u128::from(*word) + u128::from(other) + carried;
                (*word, carried) = (total as u64, total >> 64);
            }
        }
    }
}

impl<P: Parameters> StreamState for Hash<P> {
    fn new() -> Self {
        Hash { state: [0; 4], sum: [0; 4], bytes: 0, carry: Carry::new(), parameters: PhantomData }
    }
    fn update(&mut self, bytes: &[u8]) {
        self.bytes = self.bytes.wrapping_add(bytes.len() as u64);
        let (state, sum) = (&mut self.state, &mut self.sum);
        self.carry.feed(BYTES, 0, bytes, |blocks| Self::compress(state, sum, blocks));
    }
    fn finish(&mut self) -> Digest {
        let rest = self.carry.rest();
        if !rest.is_empty() {
            let mut block = [0; BYTES];
            block[..rest.len()].copy_from_slice(rest);
            Self::compress(&mut self.state, &mut self.sum, &block);
        }
        let length = [self.bytes << 3, self.bytes >> 61, 0, 0];
        let state = step::<P>(&step::<P>(&self.state, &length), &self.sum);
        Digest::new(state.map(u64::to_le_bytes).as_flattened())
    }
    fn kernel() -> &'static str {
        "portable"
    }
}

/// Returns the state after a block (RFC 5831, 6).
fn step<P: Parameters>(state: &Block, block: &Block) -> Block {
    let (mut u, mut v) = (*state, *block);
    let mut encrypted = [0; 4];
    for (at, (word, half)) in encrypted.iter_mut().zip(state).enumerate() {
        if at > 0 {
            u = mixed(u);
            v = mixed(mixed(v));
        }
        if at == 2 {
            u = xor(u, C3);
        }
        *word = encrypt(P::TABLES, &key(xor(u, v)), *half);
    }
    shuffled::<61>(xor(*state, shuffled::<1>(xor(*block, shuffled::<12>(encrypted)))))
}

fn xor(one: Block, other: Block) -> Block {
    std::array::from_fn(|at| one[at] ^ other[at])
}

/// Applies the transformation `A`.
fn mixed([first, second, third, fourth]: Block) -> Block {
    [second, third, fourth, first ^ second]
}

/// Applies the transformation `P`, which makes the words of a key of the bytes of a block.
fn key(block: Block) -> [u32; 8] {
    let bytes = block.map(u64::to_le_bytes);
    std::array::from_fn(|at| u32::from_le_bytes(std::array::from_fn(|word| bytes[word][at])))
}

/// Applies the transformation `psi` so many times: a shift register of 16 words of 16 bits.
fn shuffled<const TIMES: usize>(block: Block) -> Block {
    let mut words = [0; 16 + 61];
    for (word, bytes) in words.iter_mut().zip(block.map(u64::to_le_bytes).as_flattened().as_chunks().0) {
        *word = u16::from_le_bytes(*bytes);
    }
    for at in 0..TIMES {
        words[at + 16] =
            words[at] ^ words[at + 1] ^ words[at + 2] ^ words[at + 3] ^ words[at + 12] ^ words[at + 15];
    }
    std::array::from_fn(|at| {
        (0..4).rev().fold(0, |word, part| word << 16 | u64::from(words[TIMES + 4 * at + part]))
    })
}

/// Encrypts 64 bits (GOST 28147-89): the key forwards three times, and once backwards.
fn encrypt(tables: &Tables, key: &[u32; 8], half: u64) -> u64 {
    let (mut low, mut high) = (half as u32, (half >> 32) as u32);
    let forwards = || key.iter();
    for word in forwards().chain(forwards()).chain(forwards()).chain(key.iter().rev()) {
        let [a, b, c, d] = low.wrapping_add(*word).to_le_bytes().map(usize::from);
        let turned = tables[0][a] ^ tables[1][b] ^ tables[2][c] ^ tables[3][d];
        (low, high) = (high ^ turned, low);
    }
    u64::from(low) << 32 | u64::from(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_testing::Random;

    fn agrees<P: Parameters, H: gost94::Digest>() {
        let message = Random(94).bytes(1000);
        for length in (0..200).chain([255, 256, 511, 999, 1000]) {
            let expected = H::digest(&message[..length]);
            for cut in [0, 1, 31, 32, 33, 64, 100] {
                let (first, rest) = message[..length].split_at(cut.min(length));
                let mut hash = Hash::<P>::new();
                hash.update(first);
                hash.update(rest);
                assert_eq!(hash.finish().as_bytes(), &expected[..], "{length} bytes, cut at {cut}");
            }
        }
        // The sum of blocks carries through all words.
        let ones = [0xff; 96];
        let mut hash = Hash::<P>::new();
        hash.update(&ones);
        assert_eq!(hash.finish().as_bytes(), &H::digest(ones)[..]);
    }

    #[test]
    fn digests_are_those_of_another_implementation() {
        agrees::<Examples, gost94::Gost94Test>();
        agrees::<CryptoPro, gost94::Gost94CryptoPro>();
    }
}
