//! A destination, as the run and its plan see it.

use super::attributes::Lost;
use super::naming::Name;
use std::io;
use std::path::{Path, PathBuf};

/// A destination besides its threads: where copies lie, and what is done for all of them together.
pub(super) trait CopySite: Send + Sync {
    /// Returns the path of a copy.
    fn path(&self, name: &Name) -> PathBuf;

    /// Returns whether something is in the place of a copy.
    fn is_there(&self, name: &Name) -> bool;

    /// Returns the free bytes; `None` if they can't be told.
    fn free(&self) -> Option<u64>;

    /// Notes the folder of the sources that a copy's folder is a copy of, and those above both.
    fn note_folders(&self, _below: &[u8], _source: &Path) {}

    /// Ends what concerns all copies together. Returns the properties that folders lack, and the first error.
    fn finish(&self) -> (Lost, io::Result<()>) {
        (Lost::new(), Ok(()))
    }
}
