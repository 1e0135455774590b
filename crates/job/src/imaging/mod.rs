//! Forensic images: what they say of themselves, whether they are what they were, their media as raw bytes.

mod export;
mod live;
mod name;
mod verify;

pub use export::{Export, ExportEvent, ExportRefusal};
pub use name::{Checked, Named};
pub use verify::{Event, Observer, Refusal, Summary, Verify};

use hashloom_image::{Error, Image, Info};
use std::path::Path;

/// Opens an image; as raw media whatever it looks like, if that is insisted on.
///
/// # Errors
/// If it can't be read, or not as an image.
pub fn open(path: &Path, raw: bool) -> Result<Image, Error> {
    if raw { Image::open_raw(path) } else { Image::open(path) }
}

/// Everything that the headers of an image hold.
///
/// # Errors
/// As [`open`].
pub fn info(path: &Path, raw: bool) -> Result<Info, Error> {
    Ok(open(path, raw)?.info())
}
