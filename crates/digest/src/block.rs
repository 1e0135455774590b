//! Block hashes: a compression function, an initial state, a padding and a length.
//!
//! A [`Kernel`] compresses blocks of one message. A [`LaneKernel`] is written over lanes, so that it compresses those
//! of many messages as well. A [`BlockHash`] is a complete hash function.

use crate::Digest;
use crate::digest::MAX_BYTES;
use crate::lanes::costs::Costs;
use crate::lanes::vector::{Array, Order, Vector, Word};
use crate::machine::Isa;
#[cfg(target_arch = "x86_64")]
use crate::machine::path::Pair;
use crate::machine::path::Path;

/// The largest block: SHAKE128's.
pub(crate) const MAX_BLOCK: usize = 168;

/// A compression function: computes a new state from a state and a block of words.
pub(crate) trait Kernel: Send + Sync + Sized + 'static {
    /// The word that it computes with.
    type Word: Word;
    /// The state, of words or of registers.
    type State<T: Copy + Send>: Array<T>;
    /// The block, of words or of registers.
    type Block<T: Copy + Send>: Array<T>;
    /// The byte order of the words in blocks and digests.
    const ORDER: Order;
    const BLOCK: usize = size_of::<Self::Block<Self::Word>>();

    /// Returns the best way to compress blocks of one message on this machine; plain machine words for the limit
    /// [`Isa::Portable`].
    fn path(limit: Isa) -> Path<State<Self>>;

    /// Prepares the state for the last block of a message of `total` bytes; only for kernels with this in their state
    /// ([`Padding::Held`]).
    fn mark_last(_: &mut State<Self>, _total: u64) {}
}

/// Defines the [`Kernel`] `Compress` with these numbers of words in the state and the block, its
/// [`PATHS`](crate::machine::path::Paths) (the best first, then the one that always works), and a test that they agree.
macro_rules! kernel {
    ($(#[$doc:meta])* $word:ident, $state:literal by $block:literal, $order:ident;
     best: [$($best:tt)*]; always: $always:expr) => {
        static PATHS: $crate::machine::path::Paths<[$word; $state]> = $crate::machine::path::Paths::new(&[$($best)*], $always);

        $(#[$doc])*
        pub(crate) struct Compress;

        impl $crate::block::Kernel for Compress {
            type Word = $word;
            type State<T: Copy + Send> = [T; $state];
            type Block<T: Copy + Send> = [T; $block];
            const ORDER: $crate::lanes::vector::Order = $crate::lanes::vector::Order::$order;

            fn path(limit: $crate::machine::Isa) -> $crate::machine::path::Path<[$word; $state]> {
                PATHS.best(limit)
            }
        }

        #[cfg(test)]
        mod paths {
            #[test]
            fn agree() {
                let start = std::array::from_fn(|i| $word::MAX / (i as $word + 3));
                crate::machine::path::assert_paths_agree(&super::PATHS, start, $block * size_of::<$word>());
            }
        }
    };
}
pub(crate) use kernel;

/// A compression function that is written once for every register.
pub(crate) trait LaneKernel: Kernel {
    /// The position among the kernels of a calibration file, in which lines keep their order: the next unused number.
    const PLACE: usize;
    /// The name and the built-in costs, by [`costs!`](crate::lanes::costs::costs).
    const COSTS: [Costs; 2];
    /// The instruction sets for which two registers side by side may pay: those for which one leaves the processor
    /// waiting and two states still fit into its registers. On all others they were no faster than one after the other
    /// (2026-11-22, Zen 3, Zen 4, Cascade Lake), and they take long to compile.
    const PAIRS: &'static [Isa] = &[];

    /// Compresses one block of each lane. The block may be used as working memory.
    /// Implementations are `#[inline(always)]`, without closures.
    fn compress<V: Vector<Word = Self::Word>>(
        simd: V::Simd,
        state: &mut Self::State<V>,
        block: &mut Self::Block<V>,
    );

    /// Returns a way to compress blocks of two messages at once with the processor's instructions for the algorithm, if
    /// this machine has them and one message leaves them waiting.
    #[cfg(target_arch = "x86_64")]
    fn pair() -> Option<Pair<State<Self>>> {
        None
    }
}

/// A hash function made of a kernel.
pub(crate) trait BlockHash: Send + 'static {
    type Kernel: Kernel;
    const PADDING: Padding;
    const BYTES: usize;
    /// The state before the first block.
    const START: State<Self::Kernel>;
    /// Whether output goes on after the digest: each block of it is the state after one more permutation.
    const EXTENDABLE: bool = false;
}

/// A hash function with a kernel for every register.
pub(crate) trait LaneHash: BlockHash<Kernel: LaneKernel> {}

impl<A: BlockHash<Kernel: LaneKernel>> LaneHash for A {}

/// The state of one message.
pub(crate) type State<K> = <K as Kernel>::State<<K as Kernel>::Word>;

/// The padding after the last byte of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Padding {
    /// This byte, zeros, and the length in bits in this many bytes.
    Length { mark: u8, bytes: usize, order: Order },
    /// This byte, zeros, and a one as the block's very last bit.
    Sponge(u8),
    /// Zeros. The last block, which may be full, is held back until the end is known, and is marked for the kernel.
    Held,
}

