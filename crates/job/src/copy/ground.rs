//! Checks before the first byte is read: no place mixes with another.

use crate::error::Error;
use hashmill_content::File as Tried;
use hashmill_content::selection::path_of;
use hashmill_content::stores::Stores;
use hashmill_os::names::{self, path_bytes};
use hashmill_os::{Links, facts_at};
use std::path::{Path, PathBuf};

/// Checks that no folder of a destination lies in a source or the other way round, and that none is named twice.
///
/// # Errors
/// If one does, or its place can't be looked up.
pub(super) fn check_places(sources: &[Box<[u8]>], to: &[&PathBuf], stores: &Stores) -> Result<(), Error> {
    let place = |path: &Path| {
        let above = hashmill_output::directory(path);
        names::canonical(path).or_else(|_| {
            names::canonical(above).map(|above| above.join(path.file_name().unwrap_or_default()))
        })
    };
    let unfit = |path: &Path, why: &str| Error::of_place(path_bytes(path), why);
    let mut places: Vec<PathBuf> = Vec::new();
    for path in to {
        if facts_at(path, Links::Follow).is_ok_and(|facts| !facts.is_file() && !facts.is_folder()) {
            return Err(unfit(path, "is neither a folder nor a file nor a disk"));
        }
        let at = place(path).map_err(Error::at(path, Tried::TakeUp))?;
        if places.contains(&at) {
            return Err(unfit(path, "is named twice as a destination"));
        }
        places.push(at);
    }
    for source in sources.iter().filter(|source| !stores.is_location(source)) {
        let path = path_of(source);
        // A source that doesn't exist is told when it is read.
        let Ok(at) = names::canonical(&path) else { continue };
        for (to, name) in places.iter().zip(to) {
            let why = match () {
                () if at.is_dir() && to.starts_with(&at) => "lies in a source, or is one",
                () if at.starts_with(to) => "is a folder that a source lies in; copy into another one",
                () => continue,
            };
            return Err(unfit(name, why));
        }
    }
    Ok(())
}
