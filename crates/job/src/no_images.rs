//! Forensic images in a build without them.

use crate::flow::Entries;
use crate::misfit::Misfit;
use crate::wanted::Wanted;
use hashloom_source::WalkItem;

/// Fails: otherwise the image files themselves would pass for their content.
///
/// # Errors
/// [`Misfit::LeftOut`].
pub(crate) fn opened(_: impl Iterator<Item = WalkItem>, _: Wanted) -> Result<Entries, Misfit> {
    Err(Misfit::LeftOut { what: "forensic images", feature: "images" })
}
