//! Public keys, and what makes two of them one.

use crate::{Error, mini, ssh};
use minisign::PublicKey as MiniKey;
use ssh_encoding::Encode;
use ssh_key::HashAlg;
use ssh_key::public::KeyData;
use std::fmt;

/// A key that signatures are verified with.
#[derive(Debug, Clone)]
pub enum PublicKey {
    /// A key of OpenSSH.
    Ssh(Box<KeyData>),
    /// A key of minisign.
    Mini(Box<MiniKey>),
}

/// What a key is, whatever the format that it came in: two signatures by keys of one identity are two by one
/// signer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(Vec<u8>);

impl PublicKey {
    /// Reads a public key: a line of OpenSSH (`ssh-ed25519 AAAA… comment`) or a file of minisign.
    ///
    /// # Errors
    /// If it is neither.
    pub fn parse(text: &str) -> Result<PublicKey, Error> {
        if text.starts_with(mini::COMMENT) {
            return mini::public_key(text);
        }
        let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        let line = line.ok_or_else(|| Error::Key("the file is empty".into()))?;
        if line.starts_with("-----BEGIN") {
            return Err(Error::Key("a public key is wanted (KEY.pub), not this".into()));
        }
        let mut words = line.split_ascii_whitespace();
        let (Some(kind), Some(text)) = (words.next(), words.next()) else {
            return Err(Error::Key("neither a public key of OpenSSH nor one of minisign".into()));
        };
        Ok(PublicKey::Ssh(Box::new(ssh::key_data(kind, text).map_err(Error::Key)?)))
    }

    /// What the key is.
    pub fn id(&self) -> KeyId {
        match self {
            PublicKey::Ssh(key) => match &**key {
                KeyData::Ed25519(key) => KeyId(key.0.to_vec()),
                other => {
                    let mut bytes = Vec::new();
                    // Writing into memory does not fail, and what was decoded can be encoded.
                    let _ = other.encode(&mut bytes);
                    KeyId(bytes)
                }
            },
            // Algorithm (2 bytes), key number (8 bytes), Ed25519 key.
            PublicKey::Mini(key) => KeyId(key.to_bytes()[10..].to_vec()),
        }
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PublicKey::Ssh(key) => {
                write!(f, "{} {}", key.algorithm(), key.fingerprint(HashAlg::Sha256))
            }
            PublicKey::Mini(key) => write!(f, "minisign {}", mini::number(key.keynum())),
        }
    }
}
