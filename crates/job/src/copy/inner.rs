//! Sources inside of an image or an archive.

use crate::error::Error;
use hashmill_content::Inside;
use hashmill_content::operands::inner::{InnerOptions, InnerPath};
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Selection, path_of};
use hashmill_engine::flow::Entries;

/// Returns the entries of a source that lies inside of a file; `None` if it doesn't.
///
/// # Errors
/// If the file can't be looked into.
pub(super) fn entries(
    selection: &Selection,
    source: &[u8],
    resources: &Resources,
) -> Result<Option<Entries>, Error> {
    let Some(path) = InnerPath::new(&path_of(source)) else { return Ok(None) };
    let inside = Inside { archives: true, media: true, files: true, ..Inside::default() };
    let options = InnerOptions { inside, memory: resources.memory / 2, ..InnerOptions::default() };
    let inner = path.open(&options).map_err(|error| Error::of_place(source, error))?;
    Ok(Some(selection.chosen(inner.entries, source, resources)))
}
