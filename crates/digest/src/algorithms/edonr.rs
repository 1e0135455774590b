//! EDON-R (D. Gligoroski and others, submission to NIST's SHA-3 competition, 2008).
//!
//! The state has two halves. The digest is the second one, which is stored first here.

use crate::block::{BlockHash, Kernel, Padding, State};
use crate::lanes::vector::Order;
use crate::machine::Isa;
use crate::machine::path::Path;

pub(crate) struct EdonR256;

impl BlockHash for EdonR256 {
    type Kernel = Compress256;
    const PADDING: Padding = Padding::LITTLE64;
    const BYTES: usize = 32;
    /// Bytes 0x40 to 0x7f.
    const START: [u32; 16] = {
        let mut start = [0; 16];
        let mut i = 0;
        while i < 16 {
            start[(i + 8) % 16] = 0x4041_4243 + i as u32 * 0x0404_0404;
            i += 1;
        }
        start
    };
}

pub(crate) struct EdonR512;

impl BlockHash for EdonR512 {
    type Kernel = Compress512;
    const PADDING: Padding = Padding::LITTLE64;
    const BYTES: usize = 64;
    /// Bytes 0x80 to 0xff.
    const START: [u64; 16] = {
        let mut start = [0; 16];
        let mut i = 0;
        while i < 16 {
            start[(i + 8) % 16] = 0x8081_8283_8485_8687 + i as u64 * 0x0808_0808_0808_0808;
            i += 1;
        }
        start
    };
}

/// Defines a compression function and its quasigroup, for a word and its rotations.
macro_rules! compress {
    ($(#[$doc:meta])* $name:ident: $word:ty, $multiply:ident, $first:expr, $second:expr) => {
        $(#[$doc])*
        pub(crate) struct $name;

        impl Kernel for $name {
            type Word = $word;
            type State<T: Copy + Send> = [T; 16];
            type Block<T: Copy + Send> = [T; 16];
            const ORDER: Order = Order::Little;

            fn path(_: Isa) -> Path<State<Self>> {
                Path::portable(|state, blocks| {
                    for block in blocks.as_chunks::<{ size_of::<$word>() }>().0.as_chunks::<16>().0 {
                        let words = block.map(<$word>::from_le_bytes);
                        let (low, high) = halves(&words);
                        let (second, first) = halves(state);
                        let (first, second) = rows($multiply, [low, high], [first, second]);
                        state[..8].copy_from_slice(&second);
                        state[8..].copy_from_slice(&first);
                    }
                })
            }
        }

        /// Computes the quasigroup's operation: two Latin squares over rotated sums, each of five of the eight words.
        #[inline(always)]
        fn $multiply(x: [$word; 8], y: [$word; 8]) -> [$word; 8] {
            let sums = |words: [$word; 8], square: &[[usize; 5]; 8], turns: [u32; 8], constant: $word| {
                let mut sums = [0; 8];
                for (row, sum) in sums.iter_mut().enumerate() {
                    let five = square[row].iter().fold(0, |sum: $word, at| sum.wrapping_add(words[*at]));
                    let five = if row == 0 { five.wrapping_add(constant) } else { five };
                    *sum = five.rotate_left(turns[row]);
                }
                sums
            };
            let a = sums(x, &SUMS[0], $first, <$word>::MAX / 3 * 2);
            let b = sums(y, &SUMS[1], $second, <$word>::MAX / 3);
            let mut product = [0; 8];
            for (place, word) in product.iter_mut().enumerate() {
                let [p, q, r] = THREES[0][place].map(|at| a[at]);
                let [s, t, u] = THREES[1][place].map(|at| b[at]);
                *word = (p ^ q ^ r).wrapping_add(s ^ t ^ u);
            }
            product
        }
    };
}

compress! {
    /// The compression function of 32-bit words.
    Compress256: u32, multiply256, [0, 5, 11, 13, 17, 19, 29, 31], [0, 3, 7, 11, 17, 19, 23, 29]
}
compress! {
    /// The compression function of 64-bit words.
    Compress512: u64, multiply512, [0, 5, 19, 29, 31, 41, 57, 61], [0, 3, 17, 23, 31, 37, 45, 59]
}

/// The five words of each sum: the rows of the two orthogonal Latin squares without their last three columns.
const SUMS: [[[usize; 5]; 8]; 2] = [
    [
        [0, 4, 1, 7, 2],
        [0, 4, 1, 7, 3],
        [0, 4, 1, 7, 6],
        [2, 3, 5, 6, 7],
        [1, 2, 3, 5, 6],
        [0, 4, 2, 3, 5],
        [0, 1, 7, 5, 6],
        [2, 3, 5, 6, 4],
    ],
    [
        [0, 1, 2, 5, 7],
        [0, 1, 3, 4, 6],
        [0, 1, 2, 5, 3],
        [2, 3, 4, 6, 7],
        [0, 1, 3, 4, 5],
        [2, 5, 6, 7, 4],
        [1, 2, 5, 6, 7],
        [0, 3, 4, 6, 7],
    ],
];

/// The three sums of each word of a product, of one factor and of the other.
const THREES: [[[usize; 3]; 8]; 2] = [
    [[0, 4, 1], [0, 4, 7], [1, 7, 6], [2, 3, 4], [0, 1, 7], [3, 5, 6], [2, 5, 6], [2, 3, 5]],
    [[0, 1, 5], [2, 6, 7], [0, 1, 3], [0, 3, 4], [1, 2, 5], [3, 4, 6], [2, 5, 7], [4, 6, 7]],
];

fn halves<T: Copy>(words: &[T; 16]) -> ([T; 8], [T; 8]) {
    (std::array::from_fn(|at| words[at]), std::array::from_fn(|at| words[at + 8]))
}

/// Computes a new state from a block and the previous state by four rows of products.
#[inline(always)]
fn rows<T: Copy>(
    multiply: impl Fn([T; 8], [T; 8]) -> [T; 8],
    [low, high]: [[T; 8]; 2],
    [first, second]: [[T; 8]; 2],
) -> ([T; 8], [T; 8]) {
    let reversed = |mut words: [T; 8]| {
        words.reverse();
        words
    };
    let left = multiply(reversed(high), low);
    let right = multiply(left, high);
    let left = multiply(second, left);
    let right = multiply(left, right);
    let left = multiply(left, first);
    let right = multiply(right, left);
    let left = multiply(reversed(low), left);
    (left, multiply(left, right))
}
