//! The sponge with Keccak-p[1600]: SHA-3 and SHAKE (FIPS 202), and TurboSHAKE128 (RFC 9861) for other hashes.

mod single;
#[cfg(target_arch = "x86_64")]
mod x86_planes;

use crate::block::{BlockHash, Kernel, LaneKernel, Padding, State};
use crate::field::Field;
use crate::lanes::costs::{Costs, costs};
use crate::lanes::vector::{Order, Vector, unroll};
use crate::machine::Isa;
use crate::machine::path::{Path, Paths};
use crate::stream::Carry;

/// A sponge with a rate of `WORDS` words, the padding byte `PAD`, and a digest of `BYTES` bytes, which must
/// be at most the rate.
pub(crate) struct Sponge<const WORDS: usize, const PAD: u8, const BYTES: usize>;

/// The padding byte of the extendable-output functions (section 6.2).
const SHAKE: u8 = 0x1f;

pub(crate) type Sha3_224 = Sponge<18, 0x06, 28>;
pub(crate) type Sha3_256 = Sponge<17, 0x06, 32>;
pub(crate) type Sha3_384 = Sponge<13, 0x06, 48>;
pub(crate) type Sha3_512 = Sponge<9, 0x06, 64>;
/// SHAKE128 with this many bytes.
pub(crate) type Shake128<const BYTES: usize> = Sponge<21, SHAKE, BYTES>;
/// SHAKE256 with this many bytes.
pub(crate) type Shake256<const BYTES: usize> = Sponge<17, SHAKE, BYTES>;

impl<const WORDS: usize, const PAD: u8, const BYTES: usize> BlockHash for Sponge<WORDS, PAD, BYTES> {
    type Kernel = Absorb<WORDS>;
    const PADDING: Padding = Padding::Sponge(PAD);
    const BYTES: usize = BYTES;
    const START: [u64; 25] = [0; 25];
    const EXTENDABLE: bool = PAD == SHAKE;
}

/// The state of the permutation, its rate and its rounds.
#[derive(Debug, Clone, PartialEq)]
struct Keccak {
    /// Word (x, y) is at 5 y + x.
    lanes: [u64; 25],
    /// The bytes of a block: a multiple of 8, less than 200.
    rate: usize,
    /// The number of rounds: the last ones of 24.
    rounds: usize,
}

static PATHS: Paths<Keccak> = Paths::new(
    &[
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx512, "avx512 planes", x86_planes::absorb).only_if(crate::machine::quick_rotations),
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx2, "bmi", bmi),
    ],
    single::absorb,
);

#[cfg(target_arch = "x86_64")]
crate::machine::path::compiled_for! { Avx2, "bmi1,bmi2":
    /// With `andn`, and rotations that need no copy.
    bmi(Keccak) = single::absorb;
}

/// Adds a block of this many words to the state and permutes it (section 3).
pub(crate) struct Absorb<const WORDS: usize>;

impl<const WORDS: usize> Kernel for Absorb<WORDS> {
    type Word = u64;
    type State<T: Copy + Send> = [T; 25];
    type Block<T: Copy + Send> = [T; WORDS];
    const ORDER: Order = Order::Little;

    fn path(limit: Isa) -> Path<State<Self>> {
        let Path { isa, name, suits, .. } = PATHS.best(limit);
        let compress = if isa == Isa::Portable { absorb_portably::<WORDS> } else { absorb::<WORDS> };
        Path { isa, name, suits, compress }
    }
}

fn absorb<const WORDS: usize>(state: &mut [u64; 25], blocks: &[u8]) {
    absorb_by(PATHS.best(Isa::WIDEST), WORDS, state, blocks);
}

fn absorb_portably<const WORDS: usize>(state: &mut [u64; 25], blocks: &[u8]) {
    absorb_by(PATHS.best(Isa::Portable), WORDS, state, blocks);
}

fn absorb_by(path: Path<Keccak>, words: usize, state: &mut [u64; 25], blocks: &[u8]) {
    let mut keccak = Keccak { lanes: *state, rate: 8 * words, rounds: 24 };
    (path.compress)(&mut keccak, blocks);
    *state = keccak.lanes;
}

