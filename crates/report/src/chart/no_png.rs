//! PNG files in a build that draws none.

use super::Error;
use super::model::Chart;
use super::sheet::Page;
use super::theme::Theme;

/// No picture.
pub(super) fn png(_: &Chart, _: Theme) -> Result<Vec<u8>, Error> {
    Err(Error::LeftOut)
}

/// No picture.
pub(super) fn sheet(_: Page<'_>, _: Theme) -> Result<Vec<u8>, Error> {
    Err(Error::LeftOut)
}
