//! Opens entries below a named directory without following symbolic links.
//!
//! Between listing and opening, anybody who can write to a directory of the tree can replace one of its files or
//! directories with a symbolic link. A path that is looked up from its start would follow the link out of the tree. So
//! a walk keeps the named directory open and opens everything below it from there: a link on the way fails with `ELOOP`
//! and is reported as [`Problem::Swapped`](crate::Problem::Swapped).
//!
//! The device and inode number of an opened file are not compared with the listing. A program that saves a file by
//! renaming a new one over it creates another inode, which is no attack, and a hard link to somebody else's file could
//! have been there already when the directory was listed.

pub(crate) mod names;

use crate::meta::Identity;
use crate::opening::Want;
use crate::{Meta, path, sys};
use hashmill_os::Links;
use hashmill_os::error::{Meaning, make};
use names::names_of;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most operands whose directories are kept open. A list may name a million directories, and as many of them may be
/// queued as the window of a run has entries. Directories above this number are opened again for each use, and must
/// still be the same directory.
const MOST_HELD: usize = 16;

/// The number of directories that this process keeps open.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// A named directory, from which everything below it is opened. Paths passed to its methods start with the path that
/// was typed, as those of entries do.
#[derive(Debug)]
pub struct OperandDirectory {
    path: Box<[u8]>,
    /// The length of the path with one slash at its end: the prefix of the paths of its entries.
    length: usize,
    id: Identity,
    held: Option<File>,
}

impl OperandDirectory {
    /// Opens a named directory. Symbolic links in this path are followed.
    ///
    /// # Errors
    /// If it can't be opened or is not a directory.
    pub fn open(path: &[u8]) -> io::Result<OperandDirectory> {
        let (directory, id) = open_operand(path)?;
        let mut shown = path.to_vec();
        path::end_in_slash(&mut shown);
        let held = (HELD.fetch_add(1, Ordering::Relaxed) < MOST_HELD).then_some(directory);
        if held.is_none() {
            HELD.fetch_sub(1, Ordering::Relaxed);
        }
        Ok(OperandDirectory { path: path.into(), length: shown.len(), id, held })
    }

    /// Opens a file below it for reading. It never waits for the writer of a FIFO, so check the type of the opened
    /// file.
    ///
    /// # Errors
    /// If it can't be opened. `ELOOP` means that a symbolic link is on the way or at the end.
    pub fn open_file(&self, path: &[u8]) -> io::Result<File> {
        self.open_with(path, Want::ReadNow)
    }

    /// Returns the metadata of a path. A symbolic link at its end is not followed.
    ///
    /// # Errors
    /// As [`OperandDirectory::open_file`].
    pub fn meta(&self, path: &[u8]) -> io::Result<Meta> {
        sys::stat_in(&self.open_parent(path)?, path::name(path), Links::Stay)
    }

    /// Reads the text of a symbolic link.
    ///
    /// # Errors
    /// If the path is not a symbolic link, or leads through one.
    pub fn read_link(&self, path: &[u8]) -> io::Result<Vec<u8>> {
        sys::read_link(&self.open_parent(path)?, path::name(path))
    }

    /// Lists a directory below it, in no particular order.
    ///
    /// # Errors
    /// As [`OperandDirectory::open_file`].
    pub fn names(&self, path: &[u8]) -> io::Result<Vec<OsString>> {
        names_of(self.open_with(path, Want::Folder)?)
    }

    pub(crate) fn id(&self) -> Identity {
        self.id
    }

    /// Opens a path for a purpose.
    pub(crate) fn open_with(&self, path: &[u8], want: Want) -> io::Result<File> {
        let below = self.below(path);
        match &self.held {
            Some(directory) => sys::open_below(directory, below, want),
            None => sys::open_below(&self.open_again()?, below, want),
        }
    }

    /// Opens the directory above a path, only for lookups and changes of names in it. What is done there stays in that directory,
    /// wherever its path leads later.
    ///
    /// # Errors
    /// As [`OperandDirectory::open_file`].
    pub fn open_parent(&self, path: &[u8]) -> io::Result<File> {
        let name = path::name(path);
        self.open_with(&path[..path.len() - name.len()], Want::Lookup)
    }