impl<const WORDS: usize> LaneKernel for Absorb<WORDS> {
    const PLACE: usize = 4;
    const COSTS: [Costs; 2] = costs! { "keccak":
        with_avx512: alone 320, hardware 320, Portable [322, 720], Neon [363, 796], Sse41 [363, 796],
            Avx2 [395, 753], Avx512 [449, 1326];
        up_to_avx2: alone 342, hardware 342, Portable [360, 0], Neon [425, 0], Sse41 [425, 0], Avx2 [455, 0];
    };

    #[inline(always)]
    fn compress<V: Vector<Word = u64>>(simd: V::Simd, state: &mut [V; 25], block: &mut [V; WORDS]) {
        for i in 0..WORDS {
            state[i] = state[i] ^ block[i];
        }
        for round in ROUND {
            step::<V>(state);
            state[0] = state[0] ^ V::splat(simd, round);
        }
    }
}

/// Theta, rho, pi and chi; word (x, y) of the standard is `state[x + 5 * y]`.
#[inline(always)]
fn step<V: Vector<Word = u64>>(state: &mut [V; 25]) {
    let mut column = [state[0]; 5];
    unroll!(x in 0..5 {
        column[x] = state[x].xor3(state[x + 5], state[x + 10]).xor3(state[x + 15], state[x + 20]);
    });
    let old = *state;
    unroll!(y in 0..5 {
        let mut row = [old[0]; 5];
        unroll!(x in 0..5 {
            const FROM: usize = PI[5 * y + x];
            let word = old[FROM].xor3(column[(FROM + 4) % 5], column[(FROM + 1) % 5].rotl(1));
            row[x] = if ROTATE[FROM] == 0 { word } else { word.rotl(ROTATE[FROM]) };
        });
        unroll!(x in 0..5 { state[5 * y + x] = row[x].xor_not_and(row[(x + 1) % 5], row[(x + 2) % 5]); });
    });
}

/// A message for TurboSHAKE128 (RFC 9861, 2.2). Call `feed` any number of times, then `squeeze` once.
#[derive(Clone)]
pub(crate) struct TurboShake128 {
    keccak: Keccak,
    compress: fn(&mut Keccak, &[u8]),
    carry: Carry,
}

impl TurboShake128 {
    const RATE: usize = 168;

    pub(crate) fn new() -> Self {
        let keccak = Keccak { lanes: [0; 25], rate: Self::RATE, rounds: 12 };
        TurboShake128 { keccak, compress: PATHS.best(Isa::WIDEST).compress, carry: Carry::new() }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let (keccak, compress) = (&mut self.keccak, self.compress);
        self.carry.feed(Self::RATE, 0, bytes, |blocks| compress(keccak, blocks));
    }

    /// Ends the message with these bits, the last of which starts the padding. Returns 32 bytes of output.
    pub(crate) fn squeeze(&mut self, suffix: u8) -> [u8; 32] {
        let (mut block, rest) = ([0; Self::RATE], self.carry.rest());
        block[..rest.len()].copy_from_slice(rest);
        Padding::Sponge(suffix).apply(&mut block, Self::RATE, rest.len(), 0);
        (self.compress)(&mut self.keccak, &block);
        let mut output = [0; 32];
        let words = self.keccak.lanes.map(u64::to_le_bytes);
        output.copy_from_slice(&words.as_flattened()[..32]);
        output
    }

    /// Returns the name of the implementation.
    pub(crate) fn kernel() -> &'static str {
        PATHS.best(Isa::WIDEST).name
    }
}

impl Field for TurboShake128 {
    fn put(&self, into: &mut Vec<u8>) {
        self.keccak.lanes.put(into);
        self.carry.put(into);
    }

    fn take(from: &mut &[u8]) -> Option<Self> {
        let mut sponge = Self::new();
        (sponge.keccak.lanes, sponge.carry) = Field::take(from)?;
        (sponge.carry.rest().len() < Self::RATE).then_some(sponge)
    }
}

/// The word that pi moves to each place.
#[rustfmt::skip]
const PI: [usize; 25] = [
    0, 6, 12, 18, 24,
    3, 9, 10, 16, 22,
    1, 7, 13, 19, 20,
    4, 5, 11, 17, 23,
    2, 8, 14, 15, 21,
];

/// How far rho rotates each lane (FIPS 202, table 2, modulo 64).
const ROTATE: [u32; 25] =
    [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];

/// The constants of iota (FIPS 202, algorithm 5).
const ROUND: [u64; 24] = round_constants();

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
    use crate::machine::path::assert_paths_agree;

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
                assert_paths_agree(&PATHS, start, rate);
            }
        }
    }
}
