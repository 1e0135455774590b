//! Where a bag is that is verified: in a folder, or below a location in a store.

use crate::flow::Entries;
use crate::location::is_location;
use crate::misfit::Misfit;
use crate::mixed::walk_one;
use crate::selection::{Bytes, below};
use crate::stores;
use hashloom_source::{OperandDirectory, WalkOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What the tag files beside the payload begin with. Listings have no other way around the payload.
const TAGS: [&str; 5] = ["bag", "fetch.txt", "manifest-", "package-info.txt", "tagmanifest-"];

/// Where a bag is.
pub(super) enum Place {
    Folder(PathBuf),
    /// It ends with a slash.
    Location(Bytes),
}

impl Place {
    /// Where a bag is that was named.
    ///
    /// # Errors
    /// If what looks like a location is none.
    pub(super) fn of(bag: &Path) -> Result<Place, Misfit> {
        let typed = bag.as_os_str().as_bytes();
        if !is_location(typed) {
            return Ok(Place::Folder(bag.to_path_buf()));
        }
        stores::check(typed)?;
        let slash: &[u8] = if typed.ends_with(b"/") { b"" } else { b"/" };
        Ok(Place::Location([typed, slash].concat().into()))
    }

    /// Whether there is anything.
    ///
    /// # Errors
    /// If a store can't be asked.
    pub(super) fn is_there(&self) -> io::Result<bool> {
        match self {
            Place::Folder(folder) => Ok(folder.is_dir()),
            Place::Location(location) => stores::has_any(location),
        }
    }

    /// Whether there is a payload.
    ///
    /// # Errors
    /// If a store can't be asked.
    pub(super) fn has_payload(&self) -> io::Result<bool> {
        match self {
            Place::Folder(folder) => {
                Ok(folder.join("data").symlink_metadata().is_ok_and(|meta| meta.is_dir()))
            }
            Place::Location(location) => stores::has_any(&[location, &b"data/"[..]].concat()),
        }
    }

    /// The names of files at its top, in order; of a store those that may be tag files.
    ///
    /// # Errors
    /// If it can't be listed.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        match self {
            Place::Folder(folder) => {
                for name in hashloom_source::names(folder)? {
                    // No link and no FIFO: what they are is found by the walk, and they are not read.
                    if folder.join(&name).symlink_metadata().is_ok_and(|meta| meta.is_file()) {
                        names.extend(name.into_string());
                    }
                }
            }
            Place::Location(location) => {
                for start in TAGS {
                    names.extend(stores::names(location, start)?);
                }
            }
        }
        names.sort();
        Ok(names)
    }

    /// All bytes of a file at its top.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        match self {
            // It was a file when its folder was listed; a link by now is not followed.
            Place::Folder(folder) => {
                let operand = OperandDirectory::open(folder.as_os_str().as_bytes())?;
                let mut file = operand.open_file(folder.join(name).as_os_str().as_bytes())?;
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes)?;
                Ok(bytes)
            }
            Place::Location(location) => {
                let mut bytes = Vec::new();
                let mut copy = stores::copied(&[location, name.as_bytes()].concat())?.reopen()?;
                copy.read_to_end(&mut bytes)?;
                Ok(bytes)
            }
        }
    }

    /// All that is in it.
    pub(super) fn entries(&self, options: WalkOptions) -> Entries {
        match self {
            Place::Folder(folder) => walk_one(folder.as_os_str().as_bytes(), options),
            Place::Location(location) => walk_one(location, options),
        }
    }

    /// The path of an entry from the bag down.
    pub(super) fn below<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        match self {
            Place::Folder(folder) => below(path, folder.as_os_str().as_bytes()),
            Place::Location(_) => path,
        }
    }
}
