//! Leaf digests of a record as text: hexadecimal digests separated by spaces.

use crate::format::malformed::{Bad, Why};
use crate::{KeptLeaves, Named};
use hashmill_digest::{Algorithm, Digest};

/// The suffix of an algorithm's name in the key or column of its leaves.
pub(in crate::format) const SUFFIX: &str = "_leaves";

/// Returns the algorithm whose leaves have this key.
pub(in crate::format) fn of_key(name: &str) -> Option<&'static Algorithm> {
    let algorithm = hashmill_digest::of_name(name.strip_suffix(SUFFIX)?)?;
    algorithm.leaves?.kept_bytes().map(|_| algorithm)
}

pub(in crate::format) fn write(leaves: &KeptLeaves, text: &mut Vec<u8>) {
    let bytes = leaves.algorithm.leaves.map_or(1, |shape| shape.digest);
    for (place, digest) in leaves.digests.chunks(bytes).enumerate() {
        if place > 0 {
            text.push(b' ');
        }
        text.extend_from_slice(Digest::new(digest).to_string().as_bytes());
    }
}

pub(in crate::format) fn read(algorithm: &'static Algorithm, text: &[u8]) -> Result<KeptLeaves, Bad> {
    let mut digests = Vec::with_capacity(text.len() / 2);
    let bits = algorithm.leaves.map_or(0, |shape| 8 * shape.digest as u32);
    for word in text.split(|byte| *byte == b' ').filter(|_| !text.is_empty()) {
        let digest = Digest::from_hex(word).map_err(|bad| Bad::new("leaves", Why::Digest(bad)))?;
        if digest.bits() != bits {
            return Err(Bad::new("leaves", Why::Leaves(algorithm)));
        }
        digests.extend_from_slice(digest.as_bytes());
    }
    Ok(KeptLeaves { algorithm, digests: digests.into() })
}

/// Checks that the leaves hash to the digest of their record.
pub(in crate::format) fn check(leaves: &KeptLeaves, digests: &[Named], size: Option<u64>) -> Result<(), Bad> {
    let algorithm = leaves.algorithm;
    let named = digests.iter().find(|named| named.algorithm == algorithm);
    let digest = size.and_then(|size| algorithm.leaves?.fold_kept(&leaves.digests, size));
    let same = named.is_some_and(|named| digest == Some(named.digest));
    if same { Ok(()) } else { Err(Bad::new("leaves", Why::Leaves(algorithm))) }
}
