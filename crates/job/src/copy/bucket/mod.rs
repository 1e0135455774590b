//! Destinations in stores: copies become objects.
//!
//! ```text
//!   bytes ──> writer ── tasks ──> many threads: look, send, prove ── in order ──> reporter ── answers ──> run
//! ```
//!
//! A store has no names that come later, so an object is sent when its file is known to be whole: small ones after the engine's
//! result, large ones in parts while they are read, and the parts become an object after the result (`writer`, `parts`). What is
//! there already is listed once (`there`). A copy is proved by what the store says of it, or else it is read back (`proof`).

mod buffer;
mod check;
mod crew;
mod keys;
mod parts;
mod proof;
mod reporter;
mod settle;
mod there;
mod writer;

pub(super) use check::check;
pub(super) use keys::Keys;

use super::answers::Answers;
use super::back::Verify;
use super::later::Later;
use super::place::{BucketSettings, PlaceThreads};
use super::site::CopySite;
use super::threads::start;
use crate::error::Error;
use crew::Crew;
use hashmill_content::stores::Stores;
use hashmill_digest::{Algorithm, find};
use hashmill_os::names::path_bytes;
use hashmill_output::WriteError;
use hashmill_store::Scheme;
use keys::BucketSite;
use reporter::Reporter;
use settle::Bucket;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{channel, sync_channel};
use there::There;
use writer::BucketWriter;

/// The most requests that are under way.
const MOST_REQUESTS: usize = 32;

/// The most entries that were settled or are being settled, and not answered for. The run waits for answers before it has sent as
/// many.
const MOST_SETTLED: usize = 4096;

/// Returns the digests that the store of a destination has of its objects.
pub(super) fn digests(to: &Path, stores: &Stores) -> Vec<&'static Algorithm> {
    let names: &[&str] = match stores.location(&path_bytes(to)).map(|location| location.scheme()) {
        // Its entity tags, and what it compares with the bytes that it gets.
        Ok(Scheme::S3) => &["md5", parts::TAG, "sha256"],
        Ok(Scheme::Gs) => &["md5", "crc32c"],
        Ok(Scheme::Az) => &["crc64nvme"],
        _ => &[],
    };
    names.iter().filter_map(|name| find(name).ok()).collect()
}

/// Returns a destination before anything is written, with what is there.
///
/// # Errors
/// If the store can't be reached.
pub(super) fn site(keys: Keys, stores: &Stores) -> Result<Arc<dyn CopySite>, Error> {
    let store = stores.store(keys.location()).map_err(Box::new)?;
    let there = There::list(&store, &keys).map_err(Box::new)?;
    Ok(Arc::new(BucketSite::with(keys, store, there)))
}

/// Starts the threads of a destination.
///
/// # Errors
/// If the system refuses.
pub(super) fn begin(keys: Keys, settings: BucketSettings) -> Result<PlaceThreads, Error> {
    let BucketSettings { stores, is_forced, verify, memory, algorithms, listed, progress } = settings;
    let keys = Arc::new(keys);
    let (sender, messages) = channel();
    let (next, settled) = sync_channel(MOST_SETTLED);
    let (answer, answers) = channel();
    let later = match verify {
        Verify::Later => {
            let path = keys.location().typed();
            let wrong = |error| WriteError::new(&hashmill_os::names::path_to_try(&path), error);
            Some(Later::new(algorithms).map_err(wrong)?)
        }
        Verify::AtOnce | Verify::No => None,
    };
    let site = Arc::new(BucketSite::new(Arc::clone(&keys)));
    let bucket = match stores.store(keys.location()) {
        Ok(store) => Ok(Arc::new(Bucket { store, is_forced, verify })),
        Err(error) => Err(error.cause.to_string()),
    };
    let crew = Arc::new(Crew::begin(MOST_REQUESTS)?);
    let reporter = Reporter {
        keys: Arc::clone(&keys),
        bucket: bucket.clone().ok(),
        crew: Arc::clone(&crew),
        later,
        listed,
    };
    let reader = start("waiting for uploads", move || reporter.run(&settled, &answer))?;
    let counted = Arc::clone(&progress);
    let writer = start("uploading copies", move || match bucket {
        Ok(bucket) => BucketWriter::new(bucket, keys, crew, memory, next, counted).run(&messages),
        Err(why) => writer::refuse(&messages, &next, &why),
    })?;
    Ok(PlaceThreads { site, progress, sender, answers: Answers::new(answers), writer, reader })
}
