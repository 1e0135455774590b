//! A set of cluster numbers in bounded memory.

use std::collections::BTreeMap;

/// The bits of a part of the set.
const PART: u64 = 1 << 15;

/// The most parts: 64 MiB.
const MOST_PARTS: usize = 1 << 14;

/// A set of numbers. Those for which there is no room count as not in it.
#[derive(Debug, Default)]
pub(crate) struct Used {
    parts: BTreeMap<u64, Box<[u64]>>,
    /// Whether some numbers could not be added.
    pub(crate) overflowed: bool,
}

impl Used {
    /// Adds a number, and returns whether it was in the set.
    pub(crate) fn insert(&mut self, number: u64) -> bool {
        let (part, bit) = (number / PART, number % PART);
        if self.parts.len() >= MOST_PARTS && !self.parts.contains_key(&part) {
            self.overflowed = true;
            return false;
        }
        let words = self.parts.entry(part).or_insert_with(|| vec![0; (PART / 64) as usize].into());
        let Some(word) = words.get_mut((bit / 64) as usize) else { return false };
        let was = *word >> (bit % 64) & 1 == 1;
        *word |= 1 << (bit % 64);
        was
    }

    /// Returns whether a number is in the set.
    pub(crate) fn contains(&self, number: u64) -> bool {
        let (part, bit) = (number / PART, number % PART);
        let word = self.parts.get(&part).and_then(|words| words.get((bit / 64) as usize));
        word.is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_once_they_were_added() {
        let mut used = Used::default();
        for number in [0, 63, 64, PART - 1, PART, u64::MAX] {
            assert!(!used.contains(number));
            assert!(!used.insert(number));
            assert!(used.insert(number) && used.contains(number));
        }
        assert!(!used.contains(1) && !used.overflowed);
    }

    #[test]
    fn memory_is_bounded() {
        let mut used = Used::default();
        (0..MOST_PARTS as u64 + 5).for_each(|part| {
            used.insert(part * PART);
        });
        assert!(used.overflowed && used.parts.len() == MOST_PARTS);
    }
}
