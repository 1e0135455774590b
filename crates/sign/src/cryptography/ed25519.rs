//! Ed25519 by *ring*, and the checks of points that *ring* does not make.

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use zeroize::Zeroizing;

/// A point of the curve as stored: y, and the sign of x in the last bit.
pub(crate) type Point = [u8; 32];

/// The length of a signature in bytes: a point and a number.
pub(crate) const SIGNATURE: usize = 64;

/// All encodings of points of small order, without the sign of x. libsodium has the same list.
const WEAK: [Point; 7] = [
    [0; 32],
    [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
        0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a,
        0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
    high(0xec),
    high(0xed),
    high(0xee),
];

/// Returns a number close to 2^255: this byte is its lowest.
const fn high(lowest: u8) -> Point {
    let mut point = [0xff; 32];
    point[0] = lowest;
    point[31] = 0x7f;
    point
}

/// A private key.
pub(crate) struct Ed25519Key {
    seed: Zeroizing<[u8; 32]>,
    public: Point,
}

impl Ed25519Key {
    /// Creates a key from its two halves, unless they do not belong together.
    pub fn new(seed: &[u8], public: &[u8]) -> Option<Ed25519Key> {
        Ed25519KeyPair::from_seed_and_public_key(seed, public).ok()?;
        let mut own = Zeroizing::new([0; 32]);
        own.copy_from_slice(seed);
        Some(Ed25519Key { seed: own, public: public.try_into().ok()? })
    }

    pub fn public(&self) -> &Point {
        &self.public
    }

    /// Signs a message. Returns `None` if the signature does not verify: memory may fail.
    pub fn sign(&self, message: &[u8]) -> Option<[u8; SIGNATURE]> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&*self.seed).ok()?;
        let made = pair.sign(message);
        let made = <[u8; SIGNATURE]>::try_from(made.as_ref()).ok()?;
        (pair.public_key().as_ref() == self.public && verifies(&self.public, message, &made)).then_some(made)
    }
}

/// Returns whether a signature matches a message and a key.
pub(crate) fn verifies(key: &Point, message: &[u8], signature: &[u8]) -> bool {
    UnparsedPublicKey::new(&ED25519, key).verify(message, signature).is_ok()
}

/// Returns whether a point has a small order. Signatures with such a point or key may match any message.
pub(crate) fn is_weak(point: &Point) -> bool {
    let mut y = *point;
    y[31] &= 0x7f;
    WEAK.contains(&y)
}

/// Returns whether a point has the only encoding that minisign accepts.
pub(crate) fn is_canonical(point: &Point) -> bool {
    // From 2^255 - 19 on, the same coordinate has another, smaller form.
    let high = point[31] & 0x7f == 0x7f && point[1..31].iter().all(|byte| *byte == 0xff) && point[0] >= 0xed;
    !high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_points_are_known_with_either_sign() {
        let mut identity = [0; 32];
        identity[0] = 1;
        for sign in [0, 0x80] {
            for weak in WEAK {
                let mut point = weak;
                point[31] |= sign;
                assert!(is_weak(&point), "{point:x?}");
                // With such a key, a signature without any secret matches some messages; with a sound key, none.
                let forged = [identity, [0; 32]].concat();
                let any = (0..64_u8).any(|byte| verifies(&point, &[byte], &forged));
                assert!(any || !is_canonical(&point) || sign == 0x80, "{point:x?}");
            }
        }
        let sound = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let point: Point = sound.public_key().as_ref().try_into().unwrap();
        assert!(!is_weak(&point) && is_canonical(&point));
        let forged = [identity, [0; 32]].concat();
        assert!((0..64_u8).all(|byte| !verifies(&point, &[byte], &forged)));
    }

    #[test]
    fn points_from_the_prime_on_are_not_canonical() {
        assert!(is_canonical(&high(0xec)) && !is_canonical(&high(0xed)) && !is_canonical(&high(0xff)));
        let mut negative = high(0xed);
        negative[31] |= 0x80;
        assert!(!is_canonical(&negative));
    }

    #[test]
    fn halves_of_different_keys_are_no_key() {
        let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        let key = Ed25519Key::new(&[7; 32], pair.public_key().as_ref()).unwrap();
        let made = key.sign(b"abc").unwrap();
        assert!(verifies(key.public(), b"abc", &made) && !verifies(key.public(), b"abd", &made));
        assert!(Ed25519Key::new(&[8; 32], pair.public_key().as_ref()).is_none());
        assert!(Ed25519Key::new(&[7; 31], pair.public_key().as_ref()).is_none());
    }
}
