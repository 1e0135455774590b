//! The block hashes, one file an algorithm, each written once for every register.
//!
//! A [`Kernel`] is a compression function; a [`BlockHash`] is what a user asks for: a kernel with a start,
//! a padding and a length.

use crate::Digest;
use crate::hw::Choice;
use crate::lanes::{Lanes, Order, Row, Word};
use crate::machine::Isa;

pub(crate) mod blake;
pub(crate) mod keccak;
pub(crate) mod md5;
pub(crate) mod ripemd160;
pub(crate) mod sha1;
pub(crate) mod sha256;
pub(crate) mod sha512;
pub(crate) mod sm3;

/// A compression function: a state and a block of words to a new state.
pub(crate) trait Kernel: Send + Sync + Sized + 'static {
    /// The word that it computes with.
    type Word: Word;
    /// The state, of words or of registers.
    type State<T: Copy + Send>: Row<T>;
    /// The block, of words or of registers.
    type Block<T: Copy + Send>: Row<T>;
    /// Its name in the table of costs.
    const NAME: &'static str;
    /// Byte order of the block's words.
    const ORDER: Order;
    /// Whether two registers side by side can pay: only where one leaves the processor waiting and the
    /// state of two still fits into its registers. For all others they were slower than one after the
    /// other on every instruction set (2026-11-21, Zen 4), and they take long to compile.
    const PAIRS: bool = false;
    /// Bytes of a block.
    const BLOCK: usize = size_of::<Self::Block<Self::Word>>();

    /// Compresses one block of each lane. The block may be used as working memory.
    /// Implementations are `#[inline(always)]`, without closures.
    fn compress<L: Lanes<Word = Self::Word>>(
        isa: L::Isa,
        state: &mut Self::State<L>,
        block: &mut Self::Block<L>,
    );

    /// Prepares the state for the last block of a message of `total` bytes; only for kernels whose state
    /// says so ([`Padding::Held`]).
    fn mark_last(_: &mut Self::State<Self::Word>, _total: u64) {}

    /// A way to compress blocks of two messages at once with the processor's instructions for the algorithm,
    /// where this machine has them and one message leaves them waiting.
    fn pair() -> Option<Pair<Self>> {
        None
    }

    /// The best way to compress blocks of one message on this machine.
    fn single() -> Single<Self> {
        Single::portable()
    }
}

/// Compresses blocks, as many of each, of two messages.
pub(crate) type Pair<K> = crate::hw::Pair<State<K>>;

/// A way to compress blocks of one message.
pub(crate) struct Single<K: Kernel> {
    /// Compresses whole blocks.
    pub(crate) run: fn(&mut K::State<K::Word>, &[u8]),
    /// What it is, for people.
    pub(crate) name: &'static str,
    /// Whether it uses instructions made for the algorithm: the table of costs has both.
    pub(crate) hardware: bool,
}

impl<K: Kernel> Single<K> {
    /// The path that this machine takes for one message.
    pub(crate) fn of(choice: &'static Choice<K::State<K::Word>>) -> Self {
        let path = choice.best();
        Single { run: path.compress, name: path.name, hardware: path.isa == Isa::Shani }
    }

    /// Plain machine words.
    pub(crate) fn portable() -> Self {
        Single { run: crate::lanes::single::<K>, name: "portable", hardware: false }
    }
}

/// A hash function made of a kernel.
pub(crate) trait BlockHash: Send + 'static {
    /// The compression function.
    type Kernel: Kernel;
    /// What follows the message.
    const PADDING: Padding;
    /// Bytes of the digest.
    const BYTES: usize;
    /// The state before the first block.
    const START: Start<Self>;
}

/// The state of one message.
pub(crate) type Start<A> = State<<A as BlockHash>::Kernel>;
/// The state of one message.
pub(crate) type State<K> = <K as Kernel>::State<<K as Kernel>::Word>;

/// What follows the last byte of a message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Padding {
    /// A one bit, zeros, and the length in bits in 8 bytes, little-endian.
    Little64,
    /// The same, big-endian.
    Big64,
    /// The same, big-endian in 16 bytes.
    Big128,
    /// This byte, zeros, and a one as the block's very last bit.
    Sponge(u8),
    /// Zeros; the last block, which may be full, is held back until the end is known, and the kernel is
    /// told of it.
    Held,
}

impl Padding {
    /// Pads a message of `total` bytes whose last `fill` bytes, less than a block (or a whole one, if
    /// held), begin `tail`. Gives the number of blocks, 1 or 2.
    pub(crate) fn apply(self, tail: &mut [u8], block: usize, fill: usize, total: u64) -> usize {
        let length = match self {
            Padding::Little64 | Padding::Big64 => 8,
            Padding::Big128 => 16,
            Padding::Sponge(_) | Padding::Held => 0,
        };
        let mark = usize::from(self != Padding::Held);
        let blocks = if fill + mark + length > block { 2 } else { 1 };
        let end = blocks * block;
        tail[fill..end].fill(0);
        let bits = u128::from(total) * 8;
        match self {
            Padding::Little64 => {
                tail[fill] = 0x80;
                tail[end - 8..end].copy_from_slice(&(bits as u64).to_le_bytes());
            }
            Padding::Big64 => {
                tail[fill] = 0x80;
                tail[end - 8..end].copy_from_slice(&(bits as u64).to_be_bytes());
            }
            Padding::Big128 => {
                tail[fill] = 0x80;
                tail[end - 16..end].copy_from_slice(&bits.to_be_bytes());
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

/// The digest that a final state stands for.
pub(crate) fn digest<A: BlockHash>(state: &Start<A>) -> Digest {
    let mut bytes = [0; 200];
    let size = size_of::<<A::Kernel as Kernel>::Word>();
    for (word, bytes) in state.as_ref().iter().zip(bytes.chunks_exact_mut(size)) {
        word.put(A::Kernel::ORDER, bytes);
    }
    Digest::new(&bytes[..A::BYTES])
}
