//! Conversion of a folder into a bag in place: its content moves into `data`, in steps that the next run can undo or
//! finish.
//!
//! ```text
//! .hashmill-bag-partial/tags/*   written whole first
//! .hashmill-bag-partial/data/*   then everything moves here, one entry after another
//! .hashmill-bag-partial/moved    then this marks that all has: before it steps are undone, after it finished
//! data, manifests, bagit.txt     then these move up, bagit.txt last
//! ```
//!
//! Every step is one rename or one new file, so that a killed process leaves one of these states.

use super::event::{BagEvent, BagObserver};
use super::tags::Tags;
use crate::error::BagError;
use crate::error::Error;
use hashmill_content::File as Tried;
use hashmill_content::output::{RunFiles, Warning, WriteError};
use hashmill_os::names::path_bytes;
use hashmill_os::{Facts, Links, Lock, Owner, open_folder, owned_at, sync_folder};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder in which a bag is put together.
pub const STAGING: &str = ".hashmill-bag-partial";

/// The folder already is a bag.
pub const IS_BAG: &str = "is a bag already";

/// The place where a run builds the bag is taken by something that no run of this user left.
pub const FOREIGN: &str = "is not a folder that a run of this user left; remove it";

/// A folder that is to become a bag, locked against other runs.
#[derive(Debug)]
pub struct InPlace {
    folder: PathBuf,
    /// The names in the folder.
    names: Vec<OsString>,
    _lock: File,
}

/// The state that an earlier run left.
#[derive(Debug)]
pub enum Start {
    /// There was none, or it was undone.
    Fresh(InPlace),
    /// The earlier run had come so far that its bag was finished.
    Finished,
}

impl InPlace {
    /// Locks the folder, and undoes or finishes what an earlier run began.
    ///
    /// # Errors
    /// If the folder is a bag already, another run is at work, or the earlier run can't be undone.
    pub fn begin(folder: &Path, files: &RunFiles, observer: &mut BagObserver<'_>) -> Result<Start, Error> {
        let failed = |tried| Error::at(folder, tried);
        if folder.metadata().is_ok_and(|meta| !meta.is_dir()) {
            return Err(BagError::NotFolder(folder.to_path_buf()).into());
        }
        let open = open_folder(folder, Links::Follow).map_err(failed(Tried::Open))?;
        let lock = lock_folder(&open, folder, files)?;
        let staging = folder.join(STAGING);
        let is_own = |(facts, owner): (Facts, Owner)| facts.is_folder() && owner == Owner::Mine;
        if exists(&staging) && !owned_at(&staging, Links::Stay).is_ok_and(is_own) {
            return Err(Error::of_place(path_bytes(&staging), FOREIGN));
        }
        if exists(&staging.join("moved")) {
            forward(folder)?;
            return Ok(Start::Finished);
        }
        if exists(&staging) {
            back(folder)?;
            observer(BagEvent::Undone(folder));
        }
        if exists(&folder.join("bagit.txt")) {
            return Err(Error::of_place(path_bytes(folder), IS_BAG));
        }
        let names = names(folder).map_err(failed(Tried::List))?;
        Ok(Start::Fresh(InPlace { folder: folder.to_path_buf(), names, _lock: lock }))
    }

    /// Makes the folder a bag with these tag files.
    ///
    /// # Errors
    /// If the content of the folder changed in the meantime, or something can't be moved; all steps are then undone.
    pub fn commit(self, tags: &Tags) -> Result<(), Error> {
        let folder = &self.folder;
        if names(folder).ok().as_ref() != Some(&self.names) {
            let error = io::Error::other("something was added or removed meanwhile; nothing was moved");
            return Err(WriteError::new(folder, error).into());
        }
        if let Err(error) = self.stage(tags) {
            if let Err(why) = back(folder) {
                // The next run undoes the rest.
                let (folder, why) = (folder.clone(), Box::new(why));
                return Err(BagError::NotUndone { folder, failed: error, why }.into());
            }
            return Err(error.into());
        }
        forward(folder)
    }

    /// Does all steps that can be undone, and sets the mark.
    fn stage(&self, tags: &Tags) -> Result<(), WriteError> {
        let staging = self.folder.join(STAGING);
        let (data, texts) = (staging.join("data"), staging.join("tags"));
        for directory in [&staging, &data, &texts] {
            fs::create_dir(directory).map_err(|error| WriteError::new(directory, error))?;
        }
        for (name, text) in tags {
            write(&texts.join(name), text.as_bytes())?;
        }
        for name in &self.names {
            let from = self.folder.join(name);
            fs::rename(&from, data.join(name)).map_err(|error| WriteError::new(&from, error))?;
        }
        let mode = self.folder.metadata().and_then(|meta| fs::set_permissions(&data, meta.permissions()));
        mode.map_err(|error| WriteError::new(&data, error))?;
        for directory in [&texts, &data, &self.folder] {
            sync(directory)?;
        }
        write(&staging.join("moved"), b"")?;
        sync(&staging)
    }
}

