//! Private keys of PKCS #8 (RFC 5958) and SEC 1 (RFC 5915), and their encryption by a passphrase (PBES2: RFC 8018 and
//! 7914).

use super::ec::ENCRYPTION;
use crate::asn1::{AlgorithmId, Form, contents, explicit, implicit, sequence};
use crate::cryptography::cipher;
use crate::cryptography::cipher::{BLOCK, Mode};
use crate::cryptography::kdf::{ScryptCost, scrypt};
use crate::error::bad_key;
use crate::{Error, Hash};
use der::asn1::{Any, BitString, ObjectIdentifier, OctetString};
use der::{Decode, DecodeValue, FixedTag, Header, Reader, Tag};
use ring::pbkdf2;
use std::fmt;
use std::num::NonZeroU32;
use zeroize::Zeroizing;

const PBES2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.13");
const PBKDF2: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.5.12");
const SCRYPT: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.4.1.11591.4.11");
/// HMAC with each hash.
const HASHES: [(ObjectIdentifier, Hash); 3] = [
    (ObjectIdentifier::new_unwrap("1.2.840.113549.2.9"), Hash::Sha256),
    (ObjectIdentifier::new_unwrap("1.2.840.113549.2.10"), Hash::Sha384),
    (ObjectIdentifier::new_unwrap("1.2.840.113549.2.11"), Hash::Sha512),
];
/// AES in the mode CBC, and the lengths of its keys.
const CIPHERS: [(ObjectIdentifier, usize); 3] = [
    (ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.2"), 16),
    (ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.22"), 24),
    (ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.42"), 32),
];

sequence! {
    /// PrivateKeyInfo.
    PrivateKeyInfo |reader| {
        version: u8 = reader.decode()?,
        algorithm: AlgorithmId = reader.decode()?,
        key: Secret = reader.decode()?,
        attributes: Option<Vec<u8>> = contents(reader, 0)?,
        public: Option<BitString> = implicit(reader, 1, Form::Primitive)?,
    }
}

sequence! {
    /// ECPrivateKey.
    EcPrivateKey |reader| {
        version: u8 = reader.decode()?,
        secret: Secret = reader.decode()?,
        curve: Option<ObjectIdentifier> = explicit(reader, 0)?,
        public: Option<BitString> = explicit(reader, 1)?,
    }
}

sequence! {
    /// EncryptedPrivateKeyInfo.
    EncryptedKey |reader| {
        algorithm: AlgorithmId = reader.decode()?,
        data: OctetString = reader.decode()?,
    }
}

sequence! {
    /// PBES2-params.
    Scheme |reader| {
        derivation: AlgorithmId = reader.decode()?,
        cipher: AlgorithmId = reader.decode()?,
    }
}

sequence! {
    /// PBKDF2-params.
    Pbkdf2 |reader| {
        salt: OctetString = reader.decode()?,
        rounds: u32 = reader.decode()?,
        key_length: Option<u16> = reader.decode()?,
        hash: Option<AlgorithmId> = reader.decode()?,
    }
}

sequence! {
    /// scrypt-params.
    Scrypt |reader| {
        salt: OctetString = reader.decode()?,
        n: u64 = reader.decode()?,
        r: u64 = reader.decode()?,
        p: u64 = reader.decode()?,
        key_length: Option<u16> = reader.decode()?,
    }
}

/// An OCTET STRING that is erased from memory, and never shown.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub Zeroizing<Vec<u8>>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl FixedTag for Secret {
    const TAG: Tag = Tag::OctetString;
}

impl<'a> DecodeValue<'a> for Secret {
    type Error = der::Error;

    fn decode_value<R: Reader<'a>>(reader: &mut R, header: Header) -> der::Result<Secret> {
        reader.read_vec(header.length()).map(|bytes| Secret(Zeroizing::new(bytes)))
    }
}

impl EncryptedKey {
    /// Decrypts the key. A wrong passphrase is told by most wrong results, but not by all.
    pub fn decrypt(&self, passphrase: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
        let unsupported = || bad_key(ENCRYPTION);
        let scheme = parameters::<Scheme>(&self.algorithm, PBES2).ok_or_else(unsupported)?;
        let cipher = CIPHERS.iter().find(|(id, _)| *id == scheme.cipher.oid);
        let iv: Option<OctetString> = scheme.cipher.parameters.and_then(|any| any.decode_as().ok());
        let (Some((_, key_length)), Some(iv)) = (cipher, iv) else { return Err(unsupported()) };
        let mut key = Zeroizing::new(vec![0; *key_length]);
        derive(&scheme.derivation, passphrase.as_bytes(), &mut key).ok_or_else(unsupported)?;
        let plain = cipher::decrypt(Mode::Cbc, &key, iv.as_bytes(), self.data.as_bytes());
        let plain = plain.and_then(without_padding);
        plain.filter(|plain| Any::from_der(plain).is_ok()).ok_or(Error::WrongPassphrase)
    }
}

/// Decodes the parameters of an algorithm that must have this identifier.
fn parameters<T: for<'a> DecodeValue<'a, Error = der::Error> + FixedTag>(
    algorithm: &AlgorithmId,
    id: ObjectIdentifier,
) -> Option<T> {
    algorithm.parameters.as_ref().filter(|_| algorithm.oid == id)?.decode_as().ok()
}

/// Fills `key` with bytes derived from a passphrase.
fn derive(algorithm: &AlgorithmId, passphrase: &[u8], key: &mut [u8]) -> Option<()> {
    let fits = |length: Option<u16>| length.is_none_or(|length| usize::from(length) == key.len());
    if let Some(Scrypt { salt, n, r, p, key_length }) = parameters(algorithm, SCRYPT) {
        let cost = ScryptCost::new(n, r, p).filter(|_| fits(key_length))?;
        scrypt(passphrase, salt.as_bytes(), cost, key);
        return Some(());
    }
    let Pbkdf2 { salt, rounds, key_length, hash } = parameters(algorithm, PBKDF2)?;
    // Without a hash it is SHA-1, which is not supported.
    let hash = hash.filter(|hash| hash.is_plain() && fits(key_length))?;
    let by = match HASHES.iter().find(|(id, _)| *id == hash.oid)?.1 {
        Hash::Sha256 => pbkdf2::PBKDF2_HMAC_SHA256,
        Hash::Sha384 => pbkdf2::PBKDF2_HMAC_SHA384,
        Hash::Sha512 => pbkdf2::PBKDF2_HMAC_SHA512,
    };
    pbkdf2::derive(by, NonZeroU32::new(rounds)?, salt.as_bytes(), passphrase, key);
    Some(())
}

/// Removes the bytes that fill the last block, each of which is their number.
fn without_padding(mut plain: Zeroizing<Vec<u8>>) -> Option<Zeroizing<Vec<u8>>> {
    let count = usize::from(*plain.last()?);
    let rest = plain.len().checked_sub(count)?;
    if !(1..=BLOCK).contains(&count) || plain[rest..].iter().any(|byte| usize::from(*byte) != count) {
        return None;
    }
    plain.truncate(rest);
    Some(plain)
}
