//! SHA-1, FIPS 180-4.

mod constants;
mod single;
#[cfg(target_arch = "x86_64")]
mod x86_ahead;
#[cfg(target_arch = "x86_64")]
mod x86_sha;
#[cfg(target_arch = "x86_64")]
mod x86_vector;

use crate::block::{BlockHash, LaneKernel, Padding, kernel};
use crate::lanes::costs::{Costs, costs};
use crate::lanes::vector::{Vector, unroll};
use crate::machine::Isa;
#[cfg(target_arch = "x86_64")]
use crate::machine::path::Path;
use constants::K;
use std::hint::black_box;

pub(crate) struct Sha1;

impl BlockHash for Sha1 {
    type Kernel = Compress;
    const PADDING: Padding = Padding::BIG64;
    const BYTES: usize = 20;
    const START: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
}

kernel! {
    /// Section 6.1.2, with the schedule kept in 16 words (6.1.3).
    u32, 5 by 16, Big;
    // The order was measured (2026-11) on a processor with SHA instructions and AVX-512 (Zen 4).
    best: [
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Shani, "x86 sha", x86_sha::compress),
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx512, "avx512 schedule ahead, ternary logic", x86_vector::avx512)
            .only_if(crate::machine::quick_rotations),
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx512, "avx512 schedule ahead", x86_ahead::avx512),
        #[cfg(target_arch = "x86_64")]
        Path::new(Isa::Avx2, "avx2 schedule ahead", x86_ahead::avx2),
    ];
    always: single::compress
}

impl LaneKernel for Compress {
    const PLACE: usize = 1;
    const COSTS: [Costs; 2] = costs! { "sha1":
        with_avx512: alone 74, hardware 34, Portable [74, 0], Neon [118, 0], Sse41 [118, 0], Avx2 [122, 0],
            Avx512 [143, 0];
        up_to_avx2: alone 87, hardware 38, Portable [87, 0], Neon [137, 0], Sse41 [137, 0], Avx2 [141, 0];
    };

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(simd: V::Simd, state: &mut [V; 5], block: &mut [V; 16]) {
        let [mut a, mut b, mut c, mut d, mut e] = *state;
        let k = black_box(&K);
        macro_rules! step {
            ($round:literal, $i:ident, $f:expr) => {
                const T: usize = 20 * $round + $i;
                if T >= 16 {
                    let mixed = block[(T + 13) % 16].xor3(block[(T + 8) % 16], block[(T + 2) % 16]);
                    block[T % 16] = (mixed ^ block[T % 16]).rotl(1);
                }
                let sum = (e + V::splat(simd, k[$round]) + block[T % 16]) + $f + a.rotl(5);
                (a, b, c, d, e) = (sum, a, b.rotl(30), c, d);
            };
        }
        unroll!(i in 0..20 { step!(0, i, b.choose(c, d)); });
        unroll!(i in 0..20 { step!(1, i, b.xor3(c, d)); });
        unroll!(i in 0..20 { step!(2, i, b.majority(c, d)); });
        unroll!(i in 0..20 { step!(3, i, b.xor3(c, d)); });
        *state = [state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e];
    }
}

/// Computes the digests of messages of one block each, for algorithms made of them.
///
/// # Panics
/// If there is not one output for each message.
pub fn sha1_of_blocks(messages: &[[u8; 64]], digests: &mut [[u8; 20]]) {
    assert_eq!(messages.len(), digests.len());
    let path = PATHS.best(Isa::WIDEST);
    // The second block of such a message: a one bit, zeros, and the length in bits.
    let mut padded = [0; 128];
    (padded[64], padded[126]) = (0x80, 2);
    for (message, digest) in messages.iter().zip(digests) {
        let mut state = Sha1::START;
        padded[..64].copy_from_slice(message);
        (path.compress)(&mut state, &padded);
        digest.copy_from_slice(state.map(u32::to_be_bytes).as_flattened());
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
}
