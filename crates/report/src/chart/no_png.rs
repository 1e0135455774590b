//! PNG files in a build that draws none.

use super::Error;
use super::model::Chart;
use super::theme::Theme;

/// No picture.
pub(super) fn png(_: &[Chart], _: Theme) -> Result<Vec<u8>, Error> {
    Err(Error::LeftOut)
}
