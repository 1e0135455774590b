//! Links, FIFOs and the like, which have no content to compare: what lists and folders have of them beside files.

use super::streamed::Blocks;
use hashmill_content::output::{WriteError, scratch};
use hashmill_content::selection::Bytes;
use hashmill_manifest::Status;
use hashmill_manifest::audit::{Category, Places, Sides, Verdict};
use std::collections::BTreeMap;

/// Plainly spelled paths of what is no file, each with the word for its kind.
pub(crate) type OtherPaths = BTreeMap<Bytes, Option<Box<str>>>;

/// The known paths of what is no file.
pub(crate) struct Others {
    known: KnownOthers,
    places: Places,
}

/// The paths, in memory or in a temporary file.
pub(super) enum KnownOthers {
    Whole(OtherPaths),
    Streamed(Blocks),
}

impl Others {
    /// Takes paths in memory.
    pub(crate) fn new(known: OtherPaths, places: &Places) -> Others {
        Others::from_known(KnownOthers::Whole(known), places)
    }

    pub(super) fn from_known(known: KnownOthers, places: &Places) -> Others {
        Others { known, places: places.clone() }
    }

    /// Returns whether what is at this path, and no file, is known.
    ///
    /// # Errors
    /// If a temporary file can't be read back.
    pub(crate) fn has(&mut self, path: &[u8]) -> Result<bool, WriteError> {
        for name in self.places.plain_names(path) {
            let is_known = match &mut self.known {
                KnownOthers::Whole(known) => known.contains_key(&*name),
                KnownOthers::Streamed(known) => known.find(&name).map_err(scratch::failed)?.is_some(),
            };
            if is_known {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the verdict on something that was added, and is no file.
pub(crate) fn added(path: &[u8], kind: Option<Box<str>>, with_sides: bool) -> Verdict {
    let sides = Sides { reason: kind, ..Sides::default() };
    Verdict {
        category: Category::New,
        path: path.into(),
        known_path: None,
        piece: None,
        status: Some(Status::Skipped),
        strength: None,
        sides: with_sides.then(|| Box::new(sides)),
    }
}
