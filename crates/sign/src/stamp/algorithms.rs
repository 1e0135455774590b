//! Signatures of certificates and time stamps: *ring*'s algorithms, and ECDSA with hashes and curves that it lacks.

use crate::Hash;
use crate::asn1::{AlgorithmId, PublicKeyInfo};
use crate::cryptography::ecdsa::Curve;
use rustls_pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm, alg_id};
use webpki::{ALL_VERIFICATION_ALGS, ring as algorithms};

pub(super) type Algorithm = &'static dyn SignatureVerificationAlgorithm;

#[derive(Debug)]
struct Ecdsa {
    curve: Curve,
    hash: Hash,
}

static P256_SHA512: Algorithm = &Ecdsa { curve: Curve::P256, hash: Hash::Sha512 };
static P384_SHA512: Algorithm = &Ecdsa { curve: Curve::P384, hash: Hash::Sha512 };
static P521_SHA256: Algorithm = &Ecdsa { curve: Curve::P521, hash: Hash::Sha256 };
static P521_SHA384: Algorithm = &Ecdsa { curve: Curve::P521, hash: Hash::Sha384 };
static P521_SHA512: Algorithm = &Ecdsa { curve: Curve::P521, hash: Hash::Sha512 };

/// The algorithms that *ring* lacks.
static MORE: [Algorithm; 5] = [P256_SHA512, P384_SHA512, P521_SHA256, P521_SHA384, P521_SHA512];

/// An algorithm for time stamps: the identifier, its hash, and the possible algorithms, one of which matches the key.
type StampAlgorithm = (&'static str, Hash, &'static [&'static Algorithm]);

/// RSA with a separate identifier of the hash.
const RSA: &str = "1.2.840.113549.1.1.1";

static KINDS: [StampAlgorithm; 9] = [
    (RSA, Hash::Sha256, &[&algorithms::RSA_PKCS1_2048_8192_SHA256]),
    (RSA, Hash::Sha384, &[&algorithms::RSA_PKCS1_2048_8192_SHA384]),
    (RSA, Hash::Sha512, &[&algorithms::RSA_PKCS1_2048_8192_SHA512]),
    ("1.2.840.113549.1.1.11", Hash::Sha256, &[&algorithms::RSA_PKCS1_2048_8192_SHA256]),
    ("1.2.840.113549.1.1.12", Hash::Sha384, &[&algorithms::RSA_PKCS1_2048_8192_SHA384]),
    ("1.2.840.113549.1.1.13", Hash::Sha512, &[&algorithms::RSA_PKCS1_2048_8192_SHA512]),
    (
        "1.2.840.10045.4.3.2",
        Hash::Sha256,
        &[&algorithms::ECDSA_P256_SHA256, &algorithms::ECDSA_P384_SHA256, &P521_SHA256],
    ),
    (
        "1.2.840.10045.4.3.3",
        Hash::Sha384,
        &[&algorithms::ECDSA_P256_SHA384, &algorithms::ECDSA_P384_SHA384, &P521_SHA384],
    ),
    ("1.2.840.10045.4.3.4", Hash::Sha512, &[&P256_SHA512, &P384_SHA512, &P521_SHA512]),
];

/// Returns the algorithms of a signature with this identifier; `None` if the identifier is unknown or the hash does not
/// match.
pub(super) fn of_stamps(oid: &str, hash: Hash) -> Option<impl Iterator<Item = Algorithm>> {
    let row = KINDS.iter().find(|(known, with, _)| *known == oid && *with == hash)?;
    Some(row.2.iter().map(|algorithm| **algorithm))
}

/// Returns whether time stamps may use this identifier.
pub(super) fn is_known(oid: &str) -> bool {
    KINDS.iter().any(|(known, ..)| *known == oid)
}

/// Returns all algorithms for certificates with this identifier.
pub(super) fn of_certificates(identifier: &AlgorithmId) -> impl Iterator<Item = Algorithm> {
    let all = ALL_VERIFICATION_ALGS.iter().copied().chain(MORE);
    all.filter(|algorithm| algorithm.signature_alg_id().as_ref() == identifier.contents)
}

/// Returns whether a key belongs to an algorithm.
pub(super) fn is_for(key: &PublicKeyInfo, algorithm: Algorithm) -> bool {
    algorithm.public_key_alg_id().as_ref() == key.algorithm.contents
}

/// Returns whether a signature matches a message and a key.
pub(super) fn fits(key: &PublicKeyInfo, algorithm: Algorithm, message: &[u8], signature: &[u8]) -> bool {
    let bytes = key.key.as_bytes();
    is_for(key, algorithm)
        && bytes.is_some_and(|bytes| algorithm.verify_signature(bytes, message, signature).is_ok())
}

impl SignatureVerificationAlgorithm for Ecdsa {
    fn verify_signature(&self, key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        let good = self.curve.verifies(key, &self.hash.digest(message), signature);
        if good { Ok(()) } else { Err(InvalidSignature) }
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        match self.curve {
            Curve::P256 => alg_id::ECDSA_P256,
            Curve::P384 => alg_id::ECDSA_P384,
            Curve::P521 => alg_id::ECDSA_P521,
        }
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        match self.hash {
            Hash::Sha256 => alg_id::ECDSA_SHA256,
            Hash::Sha384 => alg_id::ECDSA_SHA384,
            Hash::Sha512 => alg_id::ECDSA_SHA512,
        }
    }
}
