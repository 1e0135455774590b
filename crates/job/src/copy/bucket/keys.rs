//! The keys of copies below a location.

use super::super::naming::{Name, Naming};
use super::super::site::CopySite;
use super::there::{Known, There};
use crate::error::Error;
use hashmill_content::stores::Stores;
use hashmill_content::stores::location::with_slash;
use hashmill_os::names::{path_bytes, path_to_try};
use hashmill_store::{Location, Store};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The keys of copies below a location, or of a single copy.
#[derive(Debug)]
pub(in super::super) struct Keys {
    /// The location that all copies lie below: a bucket, or with a slash at its end.
    folder: Location,
    /// The location of the copy, if the source turns out to be one file.
    single: Option<Location>,
    /// The key of the manifest.
    manifest: Option<Box<[u8]>>,
}

impl Keys {
    /// Reads a destination as it was typed. One without a slash at its end is the name of the copy, if the only source is a file
    /// and nothing is below.
    ///
    /// # Errors
    /// If it is no location.
    pub(in super::super) fn new(to: &Path, naming: &Naming, stores: &Stores) -> Result<Keys, Error> {
        let typed = path_bytes(to);
        let location = stores.operand(&typed)?;
        let below = |location: &Location| match location.is_folder() {
            true => location.clone(),
            false => location.with_key(&with_slash(location.key())),
        };
        // A store that can't be asked says why when it is written to.
        let is_single = naming.may_be_single()
            && !location.is_folder()
            && !stores.has_any(&with_slash(&typed)).unwrap_or(false);
        let folder = below(&location);
        Ok(Keys { folder, single: is_single.then_some(location), manifest: None })
    }

    /// Keeps the key of the manifest with this location.
    pub(in super::super) fn keep_for(self, manifest: Option<Box<[u8]>>) -> Keys {
        let root = self.root();
        let manifest = manifest.and_then(|path| {
            let below = path.strip_prefix(&*root)?;
            Some([self.above(), below].concat().into())
        });
        Keys { manifest, ..self }
    }

    /// Returns the key that all copies begin with.
    fn above(&self) -> &[u8] {
        match &self.single {
            Some(single) => &single.key()[..single.key().len() - single.name().len()],
            None => self.folder.key(),
        }
    }

    /// Returns the location that manifests lie in, with a slash at its end.
    pub(in super::super) fn root(&self) -> Box<[u8]> {
        with_slash(&self.folder.with_key(self.above()).typed())
    }

    /// Returns the location of the destination.
    pub(super) fn location(&self) -> &Location {
        self.single.as_ref().unwrap_or(&self.folder)
    }

    /// Returns the prefix of all keys, if it may have many objects.
    pub(super) fn prefix(&self) -> Option<&[u8]> {
        if self.single.is_some() { None } else { Some(self.folder.key()) }
    }

    /// Returns the key of a copy.
    pub(super) fn key(&self, name: &Name) -> Box<[u8]> {
        match &self.single {
            Some(single) if name.is_source => single.key().into(),
            _ => [self.folder.key(), &name.below].concat().into(),
        }
    }

    /// Returns the location of an object, as it is typed.
    pub(super) fn typed(&self, key: &[u8]) -> Box<[u8]> {
        self.folder.with_key(key).typed()
    }

    /// Returns why there can be no copy with this key, if so.
    pub(super) fn refusal_of(&self, store: &Store, key: &[u8]) -> Option<&'static str> {
        match () {
            () if key.is_empty() || key == self.folder.key() => {
                Some("it has no name: name the copy, with a key that has no '/' at its end")
            }
            () if self.manifest.as_deref() == Some(key) => {
                Some("the manifest of this run is written there: copy it without --manifest")
            }
            () => store.refusal_of(key),
        }
    }
}

/// A destination in a store.
pub(super) struct BucketSite {
    keys: Arc<Keys>,
    /// The objects that are there, where that was asked.
    there: Option<(Store, There)>,
}

impl BucketSite {
    pub(super) fn new(keys: Arc<Keys>) -> BucketSite {
        BucketSite { keys, there: None }
    }

    pub(super) fn with(keys: Keys, store: Store, there: There) -> BucketSite {
        BucketSite { keys: Arc::new(keys), there: Some((store, there)) }
    }
}

impl CopySite for BucketSite {
    fn path(&self, name: &Name) -> PathBuf {
        path_to_try(&self.keys.typed(&self.keys.key(name))).into_owned()
    }

    fn is_there(&self, name: &Name) -> bool {
        let Some((store, there)) = &self.there else { return false };
        let key = self.keys.key(name);
        match there.find(&key) {
            Known::Absent => false,
            Known::There(_) => true,
            Known::Unasked => store.look(&key).is_ok(),
        }
    }

    fn free(&self) -> Option<u64> {
        None
    }
}
