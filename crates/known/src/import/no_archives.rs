//! Archives, in a build that reads none.

use super::input::Input;
use super::intake::Intake;
use crate::error::{Error, Why};
use hashmill_os::SharedFile;
use std::path::Path;

pub(super) fn is_delta(_: &Path, _: &SharedFile) -> bool {
    false
}

/// Fails, as all functions here do that would read members.
pub(super) fn import(_: &SharedFile, intake: &mut Intake<'_>, _: &[Input]) -> Result<(), Error> {
    Err(Error::new(&intake.path, Why::Feature("archives")))
}

pub(super) fn report_left_out(path: &Path, _: &SharedFile, _: &mut Intake<'_>) -> Result<(), Error> {
    Err(Error::new(path, Why::Feature("archives")))
}
