//! BLAKE3 with a key, and as a key derivation function (paper, section 2.3): two modes in addition to plain hashing.

use super::key::{KEY_BYTES, ModeKey};
use super::output::Extended;
use super::tree::Merge;
use crate::Digest;
use crate::algorithm::parameter::kept;
use crate::algorithm::{Algorithm, KeyMode};
use crate::bank::{Bank, serial_by};
use blake3::hazmat::{self, HasherExt};

fn starting(hasher: blake3::Hasher, bytes: usize) -> Box<dyn Bank> {
    serial_by(move || Extended::starting(hasher.clone(), bytes))
}

/// Makes a bank of BLAKE3 with this key.
pub fn with_key(key: &[u8; KEY_BYTES]) -> Box<dyn Bank> {
    starting(blake3::Hasher::new_keyed(key), KEY_BYTES)
}

/// Makes a bank of BLAKE3 that derives keys in this context.
pub fn with_context(context: &str) -> Box<dyn Bank> {
    starting(blake3::Hasher::new_derive_key(context), KEY_BYTES)
}

/// Makes a bank of `blake3-keyed` without its key.
pub(crate) fn by_no_key() -> Box<dyn Bank> {
    starting(ModeKey::random(KeyMode::Keyed).hasher(), KEY_BYTES)
}

/// Makes a bank of `blake3-derive-key` without its context.
pub(crate) fn by_no_context() -> Box<dyn Bank> {
    starting(ModeKey::random(KeyMode::DeriveKey).hasher(), KEY_BYTES)
}

/// Makes the algorithm with this many bytes of digest, up to 64. It lacks its key.
pub(crate) fn of_length(base: &'static Algorithm, bytes: u64) -> Algorithm {
    keyed(base, None, bytes)
}

/// Makes the algorithm with this key, and this many bytes of digest.
pub(super) fn keyed(base: &'static Algorithm, key: Option<ModeKey>, bytes: u64) -> Algorithm {
    let Some(mode) = base.key_mode else { return Algorithm { ..*base } };
    let (bits, bytes) = (8 * bytes as u32, bytes as usize);
    let make = kept(move || starting(key.unwrap_or_else(|| ModeKey::random(mode)).hasher(), bytes));
    Algorithm {
        bits,
        bank: make,
        alone: make,
        tree: Some(Box::leak(Box::new(KeyedTree { mode, key, bytes }))),
        lacks_key: key.is_none(),
        ..*base
    }
}

/// Hashes one message on several threads.
pub(crate) struct KeyedTree {
    mode: KeyMode,
    key: Option<ModeKey>,
    bytes: usize,
}

impl KeyedTree {
    /// Describes the tree of a row, which has no key.
    pub(crate) const fn without_key(mode: KeyMode) -> KeyedTree {
        KeyedTree { mode, key: None, bytes: KEY_BYTES }
    }

    fn key(&self) -> ModeKey {
        self.key.unwrap_or_else(|| ModeKey::random(self.mode))
    }
}

impl Merge for KeyedTree {
    fn merge(&self, left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
        hazmat::merge_subtrees_non_root(left, right, self.key().mode())
    }

    fn subtree(&self, offset: u64, bytes: &[u8]) -> [u8; 32] {
        let mut hasher = self.key().hasher();
        hasher.set_input_offset(offset).update(bytes);
        hasher.finalize_non_root()
    }

