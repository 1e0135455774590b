//! The sides of a comparison as operands.

use crate::error::Error;
use crate::notice::{Notice, of_signatures};
use hashmill_content::stores::Stores;
use hashmill_lists::listing::Listing;
use hashmill_lists::signatures::guard::Guard;
use hashmill_os::names;
use hashmill_store::{Location, Scheme};
use std::ffi::OsStr;
use std::path::PathBuf;

/// One side of a comparison.
pub enum Operand {
    /// The path of a folder or a file.
    Path(PathBuf),
    /// Manifests with their paths.
    Manifests(Vec<(PathBuf, Listing)>),
    /// A bucket, a folder in one, or an object.
    Location(Location),
}

impl Operand {
    /// Opens an operand by its name: a location, a folder, or a manifest.
    ///
    /// # Errors
    /// If the name looks like a location but is not valid, or a signature beside a manifest does not satisfy the guard.
    pub fn open(name: &OsStr, guard: &Guard, told: &mut dyn FnMut(Notice<'_>)) -> Result<Operand, Error> {
        let typed = names::bytes(name);
        if in_store(&typed, &guard.stores) {
            return Ok(Operand::Location(guard.stores.operand(&typed)?));
        }
        let path = match Location::parse(&typed) {
            Some(Ok(location)) => names::path_to_try(location.key()).into_owned(),
            _ => PathBuf::from(name),
        };
        if path.is_dir() {
            return Ok(Operand::Path(path));
        }
        let list = guard.open(path.as_os_str(), &mut of_signatures(told))?;
        Ok(Operand::Manifests(vec![(path, list)]))
    }
}

/// Returns whether a name is a location in a store, or on a web server.
pub fn in_store(name: &[u8], stores: &Stores) -> bool {
    let file = matches!(Location::parse(name), Some(Ok(location)) if location.scheme() == Scheme::File);
    stores.is_location(name) && !file
}
