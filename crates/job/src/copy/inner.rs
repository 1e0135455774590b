//! Sources inside of an image or an archive.

use crate::error::Error;
use hashmill_content::Inside;
use hashmill_content::operands::inner::{InnerOptions, InnerPath};
use hashmill_content::resources::Resources;
use hashmill_content::selection::{Selection, path_of};
use hashmill_engine::flow::Entries;
use std::path::PathBuf;

/// Takes the sources that lie inside of files out of a selection, and returns their entries.
///
/// # Errors
/// If a file can't be looked into.
pub(super) fn take(selection: &mut Selection, resources: &Resources) -> Result<Vec<Entries>, Error> {
    let sources = std::mem::take(&mut selection.paths);
    let mut inner = Vec::new();
    for source in sources {
        let path = Some(path_of(&source)).filter(|_| !resources.stores.is_location(&source));
        match path.and_then(|path| InnerPath::new(&path)) {
            Some(path) => inner.push(entries(selection, &source, &path, resources)?),
            None => selection.paths.push(source),
        }
    }
    Ok(inner)
}

/// Returns the file that a source lies in; `None` of a source that is a file or folder itself.
pub(super) fn file_of(source: &[u8]) -> Option<PathBuf> {
    InnerPath::new(&path_of(source)).map(|path| path.outer().to_path_buf())
}

fn entries(
    selection: &Selection,
    source: &[u8],
    path: &InnerPath,
    resources: &Resources,
) -> Result<Entries, Error> {
    let inside = Inside { archives: true, media: true, files: true, ..Inside::default() };
    let options = InnerOptions { inside, memory: resources.memory / 2, ..InnerOptions::default() };
    let inner = path.open(&options).map_err(|error| Error::of_place(source, error))?;
    Ok(selection.chosen(inner.entries, source, resources))
}
