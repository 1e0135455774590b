//! The secret that salts come from.
//!
//! Without salts a hidden record's leaf can be guessed: whoever has a list of likely paths, sizes and digests
//! hashes each and compares. With them nobody can who lacks the salt, and each leaf has its own, so that
//! disclosing one tells nothing of another. Salts are not stored: the salt of leaf `i` is
//! `SHA-256(0x02 ‖ secret ‖ i)`, `i` in eight bytes, big-endian; all messages have one length.

use crate::Error;
use crate::leaf::SALT;
use crate::tree::{Hasher, Messages};
use hashloom_digest::{Algorithm, Digest, find};
use std::fs::File;
use std::io::{self, Read};

/// 32 bytes that only the owner of a manifest knows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; SALT]);

impl Secret {
    /// A new one, from the system's random numbers.
    ///
    /// # Errors
    /// If the system gives none.
    pub fn random() -> io::Result<Secret> {
        let mut bytes = [0; SALT];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        Ok(Secret(bytes))
    }

    /// Reads 64 hexadecimal digits and a line's end.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn from_text(text: &[u8]) -> Result<Secret, Error> {
        let foreign = || Error::Foreign(1, "not the 64 hexadecimal digits of a secret".into());
        let digest = Digest::from_hex(text.trim_ascii_end()).map_err(|_| foreign())?;
        digest.as_bytes().try_into().map(Secret).map_err(|_| foreign())
    }

    /// The text that [`Secret::from_text`] reads.
    pub fn to_text(&self) -> String {
        format!("{}\n", Digest::new(&self.0))
    }

    /// The salts of so many leaves from this one on.
    pub(crate) fn salts(&self, hasher: &mut Hasher, first: u64, count: usize) -> Vec<Digest> {
        let mut messages = Messages::default();
        for index in (first..).take(count) {
            messages.bytes.push(2);
            messages.bytes.extend_from_slice(&self.0);
            messages.bytes.extend_from_slice(&index.to_be_bytes());
            messages.end();
        }
        hasher.hash(&messages)
    }
}

/// What salts are made by, whatever the seal's algorithm.
pub(crate) fn sha256() -> Result<&'static Algorithm, Error> {
    find("sha256").map_err(|unknown| Error::Foreign(0, unknown.to_string()))
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}
