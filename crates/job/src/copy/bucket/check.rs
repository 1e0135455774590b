//! Checks of locations before the first byte is read: no place mixes with another.

use crate::error::Error;
use hashmill_content::stores::Stores;
use hashmill_content::stores::location::with_slash;
use hashmill_os::names::path_bytes;
use hashmill_store::Location;
use std::path::PathBuf;

/// Checks that copies can be written to these locations, that none is named twice, and that none lies in a source or the other way
/// round.
///
/// # Errors
/// If that is not so.
pub(in super::super) fn check(sources: &[Box<[u8]>], to: &[&PathBuf], stores: &Stores) -> Result<(), Error> {
    let mut places: Vec<Location> = Vec::new();
    for path in to {
        let typed = path_bytes(path);
        let location = stores.operand(&typed)?;
        let unfit = |why| Err(Error::of_place(stores.without_secrets(&typed), why));
        let place = location.with_key(&with_slash_or_all(location.key()));
        let is_in = |one: &Location, other: &Location| {
            one.is_in_store_of(other) && one.key().starts_with(other.key())
        };
        for source in sources.iter().filter(|source| stores.is_location(source)) {
            let source = stores.operand(source)?;
            match () {
                () if source == location => return unfit("is a source, too"),
                () if source.is_folder() && is_in(&place, &source) => {
                    return unfit("lies in a source, or is one");
                }
                () if is_in(&source, &place) => {
                    return unfit("is a prefix that a source lies in; copy to another one");
                }
                () => {}
            }
        }
        match () {
            () if !location.scheme().has_buckets() => {
                return unfit("takes no copies: name a folder, or a location in a bucket");
            }
            () if location.version().is_some() => {
                return unfit("names a version of an object, which nobody can write");
            }
            () if places.contains(&place) => return unfit("is named twice as a destination"),
            () => places.push(place),
        }
    }
    Ok(())
}

/// Returns a prefix with a slash at its end; that of a whole bucket is empty.
fn with_slash_or_all(key: &[u8]) -> Box<[u8]> {
    if key.is_empty() { Box::default() } else { with_slash(key) }
}
