//! GOST R 34.11-94 (RFC 5831): with the parameters of the standard's examples, called `gost94` by rhash, and with those
//! of CryptoPro (RFC 4357, 11.2).
//!
//! Numbers of 256 bits are words of which the least significant is the first, as their bytes lie in the message.

use super::streebog::add;
use crate::Digest;
use crate::bank::StreamState;
use crate::field::saved;
use crate::stream::Carry;

/// The length of a block in bytes.
const BLOCK: usize = 32;

/// The hash with the parameters of the standard's examples.
pub(crate) type Gost94 = Gost<false>;
/// The hash with CryptoPro's parameters.
pub(crate) type Gost94CryptoPro = Gost<true>;

/// The streaming hash; `CRYPTO_PRO` selects the substitution.
#[derive(Clone)]
pub(crate) struct Gost<const CRYPTO_PRO: bool> {
    state: [u64; 4],
    /// The sum of all blocks, as a number of 256 bits.
    sum: [u64; 4],
    /// The number of bytes in the blocks taken.
    count: u64,
    carry: Carry,
}

impl<const CRYPTO_PRO: bool> Gost<CRYPTO_PRO> {
    const TABLE: &'static Substitution = if CRYPTO_PRO { &CRYPTO_PRO_TABLE } else { &EXAMPLE_TABLE };
}

impl<const CRYPTO_PRO: bool> StreamState for Gost<CRYPTO_PRO> {
    fn new() -> Self {
        Gost { state: [0; 4], sum: [0; 4], count: 0, carry: Carry::new() }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.carry.feed(BLOCK, 0, bytes, |blocks| {
            self.count += blocks.len() as u64;
            for block in blocks.as_chunks::<BLOCK>().0 {
                take(Self::TABLE, &mut self.state, &mut self.sum, block);
            }
        });
    }

    fn finish(&mut self) -> Digest {
        let rest = self.carry.rest();
        let bits = 8 * (u128::from(self.count) + rest.len() as u128);
        if !rest.is_empty() {
            let mut block = [0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            take(Self::TABLE, &mut self.state, &mut self.sum, &block);
        }
        compress(Self::TABLE, &mut self.state, &[bits as u64, (bits >> 64) as u64, 0, 0]);
        compress(Self::TABLE, &mut self.state, &self.sum);
        Digest::new(self.state.map(u64::to_le_bytes).as_flattened())
    }

    saved!(state, sum, count, carry; this: this.count.is_multiple_of(BLOCK as u64) && this.carry.rest().len() < BLOCK);

    fn kernel() -> &'static str {
        "portable"
    }
}

/// Takes a block: compresses it, and adds it to the sum.
fn take(table: &Substitution, state: &mut [u64; 4], sum: &mut [u64; 4], block: &[u8; BLOCK]) {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    compress(table, state, &words);
    add(sum, &words);
}

/// The step function (RFC 5831, 5): each word of the state is encrypted with its own key, and all are mixed.
fn compress(table: &Substitution, state: &mut [u64; 4], block: &[u64; 4]) {
    let (mut u, mut v) = (*state, *block);
    let mut encrypted = [0; 4];
    for (number, (out, word)) in encrypted.iter_mut().zip(*state).enumerate() {
        if number > 0 {
            u = shifted(&u);
            v = shifted(&shifted(&v));
        }
        if number == 2 {
            u = xor(&u, &C3);
        }
        *out = encrypt(table, &key(&xor(&u, &v)), word);
    }
    let mixed = mix::<12>(&encrypted);
    let mixed = mix::<1>(&xor(&mixed, block));
    *state = mix::<61>(&xor(&mixed, state));
}

/// The constant of the third key (RFC 5831, 5.1); those of the others are zero.
const C3: [u64; 4] =
    [0xff00_ff00_ff00_ff00, 0x00ff_00ff_00ff_00ff, 0xff00_00ff_00ff_ff00, 0xff00_ffff_0000_00ff];

/// The transformation A (RFC 5831, 5.1).
#[inline(always)]
fn shifted(words: &[u64; 4]) -> [u64; 4] {
    let [a, b, c, d] = *words;
    [b, c, d, a ^ b]
}

#[inline(always)]
fn xor(a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    [a[0] ^ b[0], a[1] ^ b[1], a[2] ^ b[2], a[3] ^ b[3]]
}

/// The permutation P (RFC 5831, 5.1): each part of a key has a byte of each word.
#[inline(always)]
fn key(words: &[u64; 4]) -> [u32; 8] {
    let mut key = [0; 8];
    for (number, part) in key.iter_mut().enumerate() {
        *part = u32::from_le_bytes(words.map(|word| (word >> (8 * number)) as u8));
    }
    key
}

