//! The place of images in a build without object stores: this machine.

use crate::stores::Stores;
use hashmill_image::{Error, Local, Opener};
use hashmill_source::Meta;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns an opener of the files of an image, and the path by which it knows the image.
///
/// # Errors
/// None.
pub(crate) fn opener(path: &Path, _: Option<&Stores>) -> Result<(Arc<dyn Opener>, PathBuf), Error> {
    Ok((Arc::new(Local), path.to_path_buf()))
}

/// Returns the path of an image as it is shown.
pub fn shown(path: &Path) -> PathBuf {
    path.to_path_buf()
}

/// Returns the metadata of a file.
///
/// # Errors
/// If the metadata can't be read.
pub(crate) fn meta(path: &Path, _: Option<&Stores>) -> io::Result<Meta> {
    Meta::at(path)
}
