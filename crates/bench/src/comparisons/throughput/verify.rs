//! The verification that all code produces the same digests, before it is measured.

use crate::implementation::{Implementation, empty};
use hashmill_digest::{Algorithm, Digest};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest message in bytes: BLAKE3's lanes take no longer ones.
const LONGEST_MESSAGE: u64 = 8 * 1024;

/// The random messages for which all implementations agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// The number of messages for each implementation.
    pub messages: usize,
    /// The seed of the messages.
    pub seed: u64,
}

/// An implementation whose digest differs from that of plain code.
#[derive(Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The algorithm.
    pub algorithm: &'static str,
    /// The implementation.
    pub implementation: String,
    /// The length of the message in bytes.
    pub bytes: usize,
    /// The seed of the messages.
    pub seed: u64,
}

/// Compares every implementation with plain code (or, if there is none, with the one for single messages), over at
/// least `messages` random messages of all lengths up to 8 KiB, generated from the seed.
///
/// # Errors
/// The first [`Disagreement`].
pub fn verify(
    algorithms: &[&'static Algorithm],
    messages: usize,
    seed: u64,
) -> Result<Verified, Disagreement> {
    for algorithm in algorithms {
        let plain = || {
            let portable = Implementation::portable(algorithm, 1);
            portable.unwrap_or_else(|| Implementation::alone(algorithm))
        };
        let mut others = Implementation::all_of(algorithm, 1);
        others.extend(Implementation::many(algorithm, 1));
        others.iter_mut().try_for_each(|other| agree(&mut plain(), other, messages, seed))?;
    }
    Ok(Verified { messages, seed })
}

fn agree(
    plain: &mut Implementation,
    other: &mut Implementation,
    count: usize,
    seed: u64,
) -> Result<(), Disagreement> {
    let mut random = Random(seed);
    for _ in 0..count.div_ceil(other.lanes) {
        let messages: Vec<Vec<u8>> = (0..other.lanes).map(|_| random.message()).collect();
        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        let mut digests = vec![empty(); slices.len()];
        other.hash(&slices, &mut digests);
        for (message, digest) in slices.iter().zip(&digests) {
            if one(plain, message) != *digest {
                let (algorithm, implementation) = (other.algorithm.name, other.name.clone());
                return Err(Disagreement { algorithm, implementation, bytes: message.len(), seed });
            }
        }
    }
    Ok(())
}

fn one(implementation: &mut Implementation, message: &[u8]) -> Digest {
    let mut digest = [empty()];
    implementation.hash(&[message], &mut digest);
    digest[0]
}

/// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Returns a message; short and long ones are equally frequent: each bit length of its size is equally likely.
    fn message(&mut self) -> Vec<u8> {
        let bits = self.next() % (u64::from(LONGEST_MESSAGE.ilog2()) + 1);
        let bytes = (self.next() % (2 << bits)).min(LONGEST_MESSAGE) as usize;
        let words = (0..bytes.div_ceil(8)).map(|_| self.next());
        let mut message: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        message.truncate(bytes);
        message
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Disagreement { algorithm, implementation, bytes, seed } = self;
        write!(
            f,
            "{algorithm}: '{implementation}' and plain code differ over a message of {bytes} bytes (seed {seed})"
        )
    }
}

impl std::error::Error for Disagreement {}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::find;

    #[test]
    fn all_implementations_of_this_machine_agree() {
        let algorithms = ["sha256", "sha256d", "blake3", "blake3d", "xxh3"].map(|name| find(name).unwrap());
        assert_eq!(verify(&algorithms, 64, 1), Ok(Verified { messages: 64, seed: 1 }));
    }

    #[test]
    fn an_implementation_that_differs_is_named() {
        let (sha256, sha1) = (find("sha256").unwrap(), find("sha1").unwrap());
        let mut wrong = Implementation::alone(sha1);
        let found = agree(&mut Implementation::alone(sha256), &mut wrong, 3, 7).unwrap_err();
        assert_eq!((found.algorithm, found.seed), ("sha1", 7));
        assert!(found.to_string().contains("seed 7"), "{found}");
    }

    #[test]
    fn messages_are_short_and_long() {
        let mut random = Random(1);
        let lengths: Vec<usize> = (0..1000).map(|_| random.message().len()).collect();
        assert!(lengths.contains(&0));
        assert!(lengths.iter().any(|length| *length > 4096));
        assert!(lengths.iter().all(|length| *length <= LONGEST_MESSAGE as usize));
    }
}
