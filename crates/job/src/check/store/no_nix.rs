//! Store paths of Nix in a build that can't read its database.

use super::claims::Claims;
use crate::error::Error;
use crate::misfit::Misfit;
use crate::selection::Bytes;
use hashmill_source::{Entry, OperandDirectory, Origin};
use std::sync::Arc;

/// Fails: without the database no digest is known.
///
/// # Errors
/// [`Misfit::LeftOut`].
pub(super) fn claims(_: &[u8]) -> Result<Claims, Error> {
    Err(Misfit::LeftOut { what: "SQLite databases", feature: "sqlite" }.into())
}

/// Returns an entry with the bytes of the file; never called, as there are no claims.
pub(super) fn entry(_: &Arc<OperandDirectory>, path: Bytes) -> Entry {
    Entry::new(path, Origin::Path)
}
