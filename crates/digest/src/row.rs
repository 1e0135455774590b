//! The same word of the message schedules of several blocks, side by side.
//!
//! A schedule is written once over [`Row`]: a plain number is a row of one block, a vector register one of
//! several.

/// `L` words that are worked on together.
pub(crate) trait Row<W, const L: usize>: Copy {
    /// These words.
    fn new(words: [W; L]) -> Self;
    /// The words.
    fn words(self) -> [W; L];
    /// The same word `L` times.
    fn splat(word: W) -> Self;
    /// Word by word, the sum without the carry.
    fn add(self, other: Self) -> Self;
    /// Word by word, exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Every word shifted right.
    fn shift(self, bits: u32) -> Self;
    /// Every word rotated right.
    fn rotate(self, bits: u32) -> Self;
}

macro_rules! one {
    ($word:ty) => {
        impl Row<$word, 1> for $word {
            #[inline(always)]
            fn new([word]: [$word; 1]) -> Self {
                word
            }
            #[inline(always)]
            fn words(self) -> [$word; 1] {
                [self]
            }
            #[inline(always)]
            fn splat(word: $word) -> Self {
                word
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn shift(self, bits: u32) -> Self {
                self >> bits
            }
            #[inline(always)]
            fn rotate(self, bits: u32) -> Self {
                self.rotate_right(bits)
            }
        }
    };
}

one!(u32);
one!(u64);
