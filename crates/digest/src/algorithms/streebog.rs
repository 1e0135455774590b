//! Streebog-256 and Streebog-512 (GOST R 34.11-2012, RFC 6986).
//!
//! Words are stored least significant byte first, so that the vectors of the standard, which writes them most
//! significant byte first, have the order of the message in memory.

use super::whirlpool::{times, xor};
use crate::Digest;
use crate::bank::StreamState;
use crate::field::saved;
use crate::stream::Carry;

/// The streaming hash; `BITS` is 256 or 512.
#[derive(Clone)]
pub(crate) struct Streebog<const BITS: u32> {
    state: [u64; 8],
    /// The number of bits taken, as a number of 512 bits.
    count: [u64; 8],
    /// The sum of all blocks, as a number of 512 bits.
    sum: [u64; 8],
    carry: Carry,
}

impl<const BITS: u32> StreamState for Streebog<BITS> {
    fn new() -> Self {
        let start = if BITS == 256 { 0x0101_0101_0101_0101 } else { 0 };
        Streebog { state: [start; 8], count: [0; 8], sum: [0; 8], carry: Carry::new() }
    }

    fn update(&mut self, bytes: &[u8]) {
        self.carry.feed(64, 0, bytes, |blocks| {
            for block in blocks.chunks_exact(64) {
                take(&mut self.state, &mut self.count, &mut self.sum, block, 512);
            }
        });
    }

    fn finish(&mut self) -> Digest {
        let rest = self.carry.rest();
        let mut block = [0; 64];
        block[..rest.len()].copy_from_slice(rest);
        block[rest.len()] = 1;
        take(&mut self.state, &mut self.count, &mut self.sum, &block, 8 * rest.len() as u64);
        compress(&mut self.state, &[0; 8], &self.count);
        compress(&mut self.state, &[0; 8], &self.sum);
        let bytes = self.state.map(u64::to_le_bytes);
        Digest::new(&bytes.as_flattened()[64 - BITS as usize / 8..])
    }

    saved!(state, count, sum, carry; this: this.carry.rest().len() < 64);

    fn kernel() -> &'static str {
        "portable"
    }
}

/// Takes a block, of which this many bits belong to the message (RFC 6986, 7, stages 2 and 3).
fn take(state: &mut [u64; 8], count: &mut [u64; 8], sum: &mut [u64; 8], block: &[u8], bits: u64) {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<8>().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    compress(state, count, &words);
    add(count, &[bits, 0, 0, 0, 0, 0, 0, 0]);
    add(sum, &words);
}

/// Adds numbers, modulo the power of two that their words hold.
pub(crate) fn add<const WORDS: usize>(sum: &mut [u64; WORDS], more: &[u64; WORDS]) {
    let mut carry = false;
    for (word, more) in sum.iter_mut().zip(more) {
        let (partial, first) = word.overflowing_add(*more);
        let (whole, second) = partial.overflowing_add(u64::from(carry));
        (*word, carry) = (whole, first | second);
    }
}

/// The compression function g (RFC 6986, 8).
fn compress(state: &mut [u64; 8], count: &[u64; 8], message: &[u64; 8]) {
    let mut key = transform(&xor(state, count));
    let mut block = *message;
    for constant in &C {
        block = transform(&xor(&block, &key));
        key = transform(&xor(&key, constant));
    }
    *state = xor(&xor(state, &xor(&block, &key)), message);
}

/// Computes L(P(S(words))): a table for each byte's position does all three.
#[inline(always)]
fn transform(words: &[u64; 8]) -> [u64; 8] {
    let mut result = [0; 8];
    for (table, word) in TABLE.iter().zip(words) {
        for (i, out) in result.iter_mut().enumerate() {
            *out ^= table[(word >> (8 * i)) as usize & 255];
        }
    }
    result
}

/// For each byte position, the result of substitution and linear map for each byte.
static TABLE: [[u64; 256]; 8] = table();

