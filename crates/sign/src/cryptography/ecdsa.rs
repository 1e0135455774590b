//! ECDSA on the curves of NIST, over digests of any length.

use crate::Hash;
use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};

/// The supported curves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Curve {
    /// NIST P-256; signs SHA-256.
    P256,
    /// NIST P-384; signs SHA-384.
    P384,
    /// NIST P-521; signs SHA-512.
    P521,
}

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

impl Curve {
    /// Returns the length of a coordinate in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Curve::P256 => 32,
            Curve::P384 => 48,
            Curve::P521 => 66,
        }
    }

    /// Returns the hash of the curve's size.
    pub(crate) fn hash(self) -> Hash {
        match self {
            Curve::P256 => Hash::Sha256,
            Curve::P384 => Hash::Sha384,
            Curve::P521 => Hash::Sha512,
        }
    }

    /// Returns a point without compression; `None` if it is not on the curve.
    pub(crate) fn point(self, bytes: &[u8]) -> Option<Vec<u8>> {
        with!(self, library => {
            let key = library::ecdsa::VerifyingKey::from_sec1_bytes(bytes).ok()?;
            Some(key.to_sec1_point(false).as_bytes().to_vec())
        })
    }

    /// Returns the public point of a private number, without compression.
    pub(crate) fn public(self, secret: &[u8]) -> Option<Vec<u8>> {
        with!(self, library => {
            let key = library::ecdsa::SigningKey::from_slice(secret).ok()?;
            Some(key.verifying_key().to_sec1_point(false).as_bytes().to_vec())
        })
    }

    /// Returns whether a signature in DER matches a digest and the key with this point.
    pub(crate) fn verifies(self, point: &[u8], digest: &[u8], signature: &[u8]) -> bool {
        with!(self, library => {
            let Ok(signature) = library::ecdsa::Signature::from_der(signature) else { return false };
            let key = library::ecdsa::VerifyingKey::from_sec1_bytes(point);
            key.is_ok_and(|key| key.verify_prehash(&self.number(digest), &signature).is_ok())
        })
    }

    /// Returns whether a signature of two numbers, each with the length of a coordinate, matches a digest and the key
    /// with this point.
    pub(crate) fn verifies_numbers(self, point: &[u8], digest: &[u8], numbers: &[u8]) -> bool {
        with!(self, library => {
            let Ok(signature) = library::ecdsa::Signature::from_slice(numbers) else { return false };
            let key = library::ecdsa::VerifyingKey::from_sec1_bytes(point);
            key.is_ok_and(|key| key.verify_prehash(&self.number(digest), &signature).is_ok())
        })
    }

    /// Signs a digest with a private number. Returns the signature in DER.
    pub(crate) fn sign(self, secret: &[u8], digest: &[u8]) -> Option<Vec<u8>> {
        with!(self, library => {
            let key = library::ecdsa::SigningKey::from_slice(secret).ok()?;
            let made: library::ecdsa::Signature = key.sign_prehash(&self.number(digest)).ok()?;
            Some(made.to_der().as_bytes().to_vec())
        })
    }

    /// Pads a digest to the length of a coordinate, as the libraries require at least half of it.
    fn number(self, digest: &[u8]) -> Vec<u8> {
        let mut number = vec![0; self.size().saturating_sub(digest.len())];
        number.extend(digest);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_verify_with_every_curve_and_hash() {
        for curve in [Curve::P256, Curve::P384, Curve::P521] {
            let mut secret = vec![5; curve.size()];
            secret[0] = 0;
            let point = curve.public(&secret).unwrap();
            assert_eq!((point.len(), point[0]), (1 + 2 * curve.size(), 4));
            let mut short = point[..=curve.size()].to_vec();
            short[0] = 2 | point[point.len() - 1] & 1;
            assert_eq!(curve.point(&short).unwrap(), point);
            for hash in [Hash::Sha256, Hash::Sha384, Hash::Sha512] {
                let digest = hash.digest(b"abc");
                let made = curve.sign(&secret, &digest).unwrap();
                assert!(curve.verifies(&point, &digest, &made));
                assert!(!curve.verifies(&point, &hash.digest(b"abd"), &made));
                assert!(!curve.verifies(&point, &digest, &[made.as_slice(), &[0]].concat()));
            }
            let mut off = point.clone();
            off[1] ^= 1;
            assert!(curve.point(&off).is_none() && curve.point(&[]).is_none());
            assert!(curve.public(&vec![0; curve.size()]).is_none());
        }
    }
}