    /// Returns a path relative to this directory; `.` for the directory itself.
    fn below<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        path::without_leading_slashes(path.get(self.length..).unwrap_or_default())
    }

    fn open_again(&self) -> io::Result<File> {
        let (directory, id) = open_operand(&self.path)?;
        if id == self.id { Ok(directory) } else { Err(make(Meaning::Link)) }
    }
}

/// Returns the metadata of an entry of an open directory. A symbolic link is not followed.
///
/// # Errors
/// If there is none of this name.
pub fn meta_in(directory: &File, name: &[u8]) -> io::Result<Meta> {
    sys::stat_in(directory, name, Links::Stay)
}

/// Returns the metadata of an open file.
///
/// # Errors
/// If the system has none.
pub fn meta_of(file: &File) -> io::Result<Meta> {
    sys::stat_open(file)
}

impl Drop for OperandDirectory {
    fn drop(&mut self) {
        if self.held.is_some() {
            HELD.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn open_operand(path: &[u8]) -> io::Result<(File, Identity)> {
    let directory = sys::open(path, Want::Lookup, Links::Follow)?;
    let meta = sys::stat_open(&directory)?;
    Ok((directory, (meta.dev, meta.ino)))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use hashmill_os::names;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    struct Folder(PathBuf);

    impl Folder {
        /// Creates `tree/d/file` and `outside/file`.
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("hashmill-beneath-{name}-{}", std::process::id()));
            fs::create_dir_all(path.join("tree/d")).unwrap();
            fs::create_dir_all(path.join("outside")).unwrap();
            fs::write(path.join("tree/d/file"), "inside").unwrap();
            fs::write(path.join("outside/file"), "secret").unwrap();
            Folder(path)
        }

        fn tree(&self) -> OperandDirectory {
            OperandDirectory::open(&bytes(&self.0.join("tree"))).unwrap()
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).unwrap();
        }
    }

    fn bytes(path: &Path) -> Vec<u8> {
        names::path_bytes(path).into_owned()
    }

    fn number<T: std::fmt::Debug>(result: io::Result<T>) -> Option<i32> {
        result.unwrap_err().raw_os_error()
    }

    #[test]
    fn links_below_are_refused_wherever_they_stand() {
        let folder = Folder::new("links");
        let (tree, file) = (folder.tree(), bytes(&folder.0.join("tree/d/file")));
        assert!(tree.open_file(&file).is_ok() && tree.meta(&file).unwrap().size == 6);
        assert_eq!(tree.names(&bytes(&folder.0.join("tree/d"))).unwrap(), ["file"]);
        fs::remove_file(folder.0.join("tree/d/file")).unwrap();
        symlink(folder.0.join("outside/file"), folder.0.join("tree/d/file")).unwrap();
        assert_eq!(number(tree.open_file(&file)), Some(libc::ELOOP));
        assert!(tree.meta(&file).unwrap().is_link());
        assert_eq!(tree.read_link(&file).unwrap(), bytes(&folder.0.join("outside/file")));
        fs::remove_dir_all(folder.0.join("tree/d")).unwrap();
        symlink("../outside", folder.0.join("tree/d")).unwrap();
        assert_eq!(number(tree.open_file(&file)), Some(libc::ELOOP));
        assert_eq!(number(tree.meta(&file)), Some(libc::ELOOP));
        assert_eq!(number(tree.read_link(&file)), Some(libc::ELOOP));
        assert_eq!(number(tree.names(&bytes(&folder.0.join("tree/d")))), Some(libc::ELOOP));
    }

    #[test]
    fn an_operand_that_is_opened_again_must_be_the_same() {
        let folder = Folder::new("again");
        let held: Vec<OperandDirectory> = (0..2 * MOST_HELD).map(|_| folder.tree()).collect();
        let again = held.last().unwrap();
        assert!(again.held.is_none());
        let file = bytes(&folder.0.join("tree/d/file"));
        assert!(again.open_file(&file).is_ok());
        fs::rename(folder.0.join("tree"), folder.0.join("other")).unwrap();
        fs::create_dir_all(folder.0.join("outside/d")).unwrap();
        fs::rename(folder.0.join("outside/file"), folder.0.join("outside/d/file")).unwrap();
        symlink("outside", folder.0.join("tree")).unwrap();
        assert_eq!(number(again.open_file(&file)), Some(libc::ELOOP));
    }
}
