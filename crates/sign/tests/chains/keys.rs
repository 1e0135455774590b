//! Keys of every kind, the same in every run, and their signatures.

use super::der::{bits, int, null, oid, seq, tlv};
use p256::ecdsa::signature::hazmat::PrehashSigner;
use ring::digest::{self, SHA256, SHA384, SHA512};
use ring::rand::SystemRandom;
use ring::signature::{self as ring_signature, Ed25519KeyPair, KeyPair, RsaEncoding, RsaKeyPair};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    P256(u8),
    P384(u8),
    P521(u8),
    Ed25519(u8),
    Rsa,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hash {
    Sha256,
    Sha384,
    Sha512,
}

pub const HASHES: [Hash; 3] = [Hash::Sha256, Hash::Sha384, Hash::Sha512];

impl Hash {
    pub fn digest(self, bytes: &[u8]) -> Vec<u8> {
        let algorithm = match self {
            Hash::Sha256 => &SHA256,
            Hash::Sha384 => &SHA384,
            Hash::Sha512 => &SHA512,
        };
        digest::digest(algorithm, bytes).as_ref().to_vec()
    }

    fn number(self) -> usize {
        self as usize + 1
    }

    pub fn id(self) -> Vec<u8> {
        seq(&[&oid(&format!("2.16.840.1.101.3.4.2.{}", self.number()))])
    }
}

fn rsa() -> RsaKeyPair {
    RsaKeyPair::from_pkcs8(include_bytes!("../data/rsa.pk8")).unwrap()
}

fn scalar<const N: usize>(byte: u8) -> [u8; N] {
    let mut bytes = [byte; N];
    bytes[0] = 0;
    bytes
}

impl Key {
    /// Encodes the SubjectPublicKeyInfo.
    pub fn public(self) -> Vec<u8> {
        let curve =
            |id: &str, point: &[u8]| seq(&[&seq(&[&oid("1.2.840.10045.2.1"), &oid(id)]), &bits(point)]);
        match self {
            Key::P256(byte) => {
                let key = p256::ecdsa::SigningKey::from_slice(&scalar::<32>(byte)).unwrap();
                curve("1.2.840.10045.3.1.7", key.verifying_key().to_sec1_point(false).as_bytes())
            }
            Key::P384(byte) => {
                let key = p384::ecdsa::SigningKey::from_slice(&scalar::<48>(byte)).unwrap();
                curve("1.3.132.0.34", key.verifying_key().to_sec1_point(false).as_bytes())
            }
            Key::P521(byte) => {
                let key = p521::ecdsa::SigningKey::from_slice(&scalar::<66>(byte)).unwrap();
                curve("1.3.132.0.35", key.verifying_key().to_sec1_point(false).as_bytes())
            }
            Key::Ed25519(byte) => {
                let key = Ed25519KeyPair::from_seed_unchecked(&[byte; 32]).unwrap();
                seq(&[&seq(&[&oid("1.3.101.112")]), &bits(key.public_key().as_ref())])
            }
            Key::Rsa => {
                seq(&[&seq(&[&oid("1.2.840.113549.1.1.1"), &null()]), &bits(rsa().public_key().as_ref())])
            }
        }
    }

    pub fn algorithm(self, hash: Hash, pss: bool) -> Vec<u8> {
        match self {
            Key::Ed25519(_) => seq(&[&oid("1.3.101.112")]),
            Key::Rsa if pss => {
                let id = seq(&[&oid(&format!("2.16.840.1.101.3.4.2.{}", hash.number())), &null()]);
                let mask = seq(&[&oid("1.2.840.113549.1.1.8"), &id]);
                let salt = int(16 * (hash.number() as u8 + 1));
                let parts = [tlv(0xa0, &id), tlv(0xa1, &mask), tlv(0xa2, &salt)];
                seq(&[&oid("1.2.840.113549.1.1.10"), &seq(&[&parts[0], &parts[1], &parts[2]])])
            }
            Key::Rsa => seq(&[&oid(&format!("1.2.840.113549.1.1.{}", hash.number() + 10)), &null()]),
            _ => seq(&[&oid(&format!("1.2.840.10045.4.3.{}", hash.number() + 1))]),
        }
    }

    pub fn sign(self, hash: Hash, pss: bool, message: &[u8]) -> Vec<u8> {
        let digest = hash.digest(message);
        match self {
            Key::P256(byte) => {
                let key = p256::ecdsa::SigningKey::from_slice(&scalar::<32>(byte)).unwrap();
                let made: p256::ecdsa::Signature = key.sign_prehash(&digest).unwrap();
                made.to_der().as_bytes().to_vec()
            }
            Key::P384(byte) => {
                let key = p384::ecdsa::SigningKey::from_slice(&scalar::<48>(byte)).unwrap();
                let made: p384::ecdsa::Signature = key.sign_prehash(&digest).unwrap();
                made.to_der().as_bytes().to_vec()
            }
            Key::P521(byte) => {
                let key = p521::ecdsa::SigningKey::from_slice(&scalar::<66>(byte)).unwrap();
                let mut number = vec![0; 66 - digest.len()];
                number.extend(digest);
                let made: p521::ecdsa::Signature = key.sign_prehash(&number).unwrap();
                made.to_der().as_bytes().to_vec()
            }
            Key::Ed25519(byte) => {
                Ed25519KeyPair::from_seed_unchecked(&[byte; 32]).unwrap().sign(message).as_ref().to_vec()
            }
            Key::Rsa => {
                let key = rsa();
                let padding: &dyn RsaEncoding = match (pss, hash) {
                    (false, Hash::Sha256) => &ring_signature::RSA_PKCS1_SHA256,
                    (false, Hash::Sha384) => &ring_signature::RSA_PKCS1_SHA384,
                    (false, Hash::Sha512) => &ring_signature::RSA_PKCS1_SHA512,
                    (true, Hash::Sha256) => &ring_signature::RSA_PSS_SHA256,
                    (true, Hash::Sha384) => &ring_signature::RSA_PSS_SHA384,
                    (true, Hash::Sha512) => &ring_signature::RSA_PSS_SHA512,
                };
                let mut made = vec![0; key.public().modulus_len()];
                key.sign(padding, &SystemRandom::new(), message, &mut made).unwrap();
                made
            }
        }
    }
}
