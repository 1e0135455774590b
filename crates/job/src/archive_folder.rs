//! An archive in the place of a folder, however it is read.

use crate::flow::Entries;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;

/// The texts of symbolic links in an archive, by their paths.
pub(crate) type LinkTexts = Arc<Mutex<HashMap<Box<[u8]>, Box<[u8]>>>>;

/// An open archive that takes the place of a folder. Its members can be gone through more than once.
pub(crate) trait ArchiveFolder: Send + Sync {
    /// Returns the members, as the files below it.
    fn entries(&self, texts: Option<LinkTexts>) -> Entries;
}
