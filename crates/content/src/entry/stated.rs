//! Digests that forensic images state of their media and of the files in them. An operation that computes a digest of
//! all these bytes compares it: otherwise an image that was changed together with all its checksums would be hashed
//! without a warning.

use hashmill_digest::{Algorithm, Digest};
use hashmill_manifest::Record;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

/// The digests that images state, by the path of the entry.
#[derive(Debug, Clone, Default)]
pub struct Stated(Arc<Mutex<HashMap<Box<[u8]>, Statement>>>);

/// The digests that an image states of an entry.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    /// The image, if the entry is its complete media.
    pub media: Option<Arc<dyn StatedMedia>>,
    /// The digests.
    pub digests: Vec<(&'static Algorithm, Digest)>,
}

/// An image of media that states their digests.
pub(crate) trait StatedMedia: fmt::Debug + Send + Sync {
    /// Returns the differences that the way in which the image was made does not explain: some programs hash bytes past the
    /// last sector, too.
    fn confirmed(&self, record: &Record, found: Vec<Difference>) -> Vec<Difference>;
}

/// A stated digest that differs from the computed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Difference {
    /// The algorithm of both digests.
    pub algorithm: &'static Algorithm,
    /// The digest that the image states.
    pub stated: Digest,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { algorithm, stated } = self;
        write!(
            f,
            "its {} is not the one that the image stores, {stated} (see hashmill image verify)",
            algorithm.name
        )
    }
}

impl Stated {
    /// Records the digests that an image states of the entry with this path.
    pub(crate) fn note(&self, path: &[u8], statement: Statement) {
        if !statement.digests.is_empty() {
            self.0.lock().insert(path.into(), statement);
        }
    }

    /// Returns the algorithms of the digests that an image states of the entry with this path.
    #[cfg(feature = "images")]
    pub fn algorithms(&self, path: &[u8]) -> Vec<&'static Algorithm> {
        let known = self.0.lock();
        known.get(path).iter().flat_map(|stated| &stated.digests).map(|(algorithm, _)| *algorithm).collect()
    }

    /// Returns the stated digests that differ from those of a record.
    pub fn differences(&self, record: &Record) -> Vec<Difference> {
        if !record.is_sound() || record.piece.is_some() || !record.bad_blocks.is_empty() {
            return Vec::new();
        }
        let Some(Statement { media, digests }) = self.0.lock().get(&record.path).cloned() else {
            return Vec::new();
        };
        let differs = |(algorithm, stated): &(&'static Algorithm, Digest)| {
            let mut computed = record.digests.iter().filter(|named| named.algorithm == *algorithm);
            computed.any(|named| named.digest != *stated)
        };
        let found = digests.into_iter().filter(differs);
        let found = found.map(|(algorithm, stated)| Difference { algorithm, stated }).collect::<Vec<_>>();
        match media {
            Some(media) if !found.is_empty() => media.confirmed(record, found),
            _ => found,
        }
    }
}