impl Padding {
    /// A one bit, and the length in 8 bytes, the least significant first (RFC 1321, 3.2: only the low 64 bits of a
    /// longer count are used).
    pub(crate) const LITTLE64: Padding = Padding::Length { mark: 0x80, bytes: 8, order: Order::Little };
    /// A one bit, and the length in 8 bytes, the most significant first.
    pub(crate) const BIG64: Padding = Padding::Length { mark: 0x80, bytes: 8, order: Order::Big };
    /// Like [`Padding::BIG64`] with 16 bytes.
    pub(crate) const BIG128: Padding = Padding::Length { mark: 0x80, bytes: 16, order: Order::Big };
    /// Like [`Padding::BIG64`] with 32 bytes.
    pub(crate) const BIG256: Padding = Padding::Length { mark: 0x80, bytes: 32, order: Order::Big };

    /// Returns how many bytes must follow a block before it may be compressed.
    pub(crate) const fn held(self) -> usize {
        matches!(self, Padding::Held) as usize
    }

    /// Returns the minimum number of bytes of padding.
    const fn least(self) -> usize {
        match self {
            Padding::Length { bytes, .. } => 1 + bytes,
            Padding::Sponge(_) => 1,
            Padding::Held => 0,
        }
    }

    /// Whether the last bytes of a message and the padding fit into two blocks; into one, if the last block is held
    /// back.
    pub(crate) const fn fits_two(self, block: usize, fill: usize) -> bool {
        let most = if self.held() > 0 { block } else { 2 * block };
        fill + self.least() <= most
    }

    /// Pads a message of `total` bytes. `tail` begins with its last `fill` bytes, for which [`Padding::fits_two`]
    /// holds. Returns the number of blocks, 1 or 2.
    pub(crate) fn apply(self, tail: &mut [u8], block: usize, fill: usize, total: u64) -> usize {
        let blocks = if fill + self.least() > block { 2 } else { 1 };
        let end = blocks * block;
        tail[fill..end].fill(0);
        let bits = u128::from(total) << 3;
        match self {
            Padding::Length { mark, bytes, order } => {
                tail[fill] = mark;
                let field = &mut tail[end - bytes.min(16)..end];
                match order {
                    Order::Little => field.copy_from_slice(&bits.to_le_bytes()[..field.len()]),
                    Order::Big => field.copy_from_slice(&bits.to_be_bytes()[16 - field.len()..]),
                }
            }
            Padding::Sponge(byte) => {
                tail[fill] = byte;
                tail[end - 1] |= 0x80;
            }
            Padding::Held => {}
        }
        blocks
    }
}

/// Returns the digest of a final state.
pub(crate) fn digest<A: BlockHash>(state: &State<A::Kernel>) -> Digest {
    let mut bytes = [0; MAX_BYTES];
    put::<A::Kernel>(state, &mut bytes);
    Digest::new(&bytes[..A::BYTES])
}

/// Writes the words of a state, as many as there is room for.
pub(crate) fn put<K: Kernel>(state: &State<K>, bytes: &mut [u8]) {
    for (word, bytes) in state.as_ref().iter().zip(bytes.chunks_exact_mut(size_of::<K::Word>())) {
        word.put(K::ORDER, bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the padded blocks after `fill` bytes, and their number.
    fn pad(padding: Padding, block: usize, fill: usize, total: u64) -> (Vec<u8>, usize) {
        let mut tail = vec![1; 2 * block];
        let blocks = padding.apply(&mut tail, block, fill, total);
        (tail, blocks)
    }

    #[test]
    fn padding_takes_a_second_block_only_when_the_length_does_not_fit() {
        for (fill, padding, expected) in [
            (55, Padding::BIG64, 1),
            (56, Padding::BIG64, 2),
            (55, Padding::LITTLE64, 1),
            (63, Padding::LITTLE64, 2),
            (47, Padding::BIG128, 1),
            (48, Padding::BIG128, 2),
            (31, Padding::BIG256, 1),
            (32, Padding::BIG256, 2),
            (63, Padding::Sponge(6), 1),
            (64, Padding::Held, 1),
        ] {
            let (_, blocks) = pad(padding, 64, fill, fill as u64);
            assert_eq!(blocks, expected, "{fill} {padding:?}");
        }
    }

    #[test]
    fn bit_counts_past_32_and_past_64_bits_are_whole() {
        let (tail, _) = pad(Padding::BIG64, 64, 0, 1 << 29);
        assert_eq!(tail[56..64], [0, 0, 0, 1, 0, 0, 0, 0]);
        let (tail, _) = pad(Padding::LITTLE64, 64, 0, (1 << 32) + 1);
        assert_eq!(tail[56..64], [8, 0, 0, 0, 8, 0, 0, 0]);
        let (tail, _) = pad(Padding::BIG128, 128, 0, 1 << 61);
        assert_eq!(tail[112..128], [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
        let (tail, _) = pad(Padding::LITTLE64, 64, 0, 1 << 61);
        assert_eq!(tail[56..64], [0; 8]);
    }
}
