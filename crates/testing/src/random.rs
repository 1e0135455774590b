//! Random numbers that are equal in every run and on every machine.

/// Returns how many random cases a test tries: its usual number, multiplied by the environment's `HASHMILL_CASES`, a factor
/// such as 0.1 or 8; one at least.
///
/// # Panics
/// If the factor is no number, as less would be tried than somebody believes.
pub fn cases(usual: usize) -> usize {
    match std::env::var("HASHMILL_CASES") {
        Ok(factor) => multiplied(usual, factor.parse().expect("HASHMILL_CASES is a factor such as 0.1 or 8")),
        Err(_) => multiplied(usual, 1.0),
    }
}

fn multiplied(usual: usize, factor: f64) -> usize {
    ((usual as f64 * factor).round() as usize).max(1)
}

/// SplitMix64 (Steele, Lea, Flood 2014), from a seed.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// Returns the next number.
    #[allow(clippy::should_implement_trait, reason = "numbers never end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below a bound; 0 if the bound is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.below_u64(bound as u64) as usize
    }

    /// Returns a number below a 64-bit bound; 0 if the bound is 0.
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// Returns true once in `times` calls on average.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Returns one of several values.
    ///
    /// # Panics
    /// If there are none.
    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// Returns `length` random bytes.
    pub fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next() as u8).collect()
    }

    /// Returns a digest of at most 64 random bytes.
    #[cfg(any(feature = "index", feature = "samples"))]
    pub fn digest(&mut self, bytes: usize) -> hashmill_digest::Digest {
        let mut value = [0; 64];
        for chunk in value.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_be_bytes());
        }
        hashmill_digest::Digest::new(&value[..bytes])
    }
}

/// Returns bytes with a period that is no power of two and no multiple of a leaf length, which reveals swapped blocks.
pub fn paint(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index % 251) as u8 ^ (index / 251 % 7) as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_reference_implementation() {
        let mut random = Random(1_234_567);
        let first = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([random.next(), random.next(), random.next()], first);
    }

    #[test]
    fn a_factor_leaves_one_case_at_least() {
        let multiplied = [(200, 1.0), (200, 55.0), (40, 0.1), (4, 0.1), (3, 2.5)]
            .map(|(usual, factor)| multiplied(usual, factor));
        assert_eq!(multiplied, [200, 11_000, 4, 1, 8]);
    }
}
