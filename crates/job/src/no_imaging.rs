//! Backing files in a build without forensic images.

use crate::stores::Stores;

/// No files.
#[derive(Debug, Clone, Default)]
pub struct BackingFiles {}

impl BackingFiles {
    /// Returns the same.
    pub(crate) fn with_stores(self, _: &Stores) -> BackingFiles {
        self
    }
}
