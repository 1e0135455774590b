//! Where images are, in a build without object stores: on this machine.

use hashloom_image::{Error, Local, Opener};
use hashloom_source::Meta;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What opens the files of an image, and the path that it knows the image by.
///
/// # Errors
/// None.
pub(crate) fn opener(path: &Path) -> Result<(Arc<dyn Opener>, PathBuf), Error> {
    Ok((Arc::new(Local), path.to_path_buf()))
}

/// The path of an image as it is shown.
pub fn shown(path: &Path) -> PathBuf {
    path.to_path_buf()
}

/// The metadata of a file.
///
/// # Errors
/// If it can't be asked.
pub(crate) fn meta(path: &Path) -> io::Result<Meta> {
    Ok(Meta::of(&path.metadata()?))
}
