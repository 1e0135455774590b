//! Destinations of records: files and streams, and objects of stores, which are uploaded as a whole.

use crate::location::{hinted, is_location};
use crate::stores::Upload;
use hashmill_os::names;
pub use hashmill_output::*;
use std::path::Path;

/// Creates a new file or object of this kind under a name that the user typed, as [`Output::file`].
///
/// # Errors
/// As that function; also if an object can't be written there.
pub fn create(place: &OutputPath, kind: OutputKind) -> Result<Output, WriteError> {
    elsewhere(&place.path).unwrap_or_else(|| Output::file(place, kind)).map_err(with_hint)
}

/// Creates a new file or object of this kind under a name that is derived from another, as [`Output::replacing`].
///
/// # Errors
/// As that function; also if an object can't be written there.
pub fn create_derived(place: &OutputPath, kind: OutputKind) -> Result<Output, WriteError> {
    elsewhere(&place.path).unwrap_or_else(|| Output::replacing(place, kind)).map_err(with_hint)
}

/// Calls [`create`] if a name was typed, and else [`create_derived`] with the other name.
///
/// # Errors
/// As these functions.
pub fn create_typed_or(
    (typed, otherwise): (Option<&Path>, &Path),
    (force, files): (bool, &RunFiles),
    kind: OutputKind,
) -> Result<Output, WriteError> {
    match typed {
        Some(typed) => create(&OutputPath::new(typed, force, files), kind),
        None => create_derived(&OutputPath::new(otherwise, force, files), kind),
    }
}

/// Returns whether an output of this name is a new file that is renamed at the end. A device or a FIFO is written to
/// directly, and an object of a store is uploaded as a whole.
pub fn replaces(path: &Path) -> bool {
    !is_location(&names::path_bytes(path)) && hashmill_output::replaces(path)
}

/// Creates an object in a store if the name is a location. It is uploaded when all of it was written.
fn elsewhere(path: &Path) -> Option<Result<Output, WriteError>> {
    let name = names::path_bytes(path);
    let made = is_location(&name).then(|| Output::elsewhere(&name, Box::new(Upload::prepare(&name)?)))?;
    Some(made.map_err(|source| WriteError::new(path, source)))
}

/// Adds to an error that a path may have been meant as a location.
fn with_hint(error: WriteError) -> WriteError {
    error.map_cause(hinted)
}
