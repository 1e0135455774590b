//! A replacement for PNG output in a build without it.

use super::Error;
use super::model::Chart;
use super::sheet::Page;
use super::theme::Theme;

/// Returns the error that PNG is not available.
pub(super) fn png(_: &Chart, _: Theme) -> Result<Vec<u8>, Error> {
    Err(Error::LeftOut)
}

/// Returns the error that PNG is not available.
pub(super) fn sheet(_: Page<'_>, _: Theme) -> Result<Vec<u8>, Error> {
    Err(Error::LeftOut)
}
