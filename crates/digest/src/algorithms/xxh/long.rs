//! XXH3 on plain machine words ("xxHash fast digest algorithm", 0.2.0, section 5.3), for when the crate's choice of
//! instructions is forbidden. The crate hashes messages of up to 240 bytes, without special instructions.

use crate::Digest;
use crate::bank::StreamState;
use crate::field::{Field, saved};
use crate::stream::Carry;
use twox_hash::{XxHash3_64, XxHash3_128};

/// The maximum length of a short message.
const SHORT: usize = 240;
const STRIPE: usize = 64;
/// The stripes of a block: the number of positions in the secret.
const STRIPES: usize = (SECRET.len() - STRIPE) / 8;

/// XXH3 with 64 bits.
#[derive(Clone)]
pub(crate) struct Xxh3Portable(State);
/// XXH3 with 128 bits.
#[derive(Clone)]
pub(crate) struct Xxh128Portable(State);

impl StreamState for Xxh3Portable {
    fn new() -> Self {
        Xxh3Portable(State::new())
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        let value = match self.0.short() {
            Some(message) => XxHash3_64::oneshot(message),
            None => self.0.halves()[0],
        };
        Digest::new(&value.to_be_bytes())
    }
    saved!(0; this: this.0.is_sound());
    fn kernel() -> &'static str {
        "portable"
    }
}

impl StreamState for Xxh128Portable {
    fn new() -> Self {
        Xxh128Portable(State::new())
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
    fn finish(&mut self) -> Digest {
        let value = match self.0.short() {
            Some(message) => XxHash3_128::oneshot(message),
            None => {
                let [low, high] = self.0.halves();
                u128::from(high) << 64 | u128::from(low)
            }
        };
        Digest::new(&value.to_be_bytes())
    }
    saved!(0; this: this.0.is_sound());
    fn kernel() -> &'static str {
        "portable"
    }
}

#[derive(Clone)]
struct State {
    /// The first bytes, if the message is short.
    first: [u8; SHORT],
    bytes: u64,
    stripes: Stripes,
    /// The last stripe, which may be full.
    carry: Carry,
}

/// The state of mixing stripes.
#[derive(Clone)]
struct Stripes {
    sums: [u64; 8],
    /// The number of stripes taken from the block.
    taken: usize,
    /// The newest stripe.
    newest: [u8; STRIPE],
}

impl State {
    fn new() -> Self {
        let sums =
            [PRIME32[2], PRIME64[0], PRIME64[1], PRIME64[2], PRIME64[3], PRIME32[1], PRIME64[4], PRIME32[0]];
        let stripes = Stripes { sums, taken: 0, newest: [0; STRIPE] };
        State { first: [0; SHORT], bytes: 0, stripes, carry: Carry::new() }
    }

    fn update(&mut self, bytes: &[u8]) {
        if self.bytes < SHORT as u64 {
            let room = &mut self.first[self.bytes as usize..];
            let kept = room.len().min(bytes.len());
            room[..kept].copy_from_slice(&bytes[..kept]);
        }
        self.bytes += bytes.len() as u64;
        let stripes = &mut self.stripes;
        self.carry.feed(STRIPE, 1, bytes, |whole| {
            whole.as_chunks().0.iter().for_each(|stripe| stripes.take(stripe))
        });
    }

    /// Whether it can be the state of a message.
    fn is_sound(&self) -> bool {
        self.stripes.taken < STRIPES && self.carry.fits(STRIPE, 1, self.bytes)
    }

    /// Returns the message, if it is short.
    fn short(&self) -> Option<&[u8]> {
        (self.bytes <= SHORT as u64).then(|| &self.first[..self.bytes as usize])
    }

