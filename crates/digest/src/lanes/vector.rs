//! Registers with lanes that each hold one word of a different message.
//!
//! An algorithm is written once, generic over [`Vector`]. An instruction set is one file that implements [`Simd`] and
//! [`Vector`]. Register values can only be made with a token from `detect`, so arithmetic on registers is safe code.
//! [`Simd::run`] is the only entry into code that is compiled for the instruction set; everything called inside must be
//! `#[inline(always)]` and free of closures and iterator adaptors, which would be compiled without the instructions.

use crate::field::Field;
use crate::machine::Isa;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not};

/// The maximum number of lanes: two AVX-512 registers of 32-bit words.
pub(crate) const MAX_LANES: usize = 32;

/// The registers of an instruction set; a value proves that this processor has it.
pub(crate) trait Simd: Copy + Send + Sync + 'static {
    /// A register of 32-bit words.
    type X32: Vector<Word = u32, Simd = Self>;
    /// A register of 64-bit words.
    type X64: Vector<Word = u64, Simd = Self>;
    const ISA: Isa;

    /// Returns the token, if the processor has the instructions.
    fn detect() -> Option<Self>;

    /// Runs the task in code compiled for these instructions.
    fn run<T: Task>(self, task: T);
}

/// Work for [`Simd::run`]. The implementation must be `#[inline(always)]`.
pub(crate) trait Task {
    fn work(self);
}

/// The byte order of the words in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// A machine word, the content of one lane.
pub(crate) trait Word: Copy + Default + Field + Send + Sync + 'static {
    /// The register that holds such words.
    type Register<S: Simd>: Vector<Word = Self, Simd = S>;

    /// Writes the word's bytes.
    fn put(self, order: Order, bytes: &mut [u8]);
}

macro_rules! word {
    ($word:ty, $register:ident) => {
        impl Word for $word {
            type Register<S: Simd> = S::$register;

            fn put(self, order: Order, bytes: &mut [u8]) {
                bytes.copy_from_slice(&match order {
                    Order::Little => self.to_le_bytes(),
                    Order::Big => self.to_be_bytes(),
                });
            }
        }
    };
}
word!(u32, X32);
word!(u64, X64);

/// One word of each of [`Vector::COUNT`] messages. Arithmetic wraps.
pub(crate) trait Vector:
    Copy
    + Send
    + Add<Output = Self>
    + BitXor<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
{
    type Word: Word;
    /// The token of the instruction set.
    type Simd: Simd;
    /// The number of messages.
    const COUNT: usize;
    /// The number of words of each message that [`Vector::gather`] loads.
    const GROUP: usize;

    /// Returns a register with the same word in all lanes.
    fn splat(simd: Self::Simd, word: Self::Word) -> Self;

    /// Loads lane i from `words[i]`.
    fn load(simd: Self::Simd, words: &[Self::Word]) -> Self;

    /// Stores lane i to `words[i]`.
    fn store(self, words: &mut [Self::Word]);

    /// Rotates left. `bits` must be a constant, more than 0 and less than the bits of the word.
    fn rotl(self, bits: u32) -> Self;

    /// Shifts right. `bits` as in [`Vector::rotl`].
    fn shr(self, bits: u32) -> Self;

    /// Loads and transposes [`Vector::GROUP`] words of each message: word w of all messages goes to
    /// `out[w * stride]`.
    ///
    /// # Safety
    /// `rows` has [`Vector::COUNT`] pointers, each with GROUP words readable from byte `at`, at any
    /// alignment; `out` can be written at those indices.
    unsafe fn gather(
        simd: Self::Simd,
        rows: *const *const u8,
        at: usize,
        order: Order,
        out: *mut Self,
        stride: usize,
    );

    #[inline(always)]
    fn rotr(self, bits: u32) -> Self {
        self.rotl(size_of::<Self::Word>() as u32 * 8 - bits)
    }

    /// Returns the bits of `yes` where `self` has ones, and of `no` elsewhere.
    #[inline(always)]
    fn choose(self, yes: Self, no: Self) -> Self {
        no ^ (self & (yes ^ no))
    }

    /// Returns the majority of the three for each bit.
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        // In SHA-2, `b ^ c` of the next call is `self ^ b`, so the compiler computes it once.
        b ^ ((self ^ b) & (b ^ c))
    }

    /// `self ^ b ^ c`.
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self ^ b ^ c
    }

    /// `self ^ (b | !c)`.
    #[inline(always)]
    fn xor_or_not(self, b: Self, c: Self) -> Self {
        self ^ (b | !c)
    }

    /// `self ^ (!b & c)`.
    #[inline(always)]
    fn xor_not_and(self, b: Self, c: Self) -> Self {
        self ^ (!b & c)
    }
}

/// An array of constant length: kernels store their state and block in one.
pub(crate) trait Array<T: Copy + Send>: Copy + Send + AsRef<[T]> + AsMut<[T]> {
    /// Returns an array of equal elements.
    fn splat(value: T) -> Self;
}

impl<T: Copy + Send, const N: usize> Array<T> for [T; N] {
    #[inline(always)]
    fn splat(value: T) -> Self {
        [value; N]
    }
}

/// Repeats the block for each index as a constant: LLVM does not unroll long loops, which costs 40 %.
///
/// Large copies each stand in a loop of one iteration. LLVM removes these loops, but only after its SROA pass, which
/// takes quadratic time in the code between two branches because it searches a basic block for each variable. Without
/// them this crate takes three times as long to compile.
macro_rules! unroll {
    ($i:ident in 0..5 $body:block) => { $crate::lanes::vector::unroll!(@ $i $body 0 1 2 3 4) };
    ($i:ident in 0..8 $body:block) => { $crate::lanes::vector::unroll!(@ $i $body 0 1 2 3 4 5 6 7) };
    ($i:ident in 0..7 $body:block) => { $crate::lanes::vector::unroll!(large $i $body 0 1 2 3 4 5 6) };
    ($i:ident in 0..10 $body:block) => { $crate::lanes::vector::unroll!(large $i $body 0 1 2 3 4 5 6 7 8 9) };
    ($i:ident in 0..16 $body:block) => {
        $crate::lanes::vector::unroll!(large $i $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($i:ident in 0..20 $body:block) => {
        $crate::lanes::vector::unroll!(large $i $body 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19)
    };
    (large $i:ident $body:block $($n:literal)*) => {
        $(for _ in 0..1 {
            $crate::lanes::vector::unroll!(@ $i $body $n);
        })*
    };
    (@ $i:ident $body:block $($n:literal)*) => {
        $({
            #[allow(non_upper_case_globals)]
            const $i: usize = $n;
            $body
        })*
    };
}
pub(crate) use unroll;
