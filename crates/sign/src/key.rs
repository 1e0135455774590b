//! Public keys and their identity.

use crate::{Error, KeyFault, mini, ssh};
use minisign::PublicKey as MiniKey;
use ssh_encoding::Encode;
use ssh_key::HashAlg;
use ssh_key::public::{EcdsaPublicKey, KeyData};
use std::fmt;

/// A key that verifies signatures.
#[derive(Debug, Clone)]
pub enum PublicKey {
    /// A key of OpenSSH.
    Ssh(Box<KeyData>),
    /// A key of minisign.
    Mini(Box<MiniKey>),
}

/// The key material, independent of the format of the key. The owner of one key with an identity can sign with all of
/// them, so two signatures by keys with the same identity are by one signer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyId(KeyKind, Vec<u8>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum KeyKind {
    Ed25519,
    P256,
    P384,
    P521,
    Rsa,
    Other,
}

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
        let line = line.ok_or(KeyFault::Empty)?;
        if line.starts_with("-----BEGIN") {
            return Err(KeyFault::NotPublic.into());
        }
        let mut words = line.split_ascii_whitespace();
        let (Some(kind), Some(text)) = (words.next(), words.next()) else {
            return Err(KeyFault::Unknown.into());
        };
        Ok(PublicKey::Ssh(Box::new(ssh::key_data(kind, text)?)))
    }

    /// Returns the key material.
    pub fn id(&self) -> KeyId {
        match self {
            PublicKey::Ssh(key) => KeyId::from_key(key),
            // Algorithm (2 bytes), key number (8 bytes), Ed25519 key.
            PublicKey::Mini(key) => KeyId(KeyKind::Ed25519, key.to_bytes()[10..].to_vec()),
        }
    }
}

impl KeyId {
    /// Returns the identity of a key of OpenSSH. A security key has the identity of a plain key with the same bytes;
    /// points are identified by their x coordinate, in any encoding; RSA keys by their modulus.
    pub(crate) fn from_key(key: &KeyData) -> KeyId {
        match key {
            KeyData::Ed25519(key) => KeyId(KeyKind::Ed25519, key.0.to_vec()),
            KeyData::SkEd25519(key) => KeyId(KeyKind::Ed25519, key.public_key().0.to_vec()),
            KeyData::Ecdsa(EcdsaPublicKey::NistP256(point)) => KeyId::point(KeyKind::P256, point.x()),
            KeyData::Ecdsa(EcdsaPublicKey::NistP384(point)) => KeyId::point(KeyKind::P384, point.x()),
            KeyData::Ecdsa(EcdsaPublicKey::NistP521(point)) => KeyId::point(KeyKind::P521, point.x()),
            KeyData::SkEcdsaSha2NistP256(key) => KeyId::point(KeyKind::P256, key.ec_point().x()),
            KeyData::Rsa(key) => KeyId(KeyKind::Rsa, key.n.as_positive_bytes().unwrap_or_default().to_vec()),
            other => {
                let mut bytes = Vec::new();
                // Writing to memory can't fail, and a decoded key can be encoded.
                let _ = other.encode(&mut bytes);
                KeyId(KeyKind::Other, bytes)
            }
        }
    }

    fn point(kind: KeyKind, x: Option<impl AsRef<[u8]>>) -> KeyId {
        KeyId(kind, x.map(|x| x.as_ref().to_vec()).unwrap_or_default())
    }
}

impl PartialEq for PublicKey {
    /// Returns whether they are the same key in the same format.
    fn eq(&self, other: &PublicKey) -> bool {
        match (self, other) {
            (PublicKey::Ssh(one), PublicKey::Ssh(other)) => one == other,
            (PublicKey::Mini(one), PublicKey::Mini(other)) => one.to_bytes() == other.to_bytes(),
            _ => false,
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

#[cfg(test)]
mod tests {
    use super::*;
    use ssh_key::public::{Ed25519PublicKey, SkEcdsaSha2NistP256, SkEd25519};

    /// The generator of P-256 as an example of a point: its coordinates.
    const X: [u8; 32] = [
        0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77,
        0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
    ];
    const Y: [u8; 32] = [
        0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f, 0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b,
        0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40, 0x68, 0x37, 0xbf, 0x51, 0xf5,
    ];

    #[test]
    fn one_key_is_one_however_it_is_dressed() {
        let full = EcdsaPublicKey::from_sec1_bytes(&[&[4], &X[..], &Y[..]].concat()).unwrap();
        let short = EcdsaPublicKey::from_sec1_bytes(&[&[3], &X[..]].concat()).unwrap();
        let EcdsaPublicKey::NistP256(point) = full else { panic!("P-256") };
        let security = SkEcdsaSha2NistP256::new(point, "ssh:");
        let ids = [
            KeyId::from_key(&full.into()),
            KeyId::from_key(&short.into()),
            KeyId::from_key(&security.into()),
        ];
        assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "{ids:?}");
        let plain = KeyData::Ed25519(Ed25519PublicKey(X));
        let ids = ["ssh:", "ssh:other"].map(|application| {
            KeyId::from_key(&KeyData::SkEd25519(SkEd25519::new(Ed25519PublicKey(X), application)))
        });
        assert!(ids.iter().all(|id| *id == KeyId::from_key(&plain)), "{ids:?}");
    }

    #[test]
    fn points_that_are_not_in_full_are_refused_as_openssh_does() {
        let key = KeyData::from(EcdsaPublicKey::from_sec1_bytes(&[&[3], &X[..]].concat()).unwrap());
        let line = ssh_key::PublicKey::from(key).to_openssh().unwrap();
        assert!(PublicKey::parse(&line).is_err());
        let key = KeyData::from(EcdsaPublicKey::from_sec1_bytes(&[&[4], &X[..], &Y[..]].concat()).unwrap());
        assert!(PublicKey::parse(&ssh_key::PublicKey::from(key).to_openssh().unwrap()).is_ok());
    }
}
