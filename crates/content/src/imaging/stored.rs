//! Images in stores. The segments are found by a listing and read by ranges, and all reads of a segment are of the version that
//! was met first.

use super::place::ImagePlace;
use crate::stores::Stores;
use hashmill_image::{Error, Local, Opener, SharedFile};
use hashmill_os::names;
use hashmill_source::Meta;
use hashmill_store::{Location, Object, Opened, Scheme, Store};
use hashmill_terminal::masked_word;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Returns an opener of the files of an image, and the path by which it knows the image; `None` if it is no location.
///
/// # Errors
/// If the path looks like a location but is not a valid one, or its store can't be reached.
pub(super) fn opener(path: &Path, stores: Option<&Stores>) -> Result<Option<ImagePlace>, Error> {
    let shown = || shown(path).unwrap_or_else(|| path.to_path_buf());
    let failed = |error: io::Error| Error::io(&shown(), error);
    let Some((location, stores)) = location(path, stores).map_err(failed)? else { return Ok(None) };
    if location.scheme() == Scheme::File {
        let path = names::path(location.key()).map_err(failed)?;
        return Ok(Some((Arc::new(Local), path.into_owned())));
    }
    let store = stores.store(&location).map_err(|error| failed(error.into()))?;
    let only = (!location.scheme().has_buckets()).then(|| location.key().into());
    Ok(Some((Arc::new(Remote { store, stores, only, met: Mutex::default() }), shown())))
}

/// Returns the path of an image as it is shown, if that is another one.
pub(super) fn shown(path: &Path) -> Option<PathBuf> {
    let typed = &*names::path_bytes(path);
    // A service with a name has buckets, so its locations have no queries.
    match Location::parse(typed)? {
        Ok(location) if matches!(location.scheme(), Scheme::Https | Scheme::Http) => {
            Some(location.to_string().split(['?', '#']).next().unwrap_or_default().into())
        }
        Err(_) => Some(names::path_to_try(&masked_word(typed)).into_owned()),
        Ok(_) => None,
    }
}

/// Returns the metadata of the file or object at a location; `None` if the path is no location.
///
/// # Errors
/// If the metadata can't be read.
pub(super) fn meta(path: &Path, stores: Option<&Stores>) -> io::Result<Option<Meta>> {
    Ok(match location(path, stores)? {
        Some((location, _)) if location.scheme() == Scheme::File => {
            Some(Meta::at(&names::path(location.key())?)?)
        }
        Some((location, stores)) => Some(stores.meta(&location)?),
        None => None,
    })
}

/// Returns the location that a path names, and the access to its store, if it names one. Without an access, only that of
/// a file is one.
fn location(path: &Path, stores: Option<&Stores>) -> io::Result<Option<(Location, Stores)>> {
    let typed = &*names::path_bytes(path);
    let stores = stores.cloned().or_else(|| typed.starts_with(b"file://").then(Stores::default));
    let Some(stores) = stores.filter(|stores| stores.is_location(typed)) else { return Ok(None) };
    Ok(Some((stores.location(typed)?, stores)))
}

/// An opener of the objects in a store.
#[derive(Debug)]
struct Remote {
    store: Store,
    stores: Stores,
    /// The key of the only file, if the store is a web server.
    only: Option<Box<[u8]>>,
    /// The objects that were listed or looked up, by their keys.
    met: Mutex<BTreeMap<Box<[u8]>, Object>>,
}

/// A segment that is an object of a store.
#[derive(Debug)]
struct Segment(Opened);

impl Remote {
    fn key(&self, path: &Path) -> io::Result<Box<[u8]>> {
        if let Some(only) = &self.only {
            return Ok(only.clone());
        }
        Ok(self.stores.location(&names::path_bytes(path))?.key().into())
    }
}

impl Opener for Remote {
    fn open(&self, path: &Path) -> io::Result<Arc<dyn SharedFile>> {
        let key = self.key(path)?;
        let met = self.met.lock().get(&key).cloned();
        let object = match met {
            Some(object) => object,
            None => {
                let object = self.store.look(&key)?;
                if object.delivery.is_in_order() {
                    let why = "the server does not send parts of a file: download the image first";
                    return Err(io::Error::new(io::ErrorKind::Unsupported, why));
                }
                self.met.lock().entry(key).or_insert(object).clone()
            }
        };
        Ok(Arc::new(Segment(self.store.open_anywhere(object))))
    }

    fn beside(&self, path: &Path, start: &[u8]) -> io::Result<Vec<OsString>> {
        // A web server has no listing, so the first file is the only one there.
        if self.only.is_some() {
            return Ok(Vec::new());
        }
        let key = self.key(path)?;
        let folder = key.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
        let mut found = Vec::new();
        for object in self.store.list(&[&key[..folder], start].concat()) {
            let object = object?;
            let name = object.key[folder..].to_vec();
            if !name.contains(&b'/') {
                found.push(names::into_name(name)?);
                self.met.lock().entry(object.key.clone()).or_insert(object);
            }
        }
        Ok(found)
    }
}

impl SharedFile for Segment {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.object().size)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(self.0.read_at(offset, buffer)?)
    }

    fn limited_to(&self, range: Range<u64>) -> Option<Arc<dyn SharedFile>> {
        Some(Arc::new(Segment(self.0.limited_to(range))))
    }
}
