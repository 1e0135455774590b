//! Whirlpool (Barreto and Rijmen; ISO/IEC 10118-3:2004).
//!
//! Words are stored most significant byte first: byte `j` of row `i` of the state is byte `j` from the top of word `i`.

use crate::block::{BlockHash, Padding, kernel};

pub(crate) struct Whirlpool;

impl BlockHash for Whirlpool {
    type Kernel = Compress;
    const PADDING: Padding = Padding::BIG256;
    const BYTES: usize = 64;
    const START: [u64; 8] = [0; 8];
}

kernel! {
    /// The compression function.
    u64, 8 by 8, Big;
    best: [];
    always: compress
}

/// Compresses blocks: the block cipher W, keyed with the state, in Miyaguchi-Preneel mode.
fn compress(state: &mut [u64; 8], blocks: &[u8]) {
    for block in blocks.as_chunks::<8>().0.as_chunks::<8>().0 {
        let message = block.map(u64::from_be_bytes);
        let mut key = *state;
        let mut text = xor(&message, &key);
        for constant in ROUND {
            key = transform(&key);
            key[0] ^= constant;
            text = xor(&transform(&text), &key);
        }
        *state = xor(&xor(state, &text), &message);
    }
}

#[inline(always)]
pub(crate) fn xor(a: &[u64; 8], b: &[u64; 8]) -> [u64; 8] {
    let mut sum = *a;
    for (word, other) in sum.iter_mut().zip(b) {
        *word ^= other;
    }
    sum
}

/// Substitution, shift of columns and mixing of rows: the byte in column `j` of row `i` goes to row `i + j`.
#[inline(always)]
fn transform(words: &[u64; 8]) -> [u64; 8] {
    let mut result = [0; 8];
    // Unrolled by hand, because the compiler does not unroll loops with rotating indices, and would keep the sums in
    // memory.
    macro_rules! spread {
        ($($i:literal)*) => {$(
            let word = words[$i];
            result[$i] ^= TABLE[0][(word >> 56) as usize];
            result[($i + 1) % 8] ^= TABLE[1][(word >> 48) as usize & 255];
            result[($i + 2) % 8] ^= TABLE[2][(word >> 40) as usize & 255];
            result[($i + 3) % 8] ^= TABLE[3][(word >> 32) as usize & 255];
            result[($i + 4) % 8] ^= TABLE[4][(word >> 24) as usize & 255];
            result[($i + 5) % 8] ^= TABLE[5][(word >> 16) as usize & 255];
            result[($i + 6) % 8] ^= TABLE[6][(word >> 8) as usize & 255];
            result[($i + 7) % 8] ^= TABLE[7][word as usize & 255];
        )*};
    }
    spread!(0 1 2 3 4 5 6 7);
    result
}

/// For each column, the result of substitution and mixing for each byte.
static TABLE: [[u64; 256]; 8] = table();

/// The constants of the rounds: the substitution box in order.
const ROUND: [u64; 10] = rounds();

/// The mixing matrix is circulant; this is its first row.
const MIX: [u8; 8] = [1, 1, 4, 1, 8, 5, 2, 9];

const fn table() -> [[u64; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut row = [0; 8];
        let mut column = 0;
        while column < 8 {
            row[column] = times(substitute(byte as u8), MIX[column]);
            column += 1;
        }
        let mut column = 0;
        while column < 8 {
            table[column][byte] = u64::from_be_bytes(row).rotate_right(8 * column as u32);
            column += 1;
        }
        byte += 1;
    }
    table
}

const fn rounds() -> [u64; 10] {
    let mut constants = [0; 10];
    let mut at = 0;
    while at < 80 {
        constants[at / 8] = constants[at / 8] << 8 | substitute(at as u8) as u64;
        at += 1;
    }
    constants
}

/// Returns the product of polynomials over two elements, modulo x^8 + x^4 + x^3 + x^2 + 1.
pub(crate) const fn times(a: u8, b: u8) -> u8 {
    let mut product = 0_u16;
    let mut bit = 8;
    while bit > 0 {
        bit -= 1;
        product <<= 1;
        if product & 0x100 != 0 {
            product ^= 0x11d;
        }
        if b >> bit & 1 == 1 {
            product ^= a as u16;
        }
    }
    product as u8
}

/// Returns the substitution of a byte, computed by three boxes of four bits.
const fn substitute(byte: u8) -> u8 {
    const E: [u8; 16] = [1, 11, 9, 12, 13, 6, 15, 3, 14, 8, 7, 4, 10, 2, 5, 0];
    const E_INVERSE: [u8; 16] = [15, 0, 13, 7, 11, 14, 5, 10, 9, 2, 12, 1, 3, 4, 8, 6];
    const R: [u8; 16] = [7, 12, 11, 13, 14, 4, 9, 15, 6, 3, 8, 10, 2, 5, 1, 0];
    let high = E[(byte >> 4) as usize];
    let low = E_INVERSE[(byte & 15) as usize];
    let mixed = R[(high ^ low) as usize];
    E[(high ^ mixed) as usize] << 4 | E_INVERSE[(low ^ mixed) as usize]
}
