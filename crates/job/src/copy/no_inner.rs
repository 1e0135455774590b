//! Sources inside of images and archives, which this build doesn't read.

use crate::error::Error;
use hashmill_content::resources::Resources;
use hashmill_content::selection::Selection;
use hashmill_engine::flow::Entries;
use std::path::PathBuf;

/// Takes nothing out of a selection.
pub(super) fn take(_: &mut Selection, _: &Resources) -> Result<Vec<Entries>, Error> {
    Ok(Vec::new())
}

/// Returns none: each source is a file or folder itself.
pub(super) fn file_of(_: &[u8]) -> Option<PathBuf> {
    None
}
