//! Keys of bundles: ECDSA on the curves of NIST, each with the hash of its size, in PEM.
//!
//! Sources: Sigstore's list of public key details; RFC 5480 (public keys), RFC 5915 and RFC 5958 (private keys), RFC
//! 8018 (encrypted keys).

use crate::{Error, Hash, KeyFault, SignFault};
use der::Decode;
use der::asn1::ObjectIdentifier;
use pkcs8::{
    DecodePrivateKey, DecodePublicKey, EncodePublicKey, EncryptedPrivateKeyInfo, LineEnding, PrivateKeyInfo,
};
use sec1::EcPrivateKey;
use signature::{Signer as _, Verifier as _};
use std::fmt;
use x509_cert::spki::SubjectPublicKeyInfoRef;
use zeroize::Zeroizing;

/// The identifier of keys on any elliptic curve.
const EC: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.10045.2.1");

/// The supported curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Curve {
    /// NIST P-256; signs SHA-256.
    P256,
    /// NIST P-384; signs SHA-384.
    P384,
    /// NIST P-521; signs SHA-512.
    P521,
}

const CURVES: [(Curve, ObjectIdentifier); 3] = [
    (Curve::P256, ObjectIdentifier::new_unwrap("1.2.840.10045.3.1.7")),
    (Curve::P384, ObjectIdentifier::new_unwrap("1.3.132.0.34")),
    (Curve::P521, ObjectIdentifier::new_unwrap("1.3.132.0.35")),
];

/// Runs the same code with the library of a curve, under the name that the caller chooses.
macro_rules! with {
    ($curve:expr, $library:ident => $body:expr) => {
        match $curve {
            Curve::P256 => {
                use p256 as $library;
                $body
            }
            Curve::P384 => {
                use p384 as $library;
                $body
            }
            Curve::P521 => {
                use p521 as $library;
                $body
            }
        }
    };
}

/// The reason why a key can't be used for bundles.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EcFault {
    /// The text has no PEM block of the required kind; a description of that kind.
    NoPem(&'static str),
    /// The PEM block or its content is damaged.
    Malformed,
    /// The key is of another algorithm or curve, with this identifier.
    Other(ObjectIdentifier),
    /// The key is encrypted in the format that OpenSSL used before PKCS #8.
    OldEncryption,
    /// The key is encrypted in an unsupported way.
    Encryption,
}

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EcPublicKey {
    curve: Curve,
    /// The point, uncompressed.
    point: Box<[u8]>,
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
        let info = SubjectPublicKeyInfoRef::try_from(der.as_slice()).map_err(|_| EcFault::Malformed)?;
        let parameters = info.algorithm.parameters_oid().ok();
        let curve = curve(info.algorithm.oid, parameters)?;
        with!(curve, library => {
            let key = library::PublicKey::from_public_key_der(&der).map_err(|_| EcFault::Malformed)?;
            Ok(EcPublicKey {
                curve,
                point: key.to_sec1_bytes(),
                pem: key.to_public_key_pem(LineEnding::LF).map_err(|_| EcFault::Malformed)?,
            })
        })
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
        with!(self.curve, library => {
            let key = library::ecdsa::VerifyingKey::from_sec1_bytes(&self.point);
            let signature = library::ecdsa::Signature::from_der(signature);
            key.and_then(|key| key.verify(message, &signature?)).is_ok()
        })
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
            (ENCRYPTED, None) => Err(KeyFault::Protected.into()),
            (ENCRYPTED, Some(passphrase)) => {
                let locked = EncryptedPrivateKeyInfo::try_from(self.der.as_slice())
                    .map_err(|_| EcFault::Encryption)?;
                let key = locked.decrypt(passphrase).map_err(|_| Error::WrongPassphrase)?;
                EcSigner::pkcs8(key.as_bytes())
            }
            _ => EcSigner::pkcs8(&self.der),
        }
    }
}

