//! Creation of a bag in another place: the files are copied, and the copies are read again.

use super::in_place::{FOREIGN, IS_BAG, STAGING, lock_folder, remove_tree, sync, write};
use super::payload::{Item, Payload};
use super::tags::Tags;
use crate::error::BagError;
use crate::error::Error;
use hashmill_content::File as Tried;
use hashmill_content::output::{RunFiles, Warning, WriteError, beside, directory};
use hashmill_os::names::path_bytes;
use hashmill_os::{Links, Owner, close_folder, create_own_folder, names, open_folder, owner, publish_folder};
use hashmill_source::OperandDirectory;
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};

/// The mode of a bag, before the mask of the process.
const MODE: u32 = 0o777;

/// A folder that is to be copied holds what a run left that makes it a bag in place.
const BEGUN: &str = "an interrupted run has begun to make it a bag: go on without -o";

/// An unfinished bag. It is removed when dropped before it is finished.
#[derive(Debug)]
pub struct Copy {
    to: PathBuf,
    partial: PathBuf,
    /// The open partial folder.
    folder: File,
    /// Holds the lock of that folder.
    _lock: File,
    done: bool,
    files: RunFiles,
}

impl Copy {
    /// Begins a copy, and removes the remains of an interrupted run.
    ///
    /// # Errors
    /// If the target exists, would lie in the folder itself, or can't be made.
    pub fn begin(from: &Path, to: &Path, files: &RunFiles) -> Result<Copy, Error> {
        check_places(from, to)?;
        let partial = beside(to, "partial");
        let (folder, lock) = make(&partial, files)?;
        let (to, files) = (to.to_path_buf(), files.clone());
        let copy = Copy { to, partial, folder, _lock: lock, done: false, files };
        copy.empty().map_err(|error| WriteError::new(&copy.partial, error))?;
        Ok(copy)
    }

    /// Removes the files of an interrupted run from the partial folder.
    fn empty(&self) -> io::Result<()> {
        for name in hashmill_os::all_names_in(&self.partial)? {
            let path = self.partial.join(name);
            if path.symlink_metadata()?.is_dir() { remove_tree(&path)? } else { fs::remove_file(&path)? }
        }
        fs::create_dir(self.data())
    }

    /// Returns the folder of the copies.
    pub fn data(&self) -> PathBuf {
        self.partial.join("data")
    }

    /// Copies files into the folder of the copies, until `cancelled` returns `true`.
    ///
    /// # Errors
    /// If one can't be written.
    pub fn fill(&self, from: &Path, files: &[Item], cancelled: impl Fn() -> bool) -> Result<(), WriteError> {
        let opened = OperandDirectory::open(&names::path_bytes(from));
        let operand = opened.map_err(|error| WriteError::new(from, error))?;
        for file in files {
            if cancelled() {
                return Ok(());
            }
            let to = self.data().join(&file.path);
            copy(&operand, &from.join(&file.path), &to).map_err(|error| WriteError::new(&to, error))?;
        }
        Ok(())
    }

    /// Adds the tag files if the copies equal the originals, and renames the bag to its final name.
    ///
    /// # Errors
    /// If they differ, or something can't be written.
    pub fn finish(mut self, copied: &Payload, files: &Payload, tags: &Tags) -> Result<(), Error> {
        let differs = copied.files.iter().zip(&files.files).find(|(copy, file)| copy != file);
        if let Some((copy, _)) = differs {
            let path = self.data().join(&copy.path);
            return Err(WriteError::new(&path, io::Error::other("the copy differs from the original")).into());
        }
        if copied.files.len() != files.files.len() || copied.refused > 0 {
            let error = io::Error::other("the number of copies differs from the number of files");
            return Err(WriteError::new(&self.data(), error).into());
        }
        for (name, text) in tags {
            write(&self.partial.join(name), text.as_bytes())?;
        }
        sync(&self.data())?;
        sync(&self.partial)?;
        if self.to.symlink_metadata().is_ok() {
            return Err(BagError::Exists(self.to.clone()).into());
        }
        publish_folder(&self.folder, &self.partial, MODE & !hashmill_os::umask())
            .map_err(|error| WriteError::new(&self.partial, error))?;
        fs::rename(&self.partial, &self.to).map_err(|error| WriteError::new(&self.to, error))?;
        self.done = true;
        Ok(sync(directory(&self.to))?)
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if !self.done {
            // The next run removes the rest.
            if let Err(why) = remove_tree(&self.partial) {
                self.files.warn(&Warning::Left { path: &self.partial, why: &why });
            }
        }
    }
}

