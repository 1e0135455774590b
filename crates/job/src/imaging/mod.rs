//! Forensic images: inspection, verification, and export of their media.

mod export;
mod live;
mod name;
#[cfg(feature = "stores")]
pub(crate) mod place;
#[cfg(not(feature = "stores"))]
#[path = "no_place.rs"]
pub(crate) mod place;
mod verify;

pub use export::{Export, ExportEvent, ExportRefusal, Exported};
pub use name::{Checked, Named};
pub use place::shown;
pub use verify::{ImageEvent, ImageObserver, ImageSummary, ImageVerification, Refusal};

use hashloom_image::{Error, Image, Info, Opener};
use std::path::Path;
use std::sync::Arc;

/// Opens an image on this machine or in a store. With `raw`, it is opened as raw media, whatever it looks like.
///
/// # Errors
/// If it can't be read, or can't be read as an image.
pub fn open(path: &Path, raw: bool) -> Result<Image, Error> {
    let (opener, path) = place::opener(path)?;
    open_by(&opener, &path, raw)
}

/// Opens an image with this opener of its files.
pub(crate) fn open_by(opener: &Arc<dyn Opener>, path: &Path, raw: bool) -> Result<Image, Error> {
    if raw { Image::open_raw_by(opener, path) } else { Image::open_by(opener, path) }
}

/// Returns everything that the headers of an image hold.
///
/// # Errors
/// As [`open`].
pub fn info(path: &Path, raw: bool) -> Result<Info, Error> {
    Ok(open(path, raw)?.info())
}