impl EcSigner {
    fn pkcs8(der: &[u8]) -> Result<EcSigner, Error> {
        let info = PrivateKeyInfo::try_from(der).map_err(|_| EcFault::Malformed)?;
        let curve = curve(info.algorithm.oid, info.algorithm.parameters_oid().ok())?;
        with!(curve, library => {
            let key = library::SecretKey::from_pkcs8_der(der).map_err(|_| EcFault::Malformed)?;
            EcSigner::new(Zeroizing::new(key.to_bytes().to_vec()), key.public_key().to_public_key_pem(LineEnding::LF))
        })
    }

    fn sec1(der: &[u8]) -> Result<EcSigner, Error> {
        let key = EcPrivateKey::from_der(der).map_err(|_| EcFault::Malformed)?;
        let named = key.parameters.and_then(|parameters| parameters.named_curve());
        let curve = curve(EC, named)?;
        with!(curve, library => {
            let key = library::SecretKey::from_sec1_der(der).map_err(|_| EcFault::Malformed)?;
            EcSigner::new(Zeroizing::new(key.to_bytes().to_vec()), key.public_key().to_public_key_pem(LineEnding::LF))
        })
    }

    fn new(
        secret: Zeroizing<Vec<u8>>,
        pem: Result<String, x509_cert::spki::Error>,
    ) -> Result<EcSigner, Error> {
        let public = EcPublicKey::parse(&pem.map_err(|_| EcFault::Malformed)?)?;
        Ok(EcSigner { secret, public })
    }

    /// Returns the key that verifies its signatures.
    pub fn public(&self) -> &EcPublicKey {
        &self.public
    }

    /// Returns a signature of a message, in DER.
    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let made = with!(self.public.curve, library => {
            let key = library::ecdsa::SigningKey::from_slice(&self.secret).map_err(SignFault::Key)?;
            let made: library::ecdsa::Signature = key.try_sign(message).map_err(SignFault::Key)?;
            made.to_der().as_bytes().to_vec()
        });
        match self.public.verifies(message, &made) {
            true => Ok(made),
            false => Err(SignFault::Unverified.into()),
        }
    }
}

/// Decodes the first PEM block with one of these labels.
fn block(
    text: &str,
    labels: &[&'static str],
    wanted: &'static str,
) -> Result<(&'static str, Zeroizing<Vec<u8>>), Error> {
    let found = labels.iter().find_map(|label| {
        let (begin, end) = (format!("-----BEGIN {label}-----"), format!("-----END {label}-----"));
        let start = text.find(&begin)?;
        let length = text[start..].find(&end)? + end.len();
        Some((*label, &text[start..start + length]))
    });
    let (label, pem) = found.ok_or(EcFault::NoPem(wanted))?;
    if pem.contains("Proc-Type:") {
        return Err(EcFault::OldEncryption.into());
    }
    let (_, der) = der::pem::decode_vec(pem.as_bytes()).map_err(|_| EcFault::Malformed)?;
    Ok((label, Zeroizing::new(der)))
}

/// Returns the curve of an algorithm and its parameters.
fn curve(algorithm: ObjectIdentifier, parameters: Option<ObjectIdentifier>) -> Result<Curve, Error> {
    let named = parameters.filter(|_| algorithm == EC).unwrap_or(algorithm);
    let found = CURVES.iter().find(|(_, id)| *id == named);
    found.map(|(curve, _)| *curve).ok_or_else(|| EcFault::Other(named).into())
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

impl fmt::Display for EcFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EcFault::NoPem(wanted) => write!(f, "models need {wanted}"),
            EcFault::Malformed => f.write_str("its PEM or DER is damaged"),
            EcFault::Other(id) => {
                write!(f, "models need ECDSA on P-256, P-384 or P-521; this is of another kind ({id})")
            }
            EcFault::OldEncryption => f.write_str(
                "it is encrypted in the old way of OpenSSL; 'openssl pkcs8 -topk8 -in KEY -out NEW' converts it",
            ),
            EcFault::Encryption => f.write_str("it is encrypted in a way that is not supported"),
        }
    }
}

impl From<EcFault> for Error {
    fn from(fault: EcFault) -> Error {
        Error::Key(KeyFault::Ec(fault))
    }
}
