//! Keys of BLAKE3. Keyed digests reveal nothing to anybody without the key or context. A process has at most one of
//! each.

use blake3::hazmat::{self, HasherExt, Mode};
use std::array;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

/// The bytes of a key.
pub const KEY_BYTES: usize = 32;

/// A key that must be set before its algorithm is used.
pub struct Key {
    pub(super) mode: fn(&[u8; KEY_BYTES]) -> Mode<'_>,
    pub(super) hasher: fn(&[u8; KEY_BYTES]) -> blake3::Hasher,
    pub(super) set: OnceLock<[u8; KEY_BYTES]>,
}

/// The key of `blake3-keyed`.
pub static KEY: Key = Key {
    mode: |key| Mode::KeyedHash(key),
    hasher: |key| blake3::Hasher::new_keyed(key),
    set: OnceLock::new(),
};

/// The key of `blake3-derive-key`, derived from a context.
pub static CONTEXT: Key = Key {
    mode: |key| Mode::DeriveKeyMaterial(key),
    hasher: |key| blake3::Hasher::new_from_context_key(key),
    set: OnceLock::new(),
};

/// Another key was already set in this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherKey;

/// Sets the key of `blake3-keyed` for this process.
///
/// # Errors
/// If another key was set before.
pub fn set_key(key: &[u8; KEY_BYTES]) -> Result<(), OtherKey> {
    KEY.set(key)
}

/// Sets the context of `blake3-derive-key` for this process.
///
/// # Errors
/// If another context was set before.
pub fn set_context(context: &str) -> Result<(), OtherKey> {
    CONTEXT.set(&hazmat::hash_derive_key_context(context))
}

impl Key {
    fn set(&self, key: &[u8; KEY_BYTES]) -> Result<(), OtherKey> {
        if self.set.get_or_init(|| *key) == key { Ok(()) } else { Err(OtherKey) }
    }

    /// Returns whether the key was set.
    pub fn is_set(&self) -> bool {
        self.set.get().is_some()
    }

    /// Returns the key. Before it is set, returns a random one, so that no digest made without it equals any other.
    pub(super) fn bytes(&self) -> [u8; KEY_BYTES] {
        self.set.get().copied().unwrap_or_else(|| {
            let draws: [u64; 4] = array::from_fn(|_| RandomState::new().hash_one(0));
            array::from_fn(|place| draws[place / 8].to_le_bytes()[place % 8])
        })
    }

    /// Returns a hasher that starts with the key.
    pub(super) fn hasher(&self) -> blake3::Hasher {
        (self.hasher)(&self.bytes())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_set() { "Key(set)" } else { "Key(not set)" })
    }
}
