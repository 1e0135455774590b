//! The sponge over Keccak-p[1600]: SHA-3 and SHAKE (FIPS 202), and TurboSHAKE (RFC 9861) for others.

use crate::Digest;
use crate::bank::Stream;
use crate::hw::{self, Choice, Path};

/// The state of the permutation, and how much of it blocks go into.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Keccak {
    /// Lane (x, y) is at 5 y + x.
    pub lanes: [u64; 25],
    /// Bytes of a block: a multiple of 8, less than 200.
    pub rate: usize,
    /// The last so many rounds of 24.
    pub rounds: usize,
}

pub(crate) static CHOICE: Choice<Keccak> = Choice::new(hw::KECCAK, absorb);

/// A message on its way into a sponge. `feed` any number of times, then `squeeze` once.
#[derive(Clone)]
pub(crate) struct Sponge {
    keccak: Keccak,
    path: &'static Path<Keccak>,
    carry: [u8; 168],
    filled: usize,
}

impl Sponge {
    /// An empty message.
    pub fn new(rate: usize, rounds: usize) -> Self {
        let keccak = Keccak { lanes: [0; 25], rate, rounds };
        Sponge { keccak, path: CHOICE.best(), carry: [0; 168], filled: 0 }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        let rate = self.keccak.rate;
        if self.filled > 0 {
            let wanted = bytes.len().min(rate - self.filled);
            self.carry[self.filled..self.filled + wanted].copy_from_slice(&bytes[..wanted]);
            self.filled += wanted;
            bytes = &bytes[wanted..];
            if self.filled < rate {
                return;
            }
            (self.path.compress)(&mut self.keccak, &self.carry[..rate]);
        }
        let whole = bytes.len() - bytes.len() % rate;
        (self.path.compress)(&mut self.keccak, &bytes[..whole]);
        self.filled = bytes.len() - whole;
        self.carry[..self.filled].copy_from_slice(&bytes[whole..]);
    }

    /// Ends the message with these bits (of which the last is the first of the padding), and gives the
    /// first `N` bytes of output: at most the rate.
    pub fn squeeze<const N: usize>(&mut self, suffix: u8) -> [u8; N] {
        let rate = self.keccak.rate;
        self.carry[self.filled..rate].fill(0);
        self.carry[self.filled] ^= suffix;
        self.carry[rate - 1] ^= 0x80;
        (self.path.compress)(&mut self.keccak, &self.carry[..rate]);
        let mut output = [0; N];
        let lanes = self.keccak.lanes.map(u64::to_le_bytes);
        output.copy_from_slice(&lanes.as_flattened()[..N]);
        output
    }
}

/// What runs.
pub(crate) fn kernel() -> &'static str {
    CHOICE.best().name
}

/// A hash of FIPS 202: `RATE` bytes of block, `SUFFIX` after the message, `N` bytes of digest.
pub(crate) struct Fips202<const RATE: usize, const SUFFIX: u8, const N: usize>(Sponge);

/// SHA3-224, SHA3-256, SHA3-384, SHA3-512: the capacity is twice the digest (FIPS 202, 6.1).
pub(crate) type Sha3_224 = Fips202<144, 6, 28>;
pub(crate) type Sha3_256 = Fips202<136, 6, 32>;
pub(crate) type Sha3_384 = Fips202<104, 6, 48>;
pub(crate) type Sha3_512 = Fips202<72, 6, 64>;
/// SHAKE128 with 256 bits and SHAKE256 with 512 bits of output (FIPS 202, 6.2).
pub(crate) type Shake128 = Fips202<168, 31, 32>;
pub(crate) type Shake256 = Fips202<136, 31, 64>;

impl<const RATE: usize, const SUFFIX: u8, const N: usize> Stream for Fips202<RATE, SUFFIX, N> {
    fn new() -> Self {
        Fips202(Sponge::new(RATE, 24))
    }
    fn update(&mut self, bytes: &[u8]) {
        self.0.feed(bytes);
    }
    fn finish(&mut self) -> Digest {
        Digest::new(&self.0.squeeze::<N>(SUFFIX))
    }
    fn kernel() -> &'static str {
        kernel()
    }
}

/// Takes blocks: each is added to the state, which is then permuted.
#[inline(always)]
pub(crate) fn absorb(keccak: &mut Keccak, blocks: &[u8]) {
    for block in blocks.chunks_exact(keccak.rate) {
        for (lane, bytes) in keccak.lanes.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane ^= u64::from_le_bytes(*bytes);
        }
        permute(&mut keccak.lanes, keccak.rounds);
    }
}

/// Keccak-p[1600], the last so many rounds (FIPS 202, 3.3).
#[inline(always)]
fn permute(lanes: &mut [u64; 25], rounds: usize) {
    let mut state = *lanes;
    for constant in &ROUND[24 - rounds..] {
        state = round(&state);
        state[0] ^= constant;
    }
    *lanes = state;
}

/// FIPS 202, 3.2, without iota.
#[inline(always)]
fn round(a: &[u64; 25]) -> [u64; 25] {
    let mut sums = [0; 5];
    for x in 0..5 {
        sums[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    }
    let mut mix = [0; 5];
    for x in 0..5 {
        mix[x] = sums[(x + 4) % 5] ^ sums[(x + 1) % 5].rotate_left(1);
    }
    let mut moved = [0; 25];
    for y in 0..5 {
        for x in 0..5 {
            let to = 5 * ((2 * x + 3 * y) % 5) + y;
            moved[to] = (a[5 * y + x] ^ mix[x]).rotate_left(ROTATE[5 * y + x]);
        }
    }
    let mut result = [0; 25];
    for y in 0..5 {
        for x in 0..5 {
            result[5 * y + x] = moved[5 * y + x] ^ (!moved[5 * y + (x + 1) % 5] & moved[5 * y + (x + 2) % 5]);
        }
    }
    result
}

/// How far rho rotates each lane (FIPS 202, table 2, modulo 64).
pub(crate) const ROTATE: [u32; 25] =
    [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];

/// The constants of iota (FIPS 202, algorithm 5).
pub(crate) const ROUND: [u64; 24] = round_constants();

const fn round_constants() -> [u64; 24] {
    let mut constants = [0; 24];
    let mut register = 1_u8;
    let mut at = 0;
    while at < 24 * 7 {
        if register & 1 == 1 {
            constants[at / 7] |= 1 << ((1 << (at % 7)) - 1);
        }
        let carry = register >> 7;
        register = (register << 1) ^ (carry * 0x71);
        at += 1;
    }
    constants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_constants_are_those_of_the_standard() {
        assert_eq!(ROUND[0], 1);
        assert_eq!(ROUND[1], 0x8082);
        assert_eq!(ROUND[23], 0x8000_0000_8000_8008);
    }

    #[test]
    fn every_path_agrees_at_every_rate() {
        for rate in [72, 104, 136, 144, 168] {
            for rounds in [12, 24] {
                let start = Keccak { lanes: std::array::from_fn(|i| i as u64 * 0x9e37_79b9), rate, rounds };
                hw::assert_paths_agree(&CHOICE, start, rate);
            }
        }
    }
}
