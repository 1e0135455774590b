//! Destinations in stores, which this build doesn't reach.

use super::naming::Naming;
use super::place::{BucketSettings, PlaceThreads};
use super::site::CopySite;
use crate::error::Error;
use crate::misfit::Misfit;
use hashmill_content::stores::Stores;
use hashmill_digest::Algorithm;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The keys of copies, of which this build makes none.
pub(super) struct Keys(());

impl Keys {
    /// Fails.
    ///
    /// # Errors
    /// Always.
    pub(super) fn new(_: &Path, _: &Naming, _: &Stores) -> Result<Keys, Error> {
        Err(left_out())
    }

    /// Returns these keys.
    pub(super) fn keep_for(self, _: Option<Box<[u8]>>) -> Keys {
        self
    }

    /// Returns the location of all copies.
    pub(super) fn root(&self) -> Box<[u8]> {
        Box::default()
    }
}

fn left_out() -> Error {
    let misfit = hashmill_content::Misfit::LeftOut { what: "object stores", feature: "stores" };
    Misfit::from(misfit).into()
}

/// Refuses all locations.
///
/// # Errors
/// If there is one.
pub(super) fn check(_: &[Box<[u8]>], to: &[&PathBuf], _: &Stores) -> Result<(), Error> {
    if to.is_empty() { Ok(()) } else { Err(left_out()) }
}

/// Returns no digests.
pub(super) fn digests(_: &Path, _: &Stores) -> Vec<&'static Algorithm> {
    Vec::new()
}

/// Fails.
///
/// # Errors
/// Always.
pub(super) fn site(_: Keys, _: &Stores) -> Result<Arc<dyn CopySite>, Error> {
    Err(left_out())
}

/// Fails.
///
/// # Errors
/// Always.
pub(super) fn begin(_: Keys, _: BucketSettings) -> Result<PlaceThreads, Error> {
    Err(left_out())
}
