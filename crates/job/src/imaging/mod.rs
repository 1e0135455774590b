//! Forensic images: what they say of themselves, whether they are what they were, their media as raw bytes.

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
pub use verify::{Event, Observer, Refusal, Summary, Verify};

use hashloom_image::{Error, Image, Info, Opener};
use std::path::Path;
use std::sync::Arc;

/// Opens an image, of this machine or of a store; as raw media whatever it looks like, if that is insisted on.
///
/// # Errors
/// If it can't be read, or not as an image.
pub fn open(path: &Path, raw: bool) -> Result<Image, Error> {
    let (opener, path) = place::opener(path)?;
    open_by(&opener, &path, raw)
}

/// Opens an image, whose files this opener opens.
pub(crate) fn open_by(opener: &Arc<dyn Opener>, path: &Path, raw: bool) -> Result<Image, Error> {
    if raw { Image::open_raw_by(opener, path) } else { Image::open_by(opener, path) }
}

/// Everything that the headers of an image hold.
///
/// # Errors
/// As [`open`].
pub fn info(path: &Path, raw: bool) -> Result<Info, Error> {
    Ok(open(path, raw)?.info())
}
