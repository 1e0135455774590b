//! Digests that forensic images state of their media and of the files in them. An operation that computes a digest of
//! all these bytes compares it: otherwise an image that was changed together with all its checksums would be hashed
//! without a warning.

#[cfg(feature = "images")]
use crate::imaging;
use hashmill_digest::{Algorithm, Digest};
#[cfg(feature = "images")]
use hashmill_image::{Computed, DigestOutcome, Image, Resources, compare_stored};
use hashmill_manifest::Record;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// The digests that images state, by the path of the entry.
#[derive(Debug, Clone, Default)]
pub struct Stated(Arc<Mutex<HashMap<Box<[u8]>, Statement>>>);

/// The digests that an image states of an entry.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    /// The image, if the entry is its complete media.
    #[cfg_attr(not(feature = "images"), allow(dead_code, reason = "a build without images states nothing"))]
    pub media: Option<Media>,
    /// The digests.
    pub digests: Vec<(&'static Algorithm, Digest)>,
}

/// An image of media.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "images"), allow(dead_code, reason = "a build without images has none"))]
pub(crate) struct Media {
    /// Path of the first file of the image.
    pub path: PathBuf,
    /// The way to open it.
    #[cfg(feature = "images")]
    pub open: imaging::OpenOptions,
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
    #[cfg(feature = "images")]
    pub(crate) fn note(&self, path: &[u8], statement: Statement) {
        if !statement.digests.is_empty() {
            self.0.lock().insert(path.into(), statement);
        }
    }

    /// Returns the stated digests that differ from those of a record.
    pub(crate) fn differences(&self, record: &Record) -> Vec<Difference> {
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
            Some(media) if !found.is_empty() => confirmed(&media, record, found),
            _ => found,
        }
    }
}

/// Returns the differences that the way in which the image was made does not explain: some programs hash bytes past the
/// last sector, too.
#[cfg(feature = "images")]
fn confirmed(Media { path, open }: &Media, record: &Record, found: Vec<Difference>) -> Vec<Difference> {
    let Ok(image) = imaging::open(path, open) else { return found };
    let computed =
        |named: &hashmill_manifest::Named| Computed { algorithm: named.algorithm, digest: named.digest };
    let computed: Vec<Computed> = record.digests.iter().map(computed).collect();
    let checks = compare_stored(&image, &computed, Resources::default());
    let differs = |difference: &Difference| {
        checks.iter().any(|check| {
            let same =
                (check.claim.algorithm, check.claim.digest) == (difference.algorithm, difference.stated);
            same && check.outcome == DigestOutcome::Mismatch
        })
    };
    found.into_iter().filter(differs).collect()
}

#[cfg(not(feature = "images"))]
fn confirmed(_: &Media, _: &Record, found: Vec<Difference>) -> Vec<Difference> {
    found
}

/// Returns the digests that an image states of its complete media.
#[cfg(feature = "images")]
pub(crate) fn of_media(image: &Image, path: PathBuf, open: imaging::OpenOptions) -> Statement {
    let digests = image.claims().iter().map(|claim| (claim.algorithm, claim.digest)).collect();
    Statement { media: Some(Media { path, open }), digests }
}

/// Returns the digests that a logical image states of a file in it.
#[cfg(feature = "images")]
pub(crate) fn of_file(file: &hashmill_image::Entry) -> Statement {
    let stated = [("md5", file.md5), ("sha1", file.sha1)];
    let digests =
        stated.into_iter().filter_map(|(name, digest)| Some((hashmill_digest::find(name).ok()?, digest?)));
    Statement { media: None, digests: digests.collect() }
}
