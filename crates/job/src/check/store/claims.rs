//! Digests that a database states of the entries of a store.

use hashmill_content::selection::Bytes;
use hashmill_digest::{Digest, find};
use hashmill_objects::{Claim, Coding, ObjectClaim, Role};
use std::collections::BTreeMap;

/// The digests that a database states, by the names of entries of the store.
#[derive(Debug, Default)]
pub(super) struct Claims {
    pub digests: BTreeMap<Bytes, Digest>,
    /// The name of the algorithm of all digests.
    pub algorithm: &'static str,
    /// The file that states them.
    pub database: Bytes,
}

impl Claims {
    /// Returns the role of an entry that the database has.
    pub fn role(&self, name: &[u8]) -> Option<Role> {
        let (digest, algorithm) = (Claim::Name(*self.digests.get(name)?), find(self.algorithm).ok()?);
        Some(Role::Object(ObjectClaim { algorithm, digest, coding: Coding::Stored }))
    }
}