    /// Returns the low and the high half of the digest of a long message.
    fn halves(&mut self) -> [u64; 2] {
        // The last 64 bytes are mixed again; some were in the stripe before.
        let rest = self.carry.rest();
        let mut last = [0; STRIPE];
        last[..STRIPE - rest.len()].copy_from_slice(&self.stripes.newest[rest.len()..]);
        last[STRIPE - rest.len()..].copy_from_slice(rest);
        let mut sums = self.stripes.sums;
        mix(&mut sums, &last, SECRET.len() - STRIPE - 7);
        let low = merge(&sums, 11, self.bytes.wrapping_mul(PRIME64[0]));
        let high = merge(&sums, SECRET.len() - STRIPE - 11, !self.bytes.wrapping_mul(PRIME64[1]));
        [low, high]
    }
}

impl Field for State {
    fn put(&self, into: &mut Vec<u8>) {
        let Stripes { sums, taken, newest } = self.stripes;
        ((self.first, self.bytes), (sums, (taken, newest))).put(into);
        self.carry.put(into);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let ((first, bytes), (sums, (taken, newest))) = Field::take(from)?;
        Some(State { first, bytes, stripes: Stripes { sums, taken, newest }, carry: Field::take(from)? })
    }
}

impl Stripes {
    /// Takes a stripe that is not the end of the message.
    fn take(&mut self, stripe: &[u8; STRIPE]) {
        mix(&mut self.sums, stripe, 8 * self.taken);
        self.newest = *stripe;
        self.taken += 1;
        if self.taken == STRIPES {
            self.taken = 0;
            for (i, sum) in self.sums.iter_mut().enumerate() {
                *sum = (*sum ^ *sum >> 47 ^ secret(SECRET.len() - STRIPE + 8 * i)).wrapping_mul(PRIME32[0]);
            }
        }
    }
}

fn mix(sums: &mut [u64; 8], stripe: &[u8; STRIPE], at: usize) {
    for (i, bytes) in stripe.as_chunks().0.iter().enumerate() {
        let word = u64::from_le_bytes(*bytes);
        let keyed = word ^ secret(at + 8 * i);
        sums[i ^ 1] = sums[i ^ 1].wrapping_add(word);
        sums[i] = sums[i].wrapping_add((keyed & 0xffff_ffff) * (keyed >> 32));
    }
}

fn merge(sums: &[u64; 8], at: usize, start: u64) -> u64 {
    let sum = sums.as_chunks::<2>().0.iter().enumerate().fold(start, |sum, (i, [a, b])| {
        let product = u128::from(a ^ secret(at + 16 * i)) * u128::from(b ^ secret(at + 16 * i + 8));
        sum.wrapping_add(product as u64 ^ (product >> 64) as u64)
    });
    let sum = (sum ^ sum >> 37).wrapping_mul(0x1656_6791_9e37_79f9);
    sum ^ sum >> 32
}

fn secret(at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&SECRET[at..at + 8]);
    u64::from_le_bytes(word)
}

const PRIME32: [u64; 3] = [0x9e37_79b1, 0x85eb_ca77, 0xc2b2_ae3d];
const PRIME64: [u64; 5] = [
    0x9e37_79b1_85eb_ca87,
    0xc2b2_ae3d_27d4_eb4f,
    0x1656_67b1_9e37_79f9,
    0x85eb_ca77_c2b2_ae63,
    0x27d4_eb2f_1656_67c5,
];

/// The default secret.
#[rustfmt::skip]
const SECRET: [u8; 192] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_crate() {
        let message: Vec<u8> = (0..5000_u32).map(|i| ((i * i) >> 5) as u8).collect();
        for length in (0..600).chain(1000..1100).chain(2040..2060).chain([4096, 4097, 5000]) {
            for part in [1, 63, 64, 1000, 5000] {
                let (mut half, mut whole) = (Xxh3Portable::new(), Xxh128Portable::new());
                for bytes in message[..length].chunks(part) {
                    half.update(bytes);
                    whole.update(bytes);
                }
                let expected = XxHash3_64::oneshot(&message[..length]).to_be_bytes();
                assert_eq!(half.finish().as_bytes(), expected, "{length} {part}");
                let expected = XxHash3_128::oneshot(&message[..length]).to_be_bytes();
                assert_eq!(whole.finish().as_bytes(), expected, "{length} {part}");
            }
        }
    }
}
