//! Packages in a build without archives: no file is one.

use super::{Check, CheckEvent, CheckSummary};
use crate::error::Error;
use crate::flow::Flow;
use crate::misfit::Misfit;
use crate::resources::Resources;

/// Returns false.
pub fn is_package(_: &[u8], _: &Resources) -> bool {
    false
}

impl Check {
    /// Fails.
    ///
    /// # Errors
    /// [`Misfit::LeftOut`].
    pub fn package(
        &mut self,
        _: &[u8],
        _: &mut dyn FnMut(CheckEvent<'_>) -> Flow,
    ) -> Result<CheckSummary, Error> {
        Err(Misfit::LeftOut { what: "archives", feature: "images" }.into())
    }
}
