//! The place of a bag to verify: a folder, an archive, or a location in a store.

use super::archived::{ArchivedBag, LONG_TAGS};
use crate::error::Error;
use hashmill_content::resources::Resources;
use hashmill_content::selection::mixed::walk_one;
use hashmill_content::selection::{Bytes, below};
use hashmill_content::stores::Stores;
use hashmill_content::stores::location::with_slash;
use hashmill_engine::Cancel;
use hashmill_engine::flow::Entries;
use hashmill_os::names;
use hashmill_source::{OperandDirectory, WalkOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The prefixes of tag files. The listing of a store can leave out the payload only by asking for these.
const TAGS: [&str; 5] = ["bag", "fetch.txt", "manifest-", "package-info.txt", "tagmanifest-"];

/// The place of a bag.
pub(super) enum BagPlace {
    Folder(PathBuf),
    Archive(ArchivedBag),
    /// Ends with a slash.
    Location(Bytes, Stores),
}

impl BagPlace {
    /// Finds the place of a bag. Looking into an archive may take so much memory.
    ///
    /// # Errors
    /// If the text looks like a location but is not valid, or the path is that of an archive without a bag.
    pub(super) fn open(bag: &Path, resources: &Resources, cancel: &Cancel) -> Result<BagPlace, Error> {
        let typed = &*names::path_bytes(bag);
        if !resources.stores.is_location(typed) {
            let is_file = bag.metadata().is_ok_and(|meta| meta.is_file());
            let archive = if is_file { ArchivedBag::open(bag, resources, cancel)? } else { None };
            return Ok(archive.map_or_else(|| BagPlace::Folder(bag.to_path_buf()), BagPlace::Archive));
        }
        resources.stores.check(typed)?;
        Ok(BagPlace::Location(with_slash(typed), resources.stores.clone()))
    }

    /// Returns whether the place exists.
    ///
    /// # Errors
    /// If a store can't be reached.
    pub(super) fn is_there(&self) -> io::Result<bool> {
        match self {
            BagPlace::Folder(folder) => Ok(folder.is_dir()),
            BagPlace::Archive(_) => Ok(true),
            BagPlace::Location(location, stores) => stores.has_any(location),
        }
    }

    /// Returns whether the bag has a payload.
    ///
    /// # Errors
    /// If a store can't be reached.
    pub(super) fn has_payload(&self) -> io::Result<bool> {
        match self {
            BagPlace::Folder(folder) => {
                Ok(folder.join("data").symlink_metadata().is_ok_and(|meta| meta.is_dir()))
            }
            BagPlace::Archive(bag) => Ok(bag.has_payload),
            BagPlace::Location(location, stores) => stores.has_any(&[location, &b"data/"[..]].concat()),
        }
    }

    /// Returns the names of the files at the top of the bag, sorted; for a store, only those that may be tag files.
    ///
    /// # Errors
    /// If the bag can't be listed.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        match self {
            BagPlace::Folder(folder) => {
                for name in hashmill_os::all_names_in(folder)? {
                    // Links and FIFOs are left out: the walk reports them, and they are not read.
                    if folder.join(&name).symlink_metadata().is_ok_and(|meta| meta.is_file()) {
                        names.extend(name.into_string());
                    }
                }
            }
            BagPlace::Archive(bag) => names.extend(bag.names()),
            BagPlace::Location(location, stores) => {
                for start in TAGS {
                    names.extend(stores.names(location, start)?);
                }
            }
        }
        names.sort();
        Ok(names)
    }

    /// Returns the content of a file at the top of the bag, which may have so many bytes.
    ///
    /// # Errors
    /// If it can't be read, or is longer.
    pub(super) fn read(&self, name: &str, most: usize) -> io::Result<Vec<u8>> {
        match self {
            // It was a regular file when the folder was listed; if it is a link now, it is not followed.
            BagPlace::Folder(folder) => {
                let operand = OperandDirectory::open(&names::path_bytes(folder))?;
                read_at_most(operand.open_file(&names::path_bytes(&folder.join(name)))?, most)
            }
            BagPlace::Archive(bag) => bag.read(name),
            BagPlace::Location(location, stores) => {
                read_at_most(stores.copied(&[location, name.as_bytes()].concat())?, most)
            }
        }
    }

    /// Returns all entries of the bag.
    pub(super) fn entries(&self, options: WalkOptions) -> Entries {
        match self {
            BagPlace::Folder(folder) => walk_one(&names::path_bytes(folder), options, &Stores::default()),
            BagPlace::Archive(bag) => bag.entries(),
            BagPlace::Location(location, stores) => walk_one(location, options, stores),
        }
    }

    /// Returns the path of an entry relative to the bag; those of archives are [`super::members::Members`]'.
    pub(super) fn below<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        match self {
            BagPlace::Folder(folder) => below(path, &names::path_bytes(folder)),
            BagPlace::Archive(_) | BagPlace::Location(..) => path,
        }
    }
}

/// Reads to the end, if that comes soon enough.
fn read_at_most(file: impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most { Err(io::Error::other(LONG_TAGS)) } else { Ok(bytes) }
}
