//! Keys of BLAKE3. Keyed digests reveal nothing to anybody without the key or context.

use super::keyed::keyed;
use crate::algorithm::{Algorithm, KeyMode};
use blake3::hazmat::{self, HasherExt, Mode};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError};
use std::{array, fmt};

/// The bytes of a key.
pub const KEY_BYTES: usize = 32;

/// A key for the algorithms of one mode. Clones share the algorithms that are made of it.
#[derive(Clone)]
pub struct Key {
    bytes: ModeKey,
    made: Arc<Mutex<Vec<&'static Algorithm>>>,
}

/// The bytes of a key, and their mode.
#[derive(Clone, Copy)]
pub(super) struct ModeKey {
    mode: KeyMode,
    bytes: [u8; KEY_BYTES],
}

impl Key {
    /// Makes a key for `blake3-keyed`.
    pub fn new(bytes: &[u8; KEY_BYTES]) -> Key {
        Key::with_mode(KeyMode::Keyed, *bytes)
    }

    /// Makes a key for `blake3-derive-key`, from its context.
    pub fn from_context(context: &str) -> Key {
        Key::with_mode(KeyMode::DeriveKey, hazmat::hash_derive_key_context(context))
    }

    fn with_mode(mode: KeyMode, bytes: [u8; KEY_BYTES]) -> Key {
        Key { bytes: ModeKey { mode, bytes }, made: Arc::default() }
    }

    /// Returns the mode of the algorithms that it is for.
    pub fn mode(&self) -> KeyMode {
        self.bytes.mode
    }

    /// Returns this algorithm with the key in it, which equals the one without; `None` if it needs no key of this mode.
    /// Like all algorithms, it lives as long as the process, and each length of digest is made once for a key.
    pub fn algorithm(&self, row: &'static Algorithm) -> Option<&'static Algorithm> {
        row.key_mode.filter(|mode| *mode == self.mode())?;
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.iter().find(|known| **known == row) {
            return Some(known);
        }
        let algorithm = &*Box::leak(Box::new(keyed(row, Some(self.bytes), u64::from(row.bits) / 8)));
        made.push(algorithm);
        Some(algorithm)
    }
}

impl ModeKey {
    /// Draws a key, for an algorithm without one: no digest made by it equals any other.
    pub(super) fn random(mode: KeyMode) -> ModeKey {
        let draws: [u64; 4] = array::from_fn(|_| RandomState::new().hash_one(0));
        ModeKey { mode, bytes: array::from_fn(|place| draws[place / 8].to_le_bytes()[place % 8]) }
    }

    /// Returns the mode of the library with the key.
    pub(super) fn mode(&self) -> Mode<'_> {
        match self.mode {
            KeyMode::Keyed => Mode::KeyedHash(&self.bytes),
            KeyMode::DeriveKey => Mode::DeriveKeyMaterial(&self.bytes),
        }
    }

    /// Returns a hasher that starts with the key.
    pub(super) fn hasher(&self) -> blake3::Hasher {
        match self.mode {
            KeyMode::Keyed => blake3::Hasher::new_keyed(&self.bytes),
            KeyMode::DeriveKey => blake3::Hasher::new_from_context_key(&self.bytes),
        }
    }
}

/// Shows the mode alone: the bytes are secret.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.mode().family())
    }
}
