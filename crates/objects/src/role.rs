//! The role of a file in a store, by its path.

use crate::Coding;
use crate::name::of_text;
use hashmill_digest::{Algorithm, Digest, find};

/// The role of a file in a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// An object: its digest is claimed.
    Object(ObjectClaim),
    /// A part of the store that has no digest, such as its settings or a lock.
    Apart,
    /// An object that can't be checked, with the reason.
    Unsupported(&'static str),
    /// No part of the store.
    Stranger,
}

/// The claim about an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectClaim {
    /// The algorithm of the digest.
    pub algorithm: &'static Algorithm,
    /// The digest, or its place.
    pub digest: Claim,
    /// The way from the stored bytes to those that are hashed.
    pub coding: Coding,
}

/// The digest that is claimed of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// This digest, from the name of the object.
    Name(Digest),
    /// The digest in the last bytes of the file, which is of all bytes before.
    Trailer,
}

impl Role {
    /// Makes the role of an object that is named by the digest of its stored bytes. Without a digest, the file is a
    /// stranger.
    pub(crate) fn stored(algorithm: &str, text: &[u8]) -> Role {
        Role::coded(algorithm, text, Coding::Stored)
    }

    /// Makes the role of an object that is named by the digest of its bytes behind a coding.
    pub(crate) fn coded(algorithm: &str, text: &[u8], coding: Coding) -> Role {
        let claim = find(algorithm).ok().and_then(|algorithm| {
            let digest = Claim::Name(of_text(algorithm, text)?);
            Some(ObjectClaim { algorithm, digest, coding })
        });
        claim.map_or(Role::Stranger, Role::Object)
    }
}
