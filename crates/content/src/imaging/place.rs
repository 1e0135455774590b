//! The place of images: this machine, or a store.
#![cfg_attr(
    not(feature = "stores"),
    allow(unused_variables, reason = "a build without stores has one place")
)]

use crate::stores::Stores;
use hashmill_image::{Error, Local, Opener};
use hashmill_source::Meta;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An opener of the files of an image, and the path by which it knows the image.
pub(super) type ImagePlace = (Arc<dyn Opener>, PathBuf);

/// Returns an opener of the files of an image, and the path by which it knows the image.
///
/// # Errors
/// If the path looks like a location but is not a valid one, or its store can't be reached.
pub(crate) fn opener(path: &Path, stores: Option<&Stores>) -> Result<ImagePlace, Error> {
    #[cfg(feature = "stores")]
    if let Some(found) = super::stored::opener(path, stores)? {
        return Ok(found);
    }
    Ok((Arc::new(Local), path.to_path_buf()))
}

/// Returns the path of an image as it is shown: an address without its query, which may be a signature, and an invalid
/// location without its secrets.
pub fn shown(path: &Path) -> PathBuf {
    #[cfg(feature = "stores")]
    if let Some(shown) = super::stored::shown(path) {
        return shown;
    }
    path.to_path_buf()
}

/// Returns the metadata of a file or an object.
///
/// # Errors
/// If the metadata can't be read.
pub(crate) fn meta(path: &Path, stores: Option<&Stores>) -> io::Result<Meta> {
    #[cfg(feature = "stores")]
    if let Some(meta) = super::stored::meta(path, stores)? {
        return Ok(meta);
    }
    Meta::at(path)
}
