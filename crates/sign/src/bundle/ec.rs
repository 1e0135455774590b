//! Keys of bundles: ECDSA on the curves of NIST, each with the hash of its size, in PEM.
//!
//! Sources: Sigstore's list of public key details; RFC 5480 (public keys), RFC 5915 and RFC 5958 (private keys), RFC
//! 8018 (encrypted keys).

use super::pkcs8::{EcPrivateKey, EncryptedKey, PrivateKeyInfo};
use crate::asn1::PublicKeyInfo;
use crate::error::{PROTECTED, bad_key};
use crate::{Curve, Error, Hash};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use der::Decode;
use der::asn1::{BitString, ObjectIdentifier};
use std::fmt;
use zeroize::Zeroizing;

/// The identifier of keys on any elliptic curve.
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

const CURVES: [(Curve, ObjectIdentifier); 3] = [
    (Curve::P256, ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7")),
    (Curve::P384, ObjectIdentifier::new_unwrap("1.3.132.0.34")),
    (Curve::P521, ObjectIdentifier::new_unwrap("1.3.132.0.35")),
];

/// The DER of a public key on each curve up to its point, which is not compressed.
const START_P256: &[u8] =
    b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07\x03\x42\0";
const START_P384: &[u8] =
    b"\x30\x76\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\0\x22\x03\x62\0";
const START_P521: &[u8] =
    b"\x30\x81\x9b\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\0\x23\x03\x81\x86\0";

/// The width of a line of PEM.
const WIDTH: usize = 64;

pub(super) const ENCRYPTION: &str = "it is encrypted in a way that is not supported";

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EcPublicKey {
    curve: Curve,
    /// The point, uncompressed.
    point: Vec<u8>,
    /// The key in the PEM form that OpenSSL writes.
    pem: String,
}

/// A private key in a file, possibly encrypted.
pub struct EcKeyFile {
    label: &'static str,
    der: Zeroizing<Vec<u8>>,
}

/// A private key that is ready to sign.
pub struct EcSigner {
    /// The private scalar.
    secret: Zeroizing<Vec<u8>>,
    public: EcPublicKey,
}

const PUBLIC: &str = "PUBLIC KEY";
const PKCS8: &str = "PRIVATE KEY";
const SEC1: &str = "EC PRIVATE KEY";
const ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";

impl EcPublicKey {
    /// Reads a public key in PEM (`BEGIN PUBLIC KEY`).
    ///
    /// # Errors
    /// If there is none, or it is on another curve.
    pub fn parse(text: &str) -> Result<EcPublicKey, Error> {
        let (_, der) = block(text, &[PUBLIC], "a public key in PEM (BEGIN PUBLIC KEY)")?;
        let info = PublicKeyInfo::from_der(&der).map_err(|_| damaged())?;
        let curve = curve(info.algorithm.oid, info.algorithm.named())?;
        let point = info.key.as_bytes().and_then(|bytes| curve.point(bytes)).ok_or_else(damaged)?;
        Ok(EcPublicKey::new(curve, point))
    }

    fn new(curve: Curve, point: Vec<u8>) -> EcPublicKey {
        let start = match curve {
            Curve::P256 => START_P256,
            Curve::P384 => START_P384,
            Curve::P521 => START_P521,
        };
        let text = STANDARD.encode([start, &point].concat());
        let mut pem = format!("-----BEGIN {PUBLIC}-----\n");
        for line in text.as_bytes().chunks(WIDTH) {
            pem.extend(line.iter().map(|byte| char::from(*byte)));
            pem.push('\n');
        }
        pem += &format!("-----END {PUBLIC}-----\n");
        EcPublicKey { curve, point, pem }
    }

    /// Returns the curve of the key.
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// Returns the key's identifier in bundles: the SHA-256 of its PEM, in hexadecimal.
    pub fn hint(&self) -> String {
        Hash::Sha256.digest(self.pem.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns whether a DER signature matches a message and this key.
    pub(super) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        self.curve.verifies(&self.point, &self.curve.hash().digest(message), signature)
    }
}

impl EcKeyFile {
    /// Reads a private key in PEM, of PKCS #8 or SEC 1.
    ///
    /// # Errors
    /// If there is none.
    pub fn parse(text: &str) -> Result<EcKeyFile, Error> {
        let wanted = "a private key in PEM (BEGIN PRIVATE KEY or BEGIN EC PRIVATE KEY)";
        let (label, der) = block(text, &[PKCS8, SEC1, ENCRYPTED], wanted)?;
        Ok(EcKeyFile { label, der })
    }

    /// Returns whether it needs a passphrase.
    pub fn is_encrypted(&self) -> bool {
        self.label == ENCRYPTED
    }

    /// Returns the key, ready to sign.
    ///
    /// # Errors
    /// If the passphrase is wrong or missing, or the key is on another curve.
    pub fn unlock(&self, passphrase: Option<&str>) -> Result<EcSigner, Error> {
        match (self.label, passphrase) {
            (SEC1, _) => EcSigner::sec1(&self.der),
            (ENCRYPTED, None) => Err(bad_key(PROTECTED)),
            (ENCRYPTED, Some(passphrase)) => {
                let locked = EncryptedKey::from_der(&self.der).map_err(|_| bad_key(ENCRYPTION))?;
                EcSigner::pkcs8(&locked.decrypt(passphrase)?)
            }
            _ => EcSigner::pkcs8(&self.der),
        }
    }
}

impl EcSigner {
    fn pkcs8(der: &[u8]) -> Result<EcSigner, Error> {
        let info = PrivateKeyInfo::from_der(der).map_err(|_| damaged())?;
        let curve = curve(info.algorithm.oid, info.algorithm.named())?;
        let signer = EcSigner::new(curve, &info.key.0)?;
        // The second version is that with a public key.
        let is_sound = info.version == u8::from(info.public.is_some()) && signer.has(info.public.as_ref());
        if is_sound { Ok(signer) } else { Err(damaged()) }
    }

    fn sec1(der: &[u8]) -> Result<EcSigner, Error> {
        let key = EcPrivateKey::from_der(der).map_err(|_| damaged())?;
        EcSigner::new(curve(EC, key.curve)?, der)
    }

    /// Reads a key of SEC 1, which may name its curve and its public half; then they must be right.
    fn new(curve: Curve, der: &[u8]) -> Result<EcSigner, Error> {
        let EcPrivateKey { version, secret, curve: named, public } =
            EcPrivateKey::from_der(der).map_err(|_| damaged())?;
        let point = curve.public(&secret.0).ok_or_else(damaged)?;
        let signer = EcSigner { secret: secret.0, public: EcPublicKey::new(curve, point) };
        let is_named = named.is_none_or(|id| CURVES.contains(&(curve, id)));
        let is_sound = version == 1 && is_named && signer.has(public.as_ref());
        if is_sound { Ok(signer) } else { Err(damaged()) }
    }

    /// Returns whether a public half, if there is one, is that of the key.
    fn has(&self, public: Option<&BitString>) -> bool {
        let point = |bits: &BitString| self.public.curve.point(bits.as_bytes()?);
        public.is_none_or(|bits| point(bits).as_ref() == Some(&self.public.point))
    }

    /// Returns the key that verifies its signatures.
    pub fn public(&self) -> &EcPublicKey {
        &self.public
    }

    /// Returns a signature of a message, in DER.
    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let curve = self.public.curve;
        let made = curve.sign(&self.secret, &curve.hash().digest(message));
        let made = made.filter(|made| self.public.verifies(message, made));
        made.ok_or(Error::Unverified)
    }
}

fn damaged() -> Error {
    bad_key("its PEM or DER is damaged")
}

/// Decodes the first PEM block with one of these labels.
fn block(
    text: &str,
    labels: &[&'static str],
    wanted: &'static str,
) -> Result<(&'static str, Zeroizing<Vec<u8>>), Error> {
    let found = labels.iter().find_map(|label| {
        let (_, rest) = text.split_once(&format!("-----BEGIN {label}-----"))?;
        let (body, _) = rest.split_once(&format!("-----END {label}-----"))?;
        Some((*label, body))
    });
    let (label, body) = found.ok_or_else(|| bad_key(format!("models need {wanted}")))?;
    if body.contains("Proc-Type:") {
        return Err(bad_key(
            "it is encrypted in the old way of OpenSSL; 'openssl pkcs8 -topk8 -in KEY -out NEW' converts it",
        ));
    }
    let text: Zeroizing<String> = Zeroizing::new(body.lines().collect());
    let der = STANDARD.decode(text.as_bytes()).map_err(|_| damaged())?;
    Ok((label, Zeroizing::new(der)))
}

/// Returns the curve of an algorithm and its parameters.
fn curve(algorithm: ObjectIdentifier, parameters: Option<ObjectIdentifier>) -> Result<Curve, Error> {
    let named = parameters.filter(|_| algorithm == EC).unwrap_or(algorithm);
    let found = CURVES.iter().find(|(_, id)| *id == named);
    found.map(|(curve, _)| *curve).ok_or_else(|| {
        let what = "ECDSA on P-256, P-384 or P-521; this is of another kind";
        bad_key(format!("models need {what} ({named})"))
    })
}

impl fmt::Display for EcPublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let curve = match self.curve {
            Curve::P256 => "P-256",
            Curve::P384 => "P-384",
            Curve::P521 => "P-521",
        };
        write!(f, "ECDSA {curve} {}", self.hint())
    }
}
