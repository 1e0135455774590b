//! The Bloom filters of sdhash and mrsh-v2: 2,048 bits, five of them for each element.

/// The length of a filter in bytes.
pub(crate) const BYTES: usize = 256;
/// The length of a filter in words.
const WORDS: usize = BYTES / 8;

/// A set of elements, with some false positives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub struct Filter([u64; WORDS]);

impl Filter {
    /// The empty filter.
    pub const EMPTY: Filter = Filter([0; WORDS]);

    /// Sets the bits of an element (the low eleven of each number); returns how many different ones were not set
    /// before.
    pub fn insert(&mut self, bits: [u32; 5]) -> u32 {
        let mut new = 0;
        for bit in bits.map(|bit| bit as usize % (8 * BYTES)) {
            new += u32::from(self.0[bit / 64] >> (bit % 64) & 1 == 0);
            self.0[bit / 64] |= 1 << (bit % 64);
        }
        new
    }

    /// Returns the filter as bytes: bit 0 is the lowest of the first byte.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        for (place, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Reads a filter from its bytes.
    pub fn from_bytes(bytes: &[u8; BYTES]) -> Self {
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
        Filter(words)
    }

    /// Returns the number of set bits.
    #[inline(always)]
    pub fn weight(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the number of bits set in both filters, in the words `FROM..TO`.
    #[inline(always)]
    pub(crate) fn common<const FROM: usize, const TO: usize>(&self, other: &Self) -> u32 {
        let mut sum = 0;
        for i in FROM..TO {
            sum += (self.0[i] & other.0[i]).count_ones();
        }
        sum
    }

    /// Returns the number of bits set in both filters.
    #[inline(always)]
    pub(crate) fn common_all(&self, other: &Self) -> u32 {
        self.common::<0, WORDS>(other)
    }

    /// Combines the four quarters by OR into the first one; the others are empty.
    pub(crate) fn folded(&self) -> Self {
        let mut folded = Filter::EMPTY;
        for (i, word) in self.0.iter().enumerate() {
            folded.0[i % (WORDS / 4)] |= word;
        }
        folded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Features;

    #[test]
    fn bits_stand_where_they_are_written() {
        let mut filter = Filter::EMPTY;
        assert_eq!(filter.insert([0, 9, 9, 2047, 2048 + 16]), 4);
        assert_eq!(filter.insert([0, 9, 9, 2047, 16]), 0);
        let bytes = filter.to_bytes();
        assert_eq!((bytes[0], bytes[1], bytes[2], bytes[255]), (1, 2, 1, 0x80));
        assert_eq!(Filter::from_bytes(&bytes), filter);
    }

    #[test]
    fn every_processor_counts_alike() {
        let mut state = 1_u64;
        let mut filter = || {
            Filter(std::array::from_fn(|_| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                state ^ state >> 31
            }))
        };
        for _ in 0..hashmill_testing::cases(50) {
            let (a, b) = (filter(), filter());
            let bits = |byte: usize| a.to_bytes()[byte] & b.to_bytes()[byte];
            let expected: u32 = (0..BYTES).map(|byte| bits(byte).count_ones()).sum();
            for features in Features::available() {
                assert_eq!(
                    features.run(
                        #[inline(always)]
                        || a.common_all(&b)
                    ),
                    expected
                );
            }
        }
    }
}