    fn root(&self, left: &[u8; 32], right: &[u8; 32]) -> Digest {
        let mut digest = [0; crate::MAX_BYTES];
        let digest = &mut digest[..self.bytes];
        hazmat::merge_subtrees_root_xof(left, right, self.key().mode()).fill(digest);
        Digest::new(digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::blake3::Key;
    use crate::find;
    use crate::{Class, StreamPart, guesses, hash};
    use std::thread;

    const OF_VECTORS: &[u8; KEY_BYTES] = b"whats the Elvish word for friend";
    const CONTEXT_OF_VECTORS: &str = "BLAKE3 2019-12-27 16:29:52 test vectors context";

    /// Returns the message of the published vectors.
    fn message(length: usize) -> Vec<u8> {
        (0..length).map(|place| (place % 251) as u8).collect()
    }

    /// Returns the algorithm of this name with the key of the published vectors in it.
    fn found(name: &str) -> &'static Algorithm {
        let row = find(name).unwrap();
        let keys = [Key::new(OF_VECTORS), Key::from_context(CONTEXT_OF_VECTORS)];
        keys.iter().find_map(|key| key.algorithm(row)).unwrap()
    }

    /// Returns both digests by the library, at their longest.
    fn by_library(message: &[u8]) -> [[u8; 64]; 2] {
        [blake3::Hasher::new_keyed(OF_VECTORS), blake3::Hasher::new_derive_key(CONTEXT_OF_VECTORS)].map(
            |mut hasher| {
                let mut digest = [0; 64];
                hasher.update(message).finalize_xof().fill(&mut digest);
                digest
            },
        )
    }

    #[test]
    fn published_vectors() {
        let digest = |name| hash(found(name), b"").to_string();
        let keyed = "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26\
                     b18171a2f22a4b94822c701f107153dba24918c4bae4d2945c20ece13387627d";
        let derived = "2cc39783c223154fea8dfb7c1b1660f2ac2dcbd1c1de8277b0b0dd39b7e50d7d\
                       905630c8be290dfcf3e6842f13bddd573c098c3f17361f1f206b8cad9d088aa4";
        assert_eq!(digest("blake3-keyed"), keyed[..64]);
        assert_eq!(digest("blake3-keyed:64"), keyed);
        assert_eq!(digest("blake3-derive-key"), derived[..64]);
        assert_eq!(digest("BLAKE3-DERIVE-KEY-512"), derived);
    }

    #[test]
    fn every_length_of_message_and_digest_is_the_librarys() {
        for length in [0, 1, 63, 64, 65, 1023, 1024, 1025, 2048, 5000, 130_000] {
            let message = message(length);
            for (family, wanted) in ["blake3-keyed", "blake3-derive-key"].iter().zip(by_library(&message)) {
                for bytes in [1, 16, 31, 32, 33, 64] {
                    let algorithm = found(&format!("{family}:{bytes}"));
                    assert_eq!(hash(algorithm, &message).as_bytes(), &wanted[..bytes], "{family} {length}");
                }
            }
        }
    }

    #[test]
    fn segments_make_the_same_digest() {
        let message = message(5 * 128 * 1024 + 7);
        for (family, wanted) in ["blake3-keyed", "blake3-derive-key"].iter().zip(by_library(&message)) {
            for bytes in [20, 32, 64] {
                let tree = found(&format!("{family}:{bytes}")).tree.unwrap();
                let length = tree.segment_bytes() as usize;
                let segments = message.chunks(length).enumerate();
                let nodes: Vec<_> =
                    segments.map(|(place, bytes)| tree.leaf((place * length) as u64, bytes)).collect();
                assert_eq!(tree.join(&nodes).as_bytes(), &wanted[..bytes], "{family} {bytes}");
            }
        }
    }

    #[test]
    fn no_digest_of_them_is_taken_for_another() {
        for name in ["blake3-keyed", "blake3-derive-key", "blake3-keyed:16"] {
            let row = find(name).unwrap();
            assert_eq!((row.name, row.class), (name, Class::Cryptographic));
            assert_eq!((find(row.tag), crate::of_name(name)), (Ok(row), Some(row)));
            assert!(!row.stands_alone() && guesses(row.bits).iter().all(|guess| guess.key_mode.is_none()));
            assert_ne!(row, find("blake3").unwrap());
            assert!(row.lacks_key && !found(name).lacks_key);
            assert_eq!((found(name), found(name).name), (row, name));
        }
        assert!(find("blake3-keyed:65").is_err());
    }

    #[test]
    fn output_goes_on_from_any_byte() {
        let [keyed, derived] = by_library(&message(5000));
        for (mut bank, wanted) in [(with_key(OF_VECTORS), keyed), (with_context(CONTEXT_OF_VECTORS), derived)]
        {
            let slot = bank.open();
            bank.update(&[StreamPart { slot, bytes: &message(5000), last: false }]);
            for from in [0, 1, 31, 60] {
                let mut output = [0; 64];
                assert!(bank.extend(slot, from, &mut output[from as usize..]));
                assert_eq!(output[from as usize..], wanted[from as usize..]);
            }
            assert_eq!(bank.close(slot).as_bytes(), &wanted[..32]);
        }
    }

    #[test]
    fn without_a_key_no_digest_equals_another() {
        for row in ["blake3-keyed", "blake3-derive-key:16"].map(|name| find(name).unwrap()) {
            assert_ne!(hash(row, b""), hash(row, b""), "{}", row.name);
        }
    }

    #[test]
    fn two_keys_at_once_make_digests_of_their_own() {
        let row = find("blake3-keyed").unwrap();
        let of = |byte: u8| blake3::keyed_hash(&[byte; KEY_BYTES], b"abc");
        let keys = [1, 2].map(|byte| (byte, Key::new(&[byte; KEY_BYTES])));
        thread::scope(|scope| {
            for (byte, key) in &keys {
                scope.spawn(move || {
                    for _ in 0..100 {
                        let digest = hash(key.algorithm(row).unwrap(), b"abc");
                        assert_eq!(digest.as_bytes(), of(*byte).as_bytes());
                    }
                });
            }
        });
        let [(_, key), _] = &keys;
        assert!(std::ptr::eq(key.algorithm(row).unwrap(), key.clone().algorithm(row).unwrap()));
        assert_eq!(key.algorithm(find("blake3-derive-key").unwrap()), None);
        assert_eq!(format!("{key:?}"), "Key(blake3-keyed)", "the bytes are secret");
    }
}
