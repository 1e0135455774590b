//! SHA-3 and SHAKE, FIPS 202: the sponge with Keccak-f[1600].

use super::{BlockHash, Kernel, Padding, Single, Start};
use crate::keccak::{CHOICE, Keccak};
use crate::lanes::{Lanes, Order, unroll};

/// A sponge with a rate of `WORDS` words, the padding byte `PAD`, and a digest of `BYTES` bytes, which must
/// be at most the rate.
pub(crate) struct Sponge<const WORDS: usize, const PAD: u8, const BYTES: usize>;

/// SHA3-224.
pub(crate) type Sha3x224 = Sponge<18, 0x06, 28>;
/// SHA3-256.
pub(crate) type Sha3x256 = Sponge<17, 0x06, 32>;
/// SHA3-384.
pub(crate) type Sha3x384 = Sponge<13, 0x06, 48>;
/// SHA3-512.
pub(crate) type Sha3x512 = Sponge<9, 0x06, 64>;
/// SHAKE128 with this many bytes.
pub(crate) type Shake128<const BYTES: usize> = Sponge<21, 0x1f, BYTES>;
/// SHAKE256 with this many bytes.
pub(crate) type Shake256<const BYTES: usize> = Sponge<17, 0x1f, BYTES>;

impl<const WORDS: usize, const PAD: u8, const BYTES: usize> BlockHash for Sponge<WORDS, PAD, BYTES> {
    type Kernel = Absorb<WORDS>;
    const PADDING: Padding = Padding::Sponge(PAD);
    const BYTES: usize = BYTES;
    const START: Start<Self> = [0; 25];
}

/// Takes a block of so many words into the state and permutes it (section 3).
pub(crate) struct Absorb<const WORDS: usize>;

impl<const WORDS: usize> Kernel for Absorb<WORDS> {
    type Word = u64;
    type State<T: Copy + Send> = [T; 25];
    type Block<T: Copy + Send> = [T; WORDS];
    const NAME: &'static str = "keccak";
    const ORDER: Order = Order::Little;

    fn single() -> Single<Self> {
        let path = CHOICE.best();
        Single { run: absorb::<WORDS>, name: path.name, hardware: false }
    }

    #[inline(always)]
    fn compress<L: Lanes<Word = u64>>(isa: L::Isa, state: &mut [L; 25], block: &mut [L; WORDS]) {
        for i in 0..WORDS {
            state[i] = state[i] ^ block[i];
        }
        for round in ROUNDS {
            step::<L>(state);
            state[0] = state[0] ^ L::splat(isa, round);
        }
    }
}

/// Theta, rho, pi and chi; word (x, y) of the standard is `state[x + 5 * y]`.
#[inline(always)]
fn step<L: Lanes<Word = u64>>(state: &mut [L; 25]) {
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
            row[x] = if RHO[5 * y + x] == 0 { word } else { word.rotl(RHO[5 * y + x]) };
        });
        unroll!(x in 0..5 { state[5 * y + x] = row[x].xor_not_and(row[(x + 1) % 5], row[(x + 2) % 5]); });
    });
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

/// How far rho has rotated the word that comes to each place.
#[rustfmt::skip]
const RHO: [u32; 25] = [
    0, 44, 43, 21, 14,
    28, 20, 3, 45, 61,
    1, 6, 25, 8, 18,
    27, 36, 10, 15, 56,
    62, 55, 39, 41, 2,
];

/// Iota's constants.
const ROUNDS: [u64; 24] = [
    0x0000_0000_0000_0001,
    0x0000_0000_0000_8082,
    0x8000_0000_0000_808a,
    0x8000_0000_8000_8000,
    0x0000_0000_0000_808b,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8009,
    0x0000_0000_0000_008a,
    0x0000_0000_0000_0088,
    0x0000_0000_8000_8009,
    0x0000_0000_8000_000a,
    0x0000_0000_8000_808b,
    0x8000_0000_0000_008b,
    0x8000_0000_0000_8089,
    0x8000_0000_0000_8003,
    0x8000_0000_0000_8002,
    0x8000_0000_0000_0080,
    0x0000_0000_0000_800a,
    0x8000_0000_8000_000a,
    0x8000_0000_8000_8081,
    0x8000_0000_0000_8080,
    0x0000_0000_8000_0001,
    0x8000_0000_8000_8008,
];

/// The path that this machine takes for one message.
fn absorb<const WORDS: usize>(state: &mut [u64; 25], blocks: &[u8]) {
    let mut keccak = Keccak { lanes: *state, rate: WORDS * 8, rounds: 24 };
    (CHOICE.best().compress)(&mut keccak, blocks);
    *state = keccak.lanes;
}