/// Encrypts a word by GOST 28147-89 (RFC 5830, 5): 32 rounds with the key's parts, in the last eight from the end.
#[inline(always)]
fn encrypt(table: &Substitution, key: &[u32; 8], word: u64) -> u64 {
    let (mut low, mut high) = (word as u32, (word >> 32) as u32);
    let mut round = |part: u32| {
        let sum = low.wrapping_add(part).to_le_bytes();
        let changed = high ^ table.iter().zip(sum).fold(0, |all, (table, byte)| all ^ table[byte as usize]);
        (low, high) = (changed, low);
    };
    for _ in 0..3 {
        key.iter().for_each(|part| round(*part));
    }
    key.iter().rev().for_each(|part| round(*part));
    u64::from(high) | u64::from(low) << 32
}

/// The mixing transformation (RFC 5831, 5.3), this many times: a shift register of sixteen parts.
#[inline(always)]
fn mix<const TIMES: usize>(words: &[u64; 4]) -> [u64; 4] {
    let mut parts = [0_u16; 16 + 61];
    for (number, part) in parts[..16].iter_mut().enumerate() {
        *part = (words[number / 4] >> (16 * (number % 4))) as u16;
    }
    for at in 0..TIMES {
        parts[at + 16] =
            parts[at] ^ parts[at + 1] ^ parts[at + 2] ^ parts[at + 3] ^ parts[at + 12] ^ parts[at + 15];
    }
    let mut mixed = [0; 4];
    for (number, part) in parts[TIMES..TIMES + 16].iter().enumerate() {
        mixed[number / 4] |= u64::from(*part) << (16 * (number % 4));
    }
    mixed
}

/// For each byte of a word, its substitution, rotated.
type Substitution = [[u32; 256]; 4];

static EXAMPLE_TABLE: Substitution = table(&EXAMPLE);
static CRYPTO_PRO_TABLE: Substitution = table(&CRYPTO_PRO);

const fn table(nibbles: &[[u8; 16]; 8]) -> Substitution {
    let mut table = [[0; 256]; 4];
    let mut at = 0;
    while at < 4 * 256 {
        let (position, byte) = (at / 256, at % 256);
        let substituted = nibbles[2 * position][byte & 15] | nibbles[2 * position + 1][byte >> 4] << 4;
        table[position][byte] = ((substituted as u32) << (8 * position)).rotate_left(11);
        at += 1;
    }
    table
}

/// The substitution of the standard's examples (RFC 5831, 7.1), for the least significant four bits first.
const EXAMPLE: [[u8; 16]; 8] = [
    [4, 10, 9, 2, 13, 8, 0, 14, 6, 11, 1, 12, 7, 15, 5, 3],
    [14, 11, 4, 12, 6, 13, 15, 10, 2, 3, 8, 1, 0, 7, 5, 9],
    [5, 8, 1, 13, 10, 3, 4, 2, 14, 15, 12, 7, 6, 0, 9, 11],
    [7, 13, 10, 1, 0, 8, 9, 15, 14, 4, 6, 12, 11, 2, 5, 3],
    [6, 12, 7, 1, 5, 15, 13, 8, 4, 10, 9, 14, 0, 3, 11, 2],
    [4, 11, 10, 0, 7, 2, 1, 13, 3, 6, 8, 5, 9, 12, 15, 14],
    [13, 11, 4, 1, 3, 15, 5, 9, 0, 10, 14, 7, 6, 8, 2, 12],
    [1, 15, 13, 0, 5, 7, 10, 4, 9, 2, 3, 14, 6, 11, 8, 12],
];

/// CryptoPro's substitution (RFC 4357, 11.2), likewise.
const CRYPTO_PRO: [[u8; 16]; 8] = [
    [10, 4, 5, 6, 8, 1, 3, 7, 13, 12, 14, 0, 9, 2, 11, 15],
    [5, 15, 4, 0, 2, 13, 11, 9, 1, 7, 6, 3, 12, 14, 10, 8],
    [7, 15, 12, 14, 9, 4, 1, 0, 3, 11, 5, 2, 6, 10, 8, 13],
    [4, 10, 7, 12, 0, 15, 2, 8, 14, 1, 6, 5, 13, 11, 9, 3],
    [7, 6, 4, 11, 9, 12, 2, 10, 1, 8, 0, 14, 15, 13, 3, 5],
    [7, 6, 2, 4, 13, 9, 15, 0, 10, 1, 5, 11, 8, 14, 12, 3],
    [13, 14, 4, 1, 7, 0, 5, 10, 3, 12, 8, 15, 6, 2, 9, 11],
    [1, 3, 10, 9, 5, 11, 4, 15, 8, 6, 7, 14, 13, 0, 2, 12],
];
