//! Public keys and their identity.

use crate::error::bad_key;
use crate::mini::MiniKey;
use crate::ssh::key::Material;
use crate::{Curve, Error, KeyData, mini, ssh};
use std::fmt;

/// A key that verifies signatures. Keys are equal if they are the same key in the same format.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    Ecdsa(Curve),
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
        let line = line.ok_or_else(|| bad_key("the file is empty"))?;
        if line.starts_with("-----BEGIN") {
            return Err(bad_key("expected a public key (KEY.pub)"));
        }
        let mut words = line.split_ascii_whitespace();
        let (Some(kind), Some(text)) = (words.next(), words.next()) else {
            return Err(bad_key("not a public key of OpenSSH or minisign"));
        };
        Ok(PublicKey::Ssh(Box::new(ssh::key_data(kind, text).map_err(Error::Key)?)))
    }

    /// Returns the key material.
    pub fn id(&self) -> KeyId {
        match self {
            PublicKey::Ssh(key) => KeyId::from_key(key),
            PublicKey::Mini(key) => KeyId(KeyKind::Ed25519, key.point().to_vec()),
        }
    }
}

impl KeyId {
    /// Returns the identity of a key of OpenSSH. A security key has the identity of a plain key with the same bytes;
    /// points are identified by their x coordinate, in any encoding; RSA keys by their modulus.
    pub(crate) fn from_key(key: &KeyData) -> KeyId {
        match key.material() {
            Material::Ed25519(point) => KeyId(KeyKind::Ed25519, point.to_vec()),
            Material::Ecdsa(curve, point) => KeyId(KeyKind::Ecdsa(*curve), point[1..=curve.size()].to_vec()),
            Material::Rsa { modulus, .. } => KeyId(KeyKind::Rsa, modulus.clone()),
            Material::Other => KeyId(KeyKind::Other, key.as_bytes().to_vec()),
        }
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PublicKey::Ssh(key) => write!(f, "{} {}", key.kind(), key.fingerprint()),
            PublicKey::Mini(key) => write!(f, "minisign {}", key.number()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssh::key::tests::{encoded, line, plain, security};

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
        let full = [&[4], &X[..], &Y[..]].concat();
        let negative = [&[4], &X[..], &Y.map(|byte| !byte)[..]].concat();
        let kind = &b"sk-ecdsa-sha2-nistp256@openssh.com"[..];
        let ids = [
            &encoded(&[b"ecdsa-sha2-nistp256", b"nistp256", &full]),
            &encoded(&[b"ecdsa-sha2-nistp256", b"nistp256", &negative]),
            &encoded(&[kind, b"nistp256", &full, b"ssh:"]),
        ]
        .map(|bytes| KeyId::from_key(&KeyData::parse(bytes).unwrap()));
        assert!(ids.windows(2).all(|pair| pair[0] == pair[1]), "{ids:?}");
        let ids = ["ssh:", "ssh:other"].map(|application| KeyId::from_key(&security(X, application)));
        assert!(ids.iter().all(|id| *id == KeyId::from_key(&plain(X))), "{ids:?}");
        let rsa = |exponent: &[u8]| KeyData::parse(&encoded(&[b"ssh-rsa", exponent, &[0, 0x80, 1]])).unwrap();
        assert_eq!(KeyId::from_key(&rsa(&[3])), KeyId::from_key(&rsa(&[1, 0, 1])));
    }

    #[test]
    fn points_that_are_not_in_full_are_refused_as_openssh_does() {
        let text = |point: &[u8]| {
            use base64::Engine;
            let bytes = encoded(&[b"ecdsa-sha2-nistp256", b"nistp256", point]);
            let text = base64::engine::general_purpose::STANDARD.encode(bytes);
            format!("ecdsa-sha2-nistp256 {text}")
        };
        assert!(PublicKey::parse(&text(&[&[3], &X[..]].concat())).is_err());
        let full = text(&[&[4], &X[..], &Y[..]].concat());
        let PublicKey::Ssh(key) = PublicKey::parse(&full).unwrap() else { panic!("a key of OpenSSH") };
        assert_eq!(line(&key), full);
    }
}