/// Checks that a folder can be copied into a new bag.
///
/// # Errors
/// If it can't.
pub fn check_places(from: &Path, to: &Path) -> Result<(), Error> {
    let refuse = |refused: bool, why: Error| if refused { Err(why) } else { Ok(()) };
    let unfit = |path: &Path, why: &str| Error::of_place(path_bytes(path), why);
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    refuse(is_there(to), BagError::Exists(to.into()).into())?;
    refuse(!from.is_dir(), BagError::NotFolder(from.into()).into())?;
    refuse(is_there(&from.join("bagit.txt")), unfit(from, IS_BAG))?;
    refuse(is_there(&from.join(STAGING)), unfit(from, BEGUN))?;
    refuse(to.file_name().is_none(), unfit(to, "is not a name for a folder"))?;
    let parent = canonical(directory(to))?;
    refuse(parent.starts_with(canonical(from)?), unfit(to, "lies in the folder that is to be copied"))
}

/// Returns the canonical form of a path.
fn canonical(path: &Path) -> Result<PathBuf, Error> {
    names::canonical(path).map_err(Error::at(path, Tried::TakeUp))
}

/// Makes the partial folder and locks it. Returns the open folder, and the file that holds the lock. The folder of an
/// interrupted run of the same user is reused; a link or another user's folder is an error.
fn make(partial: &Path, files: &RunFiles) -> Result<(File, File), Error> {
    let failed = |error| WriteError::new(partial, error);
    match create_own_folder(partial) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(failed(error))?,
        _ => {}
    }
    let folder = open_folder(partial, Links::Stay);
    let own = folder.as_ref().is_ok_and(|folder| owner(folder).is_ok_and(|owner| owner == Owner::Mine));
    if !own {
        return Err(Error::of_place(path_bytes(partial), FOREIGN));
    }
    let folder = folder.map_err(failed)?;
    close_folder(&folder).map_err(failed)?;
    let lock = lock_folder(&folder, partial, files)?;
    Ok((folder, lock))
}

/// Copies a file with its mode and modification time, and makes the folders above it. If a symbolic link has appeared
/// in its path since it was hashed, it is not followed.
fn copy(folder: &OperandDirectory, from: &Path, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut source = folder.open_file(&names::path_bytes(from))?;
    let meta = source.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other(format!("{} is no longer a regular file", from.display())));
    }
    // Others can't open it, as the unfinished bag is closed to them.
    let mut file = File::create_new(to)?;
    io::copy(&mut source, &mut file)?;
    file.set_permissions(meta.permissions())?;
    file.set_times(FileTimes::new().set_modified(source.metadata()?.modified()?))?;
    file.sync_all()?;
    hashmill_os::settle(&file)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_that_came_after_the_hashing_is_not_copied() {
        let folder = std::env::temp_dir().join(format!("hashmill-copy-{}", std::process::id()));
        let tree = folder.join("tree");
        fs::create_dir_all(tree.join("d")).unwrap();
        fs::write(tree.join("d/file"), "inside").unwrap();
        fs::create_dir_all(folder.join("outside")).unwrap();
        fs::write(folder.join("outside/file"), "secret").unwrap();
        let files = [Item { path: "d/file".into(), size: 6, digests: Vec::new() }];
        let bag = Copy::begin(&tree, &folder.join("bag"), &RunFiles::default()).unwrap();
        bag.fill(&tree, &files, || false).unwrap();
        assert_eq!(fs::read(bag.data().join("d/file")).unwrap(), b"inside");
        drop(bag);
        fs::remove_dir_all(tree.join("d")).unwrap();
        symlink("../outside", tree.join("d")).unwrap();
        let bag = Copy::begin(&tree, &folder.join("bag"), &RunFiles::default()).unwrap();
        assert!(bag.fill(&tree, &files, || false).is_err());
        assert!(!bag.data().join("d/file").exists());
        drop(bag);
        fs::remove_dir_all(folder).unwrap();
    }
}
