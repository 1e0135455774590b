//! Forensic images and archives in a build without them.

use crate::flow::Entries;
use crate::misfit::Misfit;
use crate::wanted::{Inside, Wanted};

/// Returns none.
pub(crate) fn may_contain(_: &Inside) -> Option<fn(&[u8]) -> bool> {
    None
}

/// Fails: otherwise the image files themselves would pass for their content.
///
/// # Errors
/// [`Misfit::LeftOut`].
pub(crate) fn opened(_: Entries, _: Wanted) -> Result<Entries, Misfit> {
    Err(Misfit::LeftOut { what: "forensic images and archives", feature: "images" })
}
