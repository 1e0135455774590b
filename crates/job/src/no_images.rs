//! Forensic images in a build that does not read them.

use crate::flow::Entries;
use crate::misfit::Misfit;
use crate::stated::Stated;
use hashloom_source::Found;

/// No entries: the files themselves would pass for what is in them.
///
/// # Errors
/// [`Misfit::LeftOut`].
pub(crate) fn opened(_: impl Iterator<Item = Found>, _: &Stated) -> Result<Entries, Misfit> {
    Err(Misfit::LeftOut { what: "forensic images", feature: "images" })
}