const fn table() -> [[u64; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut at = 0;
    while at < 8 * 8 * 256 {
        let (position, byte, out) = (at / 8 / 256, at / 8 % 256, at % 8);
        table[position][byte] |= (times(PI[byte], A[position][out]) as u64) << (8 * out);
        at += 1;
    }
    table
}

/// The substitution (RFC 6986, 6.2).
const PI: [u8; 256] = [
    0xfc, 0xee, 0xdd, 0x11, 0xcf, 0x6e, 0x31, 0x16, 0xfb, 0xc4, 0xfa, 0xda, 0x23, 0xc5, 0x04, 0x4d, 0xe9,
    0x77, 0xf0, 0xdb, 0x93, 0x2e, 0x99, 0xba, 0x17, 0x36, 0xf1, 0xbb, 0x14, 0xcd, 0x5f, 0xc1, 0xf9, 0x18,
    0x65, 0x5a, 0xe2, 0x5c, 0xef, 0x21, 0x81, 0x1c, 0x3c, 0x42, 0x8b, 0x01, 0x8e, 0x4f, 0x05, 0x84, 0x02,
    0xae, 0xe3, 0x6a, 0x8f, 0xa0, 0x06, 0x0b, 0xed, 0x98, 0x7f, 0xd4, 0xd3, 0x1f, 0xeb, 0x34, 0x2c, 0x51,
    0xea, 0xc8, 0x48, 0xab, 0xf2, 0x2a, 0x68, 0xa2, 0xfd, 0x3a, 0xce, 0xcc, 0xb5, 0x70, 0x0e, 0x56, 0x08,
    0x0c, 0x76, 0x12, 0xbf, 0x72, 0x13, 0x47, 0x9c, 0xb7, 0x5d, 0x87, 0x15, 0xa1, 0x96, 0x29, 0x10, 0x7b,
    0x9a, 0xc7, 0xf3, 0x91, 0x78, 0x6f, 0x9d, 0x9e, 0xb2, 0xb1, 0x32, 0x75, 0x19, 0x3d, 0xff, 0x35, 0x8a,
    0x7e, 0x6d, 0x54, 0xc6, 0x80, 0xc3, 0xbd, 0x0d, 0x57, 0xdf, 0xf5, 0x24, 0xa9, 0x3e, 0xa8, 0x43, 0xc9,
    0xd7, 0x79, 0xd6, 0xf6, 0x7c, 0x22, 0xb9, 0x03, 0xe0, 0x0f, 0xec, 0xde, 0x7a, 0x94, 0xb0, 0xbc, 0xdc,
    0xe8, 0x28, 0x50, 0x4e, 0x33, 0x0a, 0x4a, 0xa7, 0x97, 0x60, 0x73, 0x1e, 0x00, 0x62, 0x44, 0x1a, 0xb8,
    0x38, 0x82, 0x64, 0x9f, 0x26, 0x41, 0xad, 0x45, 0x46, 0x92, 0x27, 0x5e, 0x55, 0x2f, 0x8c, 0xa3, 0xa5,
    0x7d, 0x69, 0xd5, 0x95, 0x3b, 0x07, 0x58, 0xb3, 0x40, 0x86, 0xac, 0x1d, 0xf7, 0x30, 0x37, 0x6b, 0xe4,
    0x88, 0xd9, 0xe7, 0x89, 0xe1, 0x1b, 0x83, 0x49, 0x4c, 0x3f, 0xf8, 0xfe, 0x8d, 0x53, 0xaa, 0x90, 0xca,
    0xd8, 0x85, 0x61, 0x20, 0x71, 0x67, 0xa4, 0x2d, 0x2b, 0x09, 0x5b, 0xcb, 0x9b, 0x25, 0xd0, 0xbe, 0xe5,
    0x6c, 0x52, 0x59, 0xa6, 0x74, 0xd2, 0xe6, 0xf4, 0xb4, 0xc0, 0xd1, 0x66, 0xaf, 0xc2, 0x39, 0x4b, 0x63,
    0xb6,
];

/// The linear map (RFC 6986, 6.4), as a matrix over Whirlpool's field: for each byte position, its share in every byte
/// of the result, the least significant first.
const A: [[u8; 8]; 8] = [
    [0x83, 0xe0, 0x8e, 0x2b, 0x4b, 0x31, 0x1c, 0x64],
    [0x18, 0xdc, 0xf5, 0x9e, 0x4f, 0x47, 0x8b, 0xa4],
    [0x28, 0x77, 0x32, 0x8a, 0xd9, 0x86, 0x7d, 0xf9],
    [0x9e, 0xa8, 0x10, 0x18, 0x65, 0x8c, 0x06, 0x5b],
    [0x38, 0xc1, 0x93, 0xba, 0x8c, 0x65, 0x21, 0x03],
    [0x50, 0x89, 0x8a, 0x32, 0xa9, 0x9c, 0xcc, 0xac],
    [0x8e, 0x98, 0x83, 0x1a, 0x01, 0x0f, 0xb6, 0x46],
    [0x64, 0x87, 0x46, 0xb2, 0x07, 0x8b, 0x47, 0x83],
];

/// The constants of the rounds (RFC 6986, 6.5).
const C: [[u64; 8]; 12] = [
    [
        0xdd806559f2a64507,
        0x05767436cc744d23,
        0xa2422a08a460d315,
        0x4b7ce09192676901,
        0x714eb88d7585c4fc,
        0x2f6a76432e45d016,
        0xebcb2f81c0657c1f,
        0xb1085bda1ecadae9,
    ],
    [
        0xe679047021b19bb7,
        0x55dda21bd7cbcd56,
        0x5cb561c2db0aa7ca,
        0x9ab5176b12d69958,
        0x61d55e0f16b50131,
        0xf3feea720a232b98,
        0x4fe39d460f70b5d7,
        0x6fa3b58aa99d2f1a,
    ],
    [
        0x991e96f50aba0ab2,
        0xc2b6f443867adb31,
        0xc1c93a376062db09,
        0xd3e20fe490359eb1,
        0xf2ea7514b1297b7b,
        0x06f15e5f529c1f8b,
        0x0a39fc286a3d8435,
        0xf574dcac2bce2fc7,
    ],
    [
        0x220cbebc84e3d12e,
        0x3453eaa193e837f1,
        0xd8b71333935203be,
        0xa9d72c82ed03d675,
        0x9d721cad685e353f,
        0x488e857e335c3c7d,
        0xf948e1a05d71e4dd,
        0xef1fdfb3e81566d2,
    ],
    [
        0x601758fd7c6cfe57,
        0x7a56a27ea9ea63f5,
        0xdfff00b723271a16,
        0xbfcd1747253af5a3,
        0x359e35d7800fffbd,
        0x7f151c1f1686104a,
        0x9a3f410c6ca92363,
        0x4bea6bacad474799,
    ],
    [
        0xfa68407a46647d6e,
        0xbf71c57236904f35,
        0x0af21f66c2bec6b6,
        0xcffaa6b71c9ab7b4,
        0x187f9ab49af08ec6,
        0x2d66c4f95142a46c,
        0x6fa4c33b7a3039c0,
        0xae4faeae1d3ad3d9,
    ],
    [
        0x8886564d3a14d493,
        0x3517454ca23c4af3,
        0x06476983284a0504,
        0x0992abc52d822c37,
        0xd3473e33197a93c9,
        0x399ec6c7e6bf87c9,
        0x51ac86febf240954,
        0xf4c70e16eeaac5ec,
    ],
    [
        0xa47f0dd4bf02e71e,
        0x36acc2355951a8d9,
        0x69d18d2bd1a5c42f,
        0xf4892bcb929b0690,
        0x89b4443b4ddbc49a,
        0x4eb7f8719c36de1e,
        0x03e7aa020c6e4141,
        0x9b1f5b424d93c9a7,
    ],
    [
        0x7261445183235adb,
        0x0e38dc92cb1f2a60,
        0x7b2b8a9aa6079c54,
        0x800a440bdbb2ceb1,
        0x3cd955b7e00d0984,
        0x3a7d3a1b25894224,
        0x944c9ad8ec165fde,
        0x378f5a541631229b,
    ],
    [
        0x74b4c7fb98459ced,
        0x3698fad1153bb6c3,
        0x7a1e6c303b7652f4,
        0x9fe76702af69334b,
        0x1fffe18a1b336103,
        0x8941e71cff8a78db,
        0x382ae548b2e4f3f3,
        0xabbedea680056f52,
    ],
    [
        0x6bcaa4cd81f32d1b,
        0xdea2594ac06fd85d,
        0xefbacd1d7d476e98,
        0x8a1d71efea48b9ca,
        0x2001802114846679,
        0xd8fa6bbbebab0761,
        0x3002c6cd635afe94,
        0x7bcd9ed0efc889fb,
    ],
    [
        0x48bc924af11bd720,
        0xfaf417d5d9b21b99,
        0xe71da4aa88e12852,
        0x5d80ef9d1891cc86,
        0xf82012d430219f9b,
        0xcda43c32bcdf1d77,
        0xd21380b00449b17a,
        0x378ee767f11631ba,
    ],
];
