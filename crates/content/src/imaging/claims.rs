//! Digests that images state of their media and of the files in them.

use super::{OpenOptions, open};
use crate::entry::stated::{Difference, StatedMedia, Statement};
use hashmill_image::{Computed, DigestOutcome, Image, Resources, compare_stored};
use hashmill_manifest::Record;
use std::path::PathBuf;
use std::sync::Arc;

/// An image of media.
#[derive(Debug)]
struct Media {
    /// Path of the first file of the image.
    path: PathBuf,
    /// The way to open it.
    open: OpenOptions,
}

impl StatedMedia for Media {
    fn confirmed(&self, record: &Record, found: Vec<Difference>) -> Vec<Difference> {
        let Ok(image) = open(&self.path, &self.open) else { return found };
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
}

/// Returns the digests that an image states of its complete media.
pub(crate) fn of_media(image: &Image, path: PathBuf, open: OpenOptions) -> Statement {
    let digests = image.claims().iter().map(|claim| (claim.algorithm, claim.digest)).collect();
    Statement { media: Some(Arc::new(Media { path, open })), digests }
}

/// Returns the digests that a logical image states of a file in it.
pub(crate) fn of_file(file: &hashmill_image::Entry) -> Statement {
    let stated = [("md5", file.md5), ("sha1", file.sha1)];
    let digests =
        stated.into_iter().filter_map(|(name, digest)| Some((hashmill_digest::find(name).ok()?, digest?)));
    Statement { media: None, digests: digests.collect() }
}