/// Moves everything up from the staging folder to its final place.
fn forward(folder: &Path) -> Result<(), Error> {
    let staging = folder.join(STAGING);
    let tags = staging.join("tags");
    up(&staging.join("data"), &folder.join("data"))?;
    let mut names =
        if exists(&tags) { names(&tags).map_err(|error| WriteError::new(&tags, error))? } else { Vec::new() };
    names.sort_by_key(|name| name == "bagit.txt");
    for name in &names {
        up(&tags.join(name), &folder.join(name))?;
    }
    sync(folder)?;
    clear(&staging, &["tags", "moved"])?;
    Ok(sync(folder)?)
}

/// Moves everything back to where it was.
fn back(folder: &Path) -> Result<(), Error> {
    let staging = folder.join(STAGING);
    if !exists(&staging) {
        return Ok(());
    }
    let (data, tags, moved) = (staging.join("data"), staging.join("tags"), staging.join("moved"));
    if exists(&moved) {
        // The mark is removed first: otherwise the next run would try to finish a state that is half undone.
        fs::remove_file(&moved).map_err(|error| WriteError::new(&moved, error))?;
        sync(&staging)?;
    }
    if exists(&data) {
        for name in names(&data).map_err(|error| WriteError::new(&data, error))? {
            up(&data.join(&name), &folder.join(&name))?;
        }
    }
    if exists(&tags) {
        remove_tree(&tags).map_err(|error| WriteError::new(&tags, error))?;
    }
    clear(&staging, &["data"])?;
    Ok(sync(folder)?)
}

/// Moves an entry to a path where nothing may exist yet. An entry that has moved already is not an error.
fn up(from: &Path, to: &Path) -> Result<(), WriteError> {
    if !exists(from) {
        return Ok(());
    }
    if exists(to) {
        let error =
            format!("cannot move {} there: something else is there now; move it away", from.display());
        return Err(WriteError::new(to, io::Error::other(error)));
    }
    fs::rename(from, to).map_err(|error| WriteError::new(to, error))
}

/// Removes the staging folder with its empty folders and the mark.
fn clear(staging: &Path, rest: &[&str]) -> Result<(), WriteError> {
    for path in rest.iter().map(|name| staging.join(name)).filter(|path| exists(path)) {
        let removed = if path.is_dir() { fs::remove_dir(&path) } else { fs::remove_file(&path) };
        removed.map_err(|error| WriteError::new(&path, error))?;
    }
    fs::remove_dir(staging).map_err(|error| WriteError::new(staging, error))
}

/// Returns whether a path exists; broken links count.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns the sorted names in a folder.
fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    let mut names = hashmill_os::all_names_in(folder)?;
    names.sort();
    Ok(names)
}

/// Writes a new file and syncs it to disk.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let mut options = File::options();
    let written = options.write(true).create_new(true).open(path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()?;
        hashmill_os::settle(&file)
    });
    written.map_err(|error| WriteError::new(path, error))
}

/// Locks a folder that this run changes, and returns the file that holds the lock.
///
/// # Errors
/// If another run has its lock.
pub fn lock_folder(open: &File, folder: &Path, files: &RunFiles) -> Result<File, Error> {
    match hashmill_os::lock_folder(open, folder) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
            Err(Error::of_place(path_bytes(folder), "another run is making this bag"))
        }
        Ok((holder, lock)) => {
            if lock == Lock::Unsupported {
                files.warn(&Warning::Unlocked { folder });
            }
            Ok(holder)
        }
        Err(error) => Err(WriteError::new(folder, error).into()),
    }
}

/// Removes a folder and everything in it, without following links. ([`std::fs::remove_dir_all`] panics if closing a
/// directory fails.)
///
/// # Errors
/// If something can't be removed.
pub fn remove_tree(folder: &Path) -> io::Result<()> {
    for name in hashmill_os::all_names_in(folder)? {
        let path = folder.join(name);
        if path.symlink_metadata()?.is_dir() { remove_tree(&path)? } else { fs::remove_file(&path)? }
    }
    fs::remove_dir(folder)
}

/// Syncs a folder to disk.
pub fn sync(folder: &Path) -> Result<(), WriteError> {
    sync_folder(folder).map_err(|error| WriteError::new(folder, error.into()))
}
