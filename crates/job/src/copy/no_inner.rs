//! Sources inside of images and archives, which this build doesn't read.

use crate::error::Error;
use hashmill_content::resources::Resources;
use hashmill_content::selection::Selection;
use hashmill_engine::flow::Entries;

/// Takes nothing out of a selection.
pub(super) fn take(_: &mut Selection, _: &Resources) -> Result<Vec<Entries>, Error> {
    Ok(Vec::new())
}
