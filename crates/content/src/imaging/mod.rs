//! Forensic images: inspection, verification, and export of their media.

mod backing;
mod claims;
mod export;
mod live;
mod name;
pub(crate) mod place;
#[cfg(feature = "stores")]
mod stored;
mod verify;

pub use crate::wanted::BackingFiles;
pub(crate) use claims::{of_file, of_media};
pub use export::{Export, ExportEvent, ExportRefusal, Exported};
pub use name::{Checked, Named};
pub use place::shown;
pub use verify::{ImageEvent, ImageObserver, ImageSummary, ImageVerification, Refusal};

use hashmill_image::{Error, Image, Info, Opener, Problem};
use std::path::Path;
use std::sync::Arc;

/// The way to open an image.
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    /// Whether the bytes of the files are the media, whatever they look like.
    pub raw: bool,
    /// The files that it may be a layer over.
    pub backing: BackingFiles,
}

/// Opens an image on this machine or in a store.
///
/// # Errors
/// If it can't be read, or can't be read as an image.
pub fn open(path: &Path, options: &OpenOptions) -> Result<Image, Error> {
    let (opener, path) = place::opener(path, Some(options.backing.stores()))?;
    open_by(&opener, &path, options)
}

/// Opens an image with this opener of its files. Backing files are opened as operands are.
pub(crate) fn open_by(opener: &Arc<dyn Opener>, path: &Path, options: &OpenOptions) -> Result<Image, Error> {
    if options.raw {
        Image::open_raw_by(opener, path)
    } else {
        backing::open_over(opener, path, &options.backing)
    }
}

/// Returns everything that the headers of an image hold.
///
/// # Errors
/// As [`open`].
pub fn info(path: &Path, options: &OpenOptions) -> Result<Info, Error> {
    Ok(open(path, options)?.info())
}

/// Returns why an image can't be opened, with the file if that is another one.
pub fn reason(error: &Error, path: &Path) -> String {
    let what = match &error.problem {
        Problem::Io(error) => format!("cannot open: {error}"),
        backing @ Problem::Backing(_) => format!("{backing} (--backing FILE)"),
        problem => problem.to_string(),
    };
    if error.path == path { what } else { format!("{}: {what}", error.path.display()) }
}
