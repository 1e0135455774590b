//! Secrets, and the salts that are derived from them.
//!
//! Without salts, a hidden record could be guessed by hashing a list of likely paths, sizes and digests and comparing
//! the leaves. With a secret salt, guessing is impossible. Each leaf has its own salt, so that disclosing one reveals
//! nothing about others. Salts are not stored. One secret may be used for many seals: each has a random nonce, so that
//! no two leaves share a salt, unless one seal continues another and both leaves are the same record.
//!
//! The key of a nonce is `SHA-256(0x02 ‖ secret ‖ nonce)`, the salt of leaf `i` is `SHA-256(0x03 ‖ key ‖ i)`, with `i`
//! in eight bytes, big-endian. All messages of a kind have equal lengths.

use crate::error::{Error, invalid};
use crate::leaf::SALT;
use crate::tree::{Hasher, Messages};
use hashmill_digest::{Algorithm, Digest, find};
use std::io;

/// The index of the salt that hides the digest of the file; no leaf has it.
pub(crate) const OF_FILE: u64 = u64::MAX;
/// The index of the salt that hides the digest of the case data.
pub(crate) const OF_CASE: u64 = u64::MAX - 1;

/// 32 bytes that only the owner of a manifest knows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; SALT]);

/// Random bytes that make the salts of a seal unique. They are not secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nonce {
    /// The first leaf with salts from this nonce.
    pub from: u64,
    /// Random bytes.
    pub bytes: [u8; SALT],
}

/// The source of the salts of a seal's leaves.
#[derive(Debug, Clone)]
pub struct Salts<'a> {
    /// The owner's secret.
    pub secret: &'a Secret,
    /// The nonces, at least one; each applies from its first leaf up to that of the next. The first begins at leaf 0.
    pub nonces: Vec<Nonce>,
}

pub(crate) struct Salter {
    hasher: Hasher,
    /// The first leaf of each key, in ascending order.
    keys: Vec<(u64, Digest)>,
}

impl Secret {
    /// Creates a secret from the system's random numbers.
    ///
    /// # Errors
    /// If the system provides none.
    pub fn random() -> io::Result<Secret> {
        random().map(Secret)
    }

    /// Parses 64 hexadecimal digits and a line end.
    ///
    /// # Errors
    /// If the text is malformed.
    pub fn from_text(text: &[u8]) -> Result<Secret, Error> {
        let digest = Digest::from_hex(text.trim_ascii_end()).ok();
        let bytes = digest.and_then(|digest| digest.as_bytes().try_into().ok());
        bytes.map(Secret).ok_or(invalid(1, "not a secret of 64 hexadecimal digits"))
    }

    /// Returns the text for [`Secret::from_text`].
    pub fn to_text(&self) -> String {
        format!("{}\n", Digest::new(&self.0))
    }

    /// Creates the salts of a new seal.
    ///
    /// # Errors
    /// If the system provides no random numbers.
    pub fn salts(&self) -> io::Result<Salts<'_>> {
        Ok(Salts { secret: self, nonces: vec![Nonce::random(0)?] })
    }
}

impl Nonce {
    /// Creates a nonce from the system's random numbers.
    ///
    /// # Errors
    /// If the system provides none.
    pub fn random(from: u64) -> io::Result<Nonce> {
        Ok(Nonce { from, bytes: random()? })
    }
}

impl Salter {
    pub fn new(salts: &Salts<'_>) -> Result<Salter, Error> {
        if salts.nonces.first().is_none_or(|nonce| nonce.from != 0) {
            return Err(Error::NonceMissing);
        }
        let hasher = Hasher::new(sha256());
        let key = |nonce: &Nonce| hasher.one(&[&[2][..], &salts.secret.0, &nonce.bytes].concat());
        let keys = salts.nonces.iter().map(|nonce| (nonce.from, key(nonce))).collect();
        Ok(Salter { hasher, keys })
    }

    /// Returns the salts of `count` leaves, starting with leaf `first`.
    pub fn salts(&mut self, first: u64, count: usize) -> Vec<Digest> {
        let mut messages = Messages::default();
        for index in (first..).take(count) {
            messages.bytes.push(3);
            messages.bytes.extend_from_slice(self.key(index).as_bytes());
            messages.bytes.extend_from_slice(&index.to_be_bytes());
            messages.end();
        }
        self.hasher.hash(&messages)
    }

    /// Hides a guessable digest with the salt of this index.
    pub fn hide(&mut self, index: u64, digest: &Digest) -> Digest {
        // `salts` can't be used: no index follows the last one.
        let key = self.key(index);
        let salt = self.hasher.one(&[&[3][..], key.as_bytes(), &index.to_be_bytes()].concat());
        self.hasher.one(&[&[4][..], salt.as_bytes(), digest.as_bytes()].concat())
    }

    fn key(&self, index: u64) -> Digest {
        let behind = self.keys.partition_point(|(from, _)| *from <= index);
        self.keys[behind.saturating_sub(1)].1
    }
}

fn random() -> io::Result<[u8; SALT]> {
    let mut bytes = [0; SALT];
    hashmill_os::random(&mut bytes)?;
    Ok(bytes)
}

/// Returns the algorithm for salts and for digests of files and seals, whatever the seal's algorithm.
pub(crate) fn sha256() -> &'static Algorithm {
    find("sha256").expect("the registry has SHA-256")
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}
