//! The seal of a state: one sum that binds all its rows, in any order, and changes with each of them.
//!
//! It is LtHash (Bellare and Micciancio 1997, "A new paradigm for collision-free hashing"; in this size: Lewi, Kim, Maykov and Weis 2019,
//! "Securing Update Propagation with Homomorphic Hashing"): 1,024 numbers of 16 bits, to which each row adds those that BLAKE3's
//! extended output gives for it. So a run that changes one row of a million renews the seal for the price of one row, and
//! a killed run leaves the seal of what it committed. Rows are a set: each path occurs once.

use std::fmt;
use std::sync::LazyLock;

/// The size of a sum in bytes.
pub(crate) const BYTES: usize = 2048;

/// Separates what is hashed here from all else.
const CONTEXT: &str = "hashmill 2026-11-26 rows of a state of verification";

/// A hasher that has read the context.
static IN_CONTEXT: LazyLock<blake3::Hasher> = LazyLock::new(|| blake3::Hasher::new_derive_key(CONTEXT));

/// The sum of all rows of a state.
#[derive(Clone, PartialEq, Eq)]
pub struct Seal(Box<[u16; BYTES / 2]>);

impl Default for Seal {
    fn default() -> Seal {
        Seal(Box::new([0; BYTES / 2]))
    }
}

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seal({})", self.text())
    }
}

impl Seal {
    /// Adds a row.
    pub(crate) fn add(&mut self, row: &[u8]) {
        self.combine(row, u16::wrapping_add);
    }

    /// Takes a row away.
    pub(crate) fn remove(&mut self, row: &[u8]) {
        self.combine(row, u16::wrapping_sub);
    }

    /// Combines the sum with the numbers of a row. Generic, so that the loop becomes vector instructions.
    fn combine(&mut self, row: &[u8], with: impl Fn(u16, u16) -> u16) {
        let mut output = [0; BYTES];
        let mut hasher = IN_CONTEXT.clone();
        hasher.update(row).finalize_xof().fill(&mut output);
        for (sum, part) in self.0.iter_mut().zip(output.as_chunks::<2>().0) {
            *sum = with(*sum, u16::from_le_bytes(*part));
        }
    }

    /// Returns the sum as bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|sum| sum.to_le_bytes()).collect()
    }

    /// Returns the sum that these bytes are; none if they are too many or too few.
    pub(crate) fn of_bytes(bytes: &[u8]) -> Option<Seal> {
        let bytes: &[u8; BYTES] = bytes.try_into().ok()?;
        let mut seal = Seal::default();
        for (sum, part) in seal.0.iter_mut().zip(bytes.as_chunks::<2>().0) {
            *sum = u16::from_le_bytes(*part);
        }
        Some(seal)
    }

    /// Returns the BLAKE3 digest of the sum in hexadecimal digits: what people compare, and what is signed.
    pub fn text(&self) -> String {
        blake3::hash(&self.bytes()).to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_seal_of_nothing_is_zero() {
        assert_eq!(Seal::default().bytes(), [0; BYTES]);
        assert_eq!(Seal::of_bytes(&[0; BYTES - 1]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(hashmill_testing::cases(256) as u32))]

        #[test]
        fn order_does_not_matter_and_rows_can_be_taken_away(
            rows in proptest::collection::hash_set(proptest::collection::vec(any::<u8>(), 0..50), 1..9)
        ) {
            let rows: Vec<Vec<u8>> = rows.into_iter().collect();
            let (mut forward, mut backward) = (Seal::default(), Seal::default());
            rows.iter().for_each(|row| forward.add(row));
            rows.iter().rev().for_each(|row| backward.add(row));
            prop_assert_eq!(&forward, &backward);
            prop_assert_eq!(Seal::of_bytes(&forward.bytes()), Some(forward.clone()));
            rows[1..].iter().for_each(|row| forward.remove(row));
            let mut one = Seal::default();
            one.add(&rows[0]);
            prop_assert_eq!(&forward, &one);
            prop_assert_ne!(forward.text(), Seal::default().text());
        }
    }
}
