//! Archives in a build without them: no file is one.

use crate::flow::Entries;
use crate::resources::Resources;
use hashmill_source::WalkOptions;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The texts of symbolic links in an archive, by their paths.
pub(crate) type LinkTexts = Arc<Mutex<HashMap<Box<[u8]>, Box<[u8]>>>>;

/// Returns false.
pub(crate) fn is_archive(_: &[u8], _: &Resources) -> bool {
    false
}

/// Returns nothing.
pub(crate) fn paths_in(_: &[u8], _: &Resources) -> HashSet<Box<[u8]>> {
    HashSet::new()
}

/// Returns nothing.
pub(crate) fn as_folder(_: &[u8], _: &Resources, _: Option<LinkTexts>, _: WalkOptions) -> Option<Entries> {
    None
}

/// An archive that takes the place of a folder.
pub(crate) enum ArchiveFolder {}

impl ArchiveFolder {
    /// Returns nothing.
    pub(crate) fn open(_: &[u8], _: &Resources) -> Option<ArchiveFolder> {
        None
    }

    /// Returns nothing, and is never called.
    pub(crate) fn entries(&self, _: Option<LinkTexts>) -> Entries {
        match *self {}
    }
}
