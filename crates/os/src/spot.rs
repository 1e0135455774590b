//! Places for files below a folder that others may change while it is written into.
//!
//! Between a look at a path and a call with it, somebody who can write to a folder on the way may put a link in the place of another
//! folder, and lead the call elsewhere. A spot below an [`OpenFolder`] is reached from there at each call, by names that are no links.

use crate::names::{bytes, path_bytes};
use crate::sys;
use crate::{Facts, Links, Owner, UnsyncedFolder};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder that is held open. On Windows it is its path alone.
#[derive(Debug)]
pub struct OpenFolder {
    path: PathBuf,
    open: Option<File>,
}

/// A place for a file.
#[derive(Debug, Clone)]
pub struct Spot {
    /// The folder that it lies below; without one, the path alone leads to it.
    root: Option<Arc<OpenFolder>>,
    path: PathBuf,
}

impl OpenFolder {
    /// Opens a folder. `links` says how a link at its end is treated.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn new(path: &Path, links: Links) -> io::Result<Arc<OpenFolder>> {
        let path = plain(path);
        let open = match (sys::HAS_CALLS_IN_FOLDERS, links) {
            (false, _) => None,
            (true, Links::Follow) => Some(sys::open_to_look_up(&path)?),
            (true, Links::Stay) => Some(sys::open_folder(&path, Links::Stay)?),
        };
        Ok(Arc::new(OpenFolder { path, open }))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether it was opened by this path.
    pub fn is_at(&self, path: &Path) -> bool {
        self.path == plain(path)
    }
}

/// Returns the path without a slash at its end, which would follow a link.
fn plain(path: &Path) -> PathBuf {
    let path: PathBuf = path.components().collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

impl From<&Path> for Spot {
    /// Returns the place that a path leads to, through links too.
    fn from(path: &Path) -> Spot {
        Spot { root: None, path: path.to_path_buf() }
    }
}

impl Spot {
    /// Returns a place below a folder; the folder itself if the path is empty.
    pub fn below(root: &Arc<OpenFolder>, path: &Path) -> Spot {
        let path = if path.as_os_str().is_empty() { root.path.clone() } else { root.path.join(path) };
        Spot { root: Some(Arc::clone(root)), path }
    }

    /// Returns the path, for messages and for reading.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the last name of the path.
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    /// Returns the place of another name in the same folder.
    pub fn with_name(&self, name: &OsStr) -> Spot {
        Spot { root: self.root.clone(), path: self.path.with_file_name(name) }
    }

    /// Returns the place of a name in this folder.
    pub fn join(&self, name: impl AsRef<Path>) -> Spot {
        Spot { root: self.root.clone(), path: self.path.join(name) }
    }

    /// Returns the metadata of what is there; a link is not followed.
    ///
    /// # Errors
    /// If nothing is there, or a folder on the way can't be searched.
    pub fn facts(&self) -> io::Result<Facts> {
        self.call(|path| sys::facts_at(path, Links::Stay), sys::facts_in)
    }

    /// Returns the metadata of what is there, and its owner; a link is not followed.
    ///
    /// # Errors
    /// As [`Spot::facts`].
    pub fn owned(&self) -> io::Result<(Facts, Owner)> {
        self.call(|path| sys::owned_at(path, Links::Stay), sys::owned_in)
    }

    /// Creates a file as [`create_own`](crate::create_own) does.
    ///
    /// # Errors
    /// As that.
    pub fn create_own(&self) -> io::Result<File> {
        self.call(sys::create_own, sys::create_in)
    }

    /// Opens a file for reading as [`open_now`](crate::open_now) does; a link is not followed.
    ///
    /// # Errors
    /// As that.
    pub fn open_now(&self) -> io::Result<File> {
        self.call(|path| sys::open_now(path, Links::Stay), sys::open_now_in)
    }

    /// Opens a file that exists for reading and writing; a link is not followed.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn open_to_change(&self) -> io::Result<File> {
        self.call(|path| sys::open_to_change(path, Links::Stay), sys::open_to_change_in)
    }

    /// Opens a folder, to look at its metadata or change them; a link is not followed.
    ///
    /// # Errors
    /// If it can't be opened, or is no folder.
    pub fn open_folder(&self) -> io::Result<File> {
        self.call(|path| sys::open_folder(path, Links::Stay), sys::open_folder_in)
    }

    /// Makes the names in a folder survive a power cut.
    ///
    /// # Errors
    /// If it can't be opened, or not synced.
    pub fn sync_folder(&self) -> Result<(), UnsyncedFolder> {
        if !self.is_held() {
            return sys::sync_folder(&self.path);
        }
        let folder = self.open_folder().map_err(UnsyncedFolder::NotOpened)?;
        folder.sync_all().map_err(UnsyncedFolder::NotSynced)
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// If something has the name, or the system refuses.
    pub fn create_folder(&self) -> io::Result<()> {
        self.call(|path| fs::create_dir(path), sys::create_folder_in)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// If it is not there, is a folder, or the system refuses.
    pub fn remove(&self) -> io::Result<()> {
        self.call(|path| fs::remove_file(path), sys::remove_in)
    }

    /// Gives a file another name in the same folder; a file of that name is replaced.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn rename(&self, to: &Spot) -> io::Result<()> {
        self.call(
            |path| fs::rename(path, &to.path),
            |folder, name| sys::rename_in(folder, name, &bytes(to.name())),
        )
    }

    /// Gives a file another name in the same folder, unless anything has that.
    ///
    /// # Errors
    /// [`AlreadyExists`](io::ErrorKind::AlreadyExists) if the name is taken, or the system refuses. Without an open folder above
    /// it is done by `by_path`.
    pub fn rename_new(
        &self,
        to: &Spot,
        by_path: impl FnOnce(&Path, &Path) -> io::Result<()>,
    ) -> io::Result<()> {
        self.call(
            |path| by_path(path, &to.path),
            |folder, name| sys::rename_new_in(folder, name, &bytes(to.name())),
        )
    }

    /// Gives a file a second name.
    ///
    /// # Errors
    /// If that name exists, or the file system has no hard links.
    pub fn hard_link(&self, second: &Spot) -> io::Result<()> {
        self.call(
            |path| fs::hard_link(path, &second.path),
            |folder, name| {
                second.call(
                    |_| Err(io::ErrorKind::Unsupported.into()),
                    |other, second| sys::link_in(folder, name, other, second),
                )
            },
        )
    }

    /// Makes a symbolic link with this target.
    ///
    /// # Errors
    /// If something has the name, or the system refuses.
    pub fn make_link(&self, target: &Path) -> io::Result<()> {
        self.call(|path| sys::make_link(target, path), |folder, name| sys::make_link_in(target, folder, name))
    }

    /// Returns the target of a symbolic link.
    ///
    /// # Errors
    /// If it is none.
    pub fn read_link(&self) -> io::Result<PathBuf> {
        self.call(|path| fs::read_link(path), sys::read_link_in)
    }

    /// Returns whether it is reached from an open folder. The folder itself is reached by its path.
    fn is_held(&self) -> bool {
        self.root.as_ref().is_some_and(|root| root.open.is_some() && root.path != self.path)
    }

    /// Calls a function with the path, or one with the folder that the place is in, and the name in it.
    fn call<T>(
        &self,
        by_path: impl FnOnce(&Path) -> io::Result<T>,
        in_folder: impl FnOnce(&File, &[u8]) -> io::Result<T>,
    ) -> io::Result<T> {
        let root = self.root.as_ref().filter(|_| self.is_held());
        let Some((root, open)) = root.and_then(|root| Some((root, root.open.as_ref()?))) else {
            return by_path(&self.path);
        };
        let above = self.path.parent().unwrap_or(Path::new(""));
        let name = bytes(self.name());
        match above.strip_prefix(&root.path) {
            Ok(between) if between.as_os_str().is_empty() => in_folder(open, &name),
            Ok(between) => in_folder(&sys::open_beneath(open, &path_bytes(between), sys::LOOKUP)?, &name),
            Err(_) => Err(io::Error::other("its path leads out of its folder")),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    /// Makes a folder with one below it, and opens it.
    fn place() -> (tempfile::TempDir, Arc<OpenFolder>) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("below")).unwrap();
        let open = OpenFolder::new(folder.path(), Links::Follow).unwrap();
        (folder, open)
    }

    #[test]
    fn a_link_in_the_place_of_a_folder_leads_no_call_elsewhere() {
        let (folder, open) = place();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("there"), "theirs").unwrap();
        fs::remove_dir(folder.path().join("below")).unwrap();
        symlink(elsewhere.path(), folder.path().join("below")).unwrap();
        let spot = |name: &str| Spot::below(&open, &Path::new("below").join(name));
        let (there, new) = (spot("there"), spot("new"));
        // By paths, all of these would be done.
        let calls: [(&str, io::Result<()>); 13] = [
            ("facts", there.facts().map(drop)),
            ("create", new.create_own().map(drop)),
            ("open", there.open_now().map(drop)),
            ("change", there.open_to_change().map(drop)),
            ("folder", Spot::below(&open, Path::new("below")).open_folder().map(drop)),
            ("sync", Spot::below(&open, Path::new("below")).sync_folder().map_err(io::Error::from)),
            ("make a folder", new.create_folder()),
            ("remove", there.remove()),
            ("rename", there.rename(&new)),
            ("rename new", there.rename_new(&new, |_, _| Ok(()))),
            ("hard link", there.hard_link(&new)),
            ("link", new.make_link(Path::new("x"))),
            ("read link", there.read_link().map(drop)),
        ];
        for (name, done) in calls {
            let error = done.expect_err(name);
            assert_eq!(error.raw_os_error(), Some(libc::ELOOP), "{name}: {error}");
        }
        assert_eq!(fs::read(elsewhere.path().join("there")).unwrap(), b"theirs");
        assert_eq!(crate::all_names_in(elsewhere.path()).unwrap().len(), 1);
    }

    #[test]
    fn a_folder_that_was_moved_is_still_the_one_that_is_open() {
        let (folder, open) = place();
        let away = folder.path().with_extension("away");
        fs::rename(folder.path(), &away).unwrap();
        symlink("/nowhere", folder.path()).unwrap();
        Spot::below(&open, Path::new("below/file")).create_own().unwrap();
        assert!(away.join("below/file").exists());
        fs::remove_file(folder.path()).unwrap();
        fs::rename(&away, folder.path()).unwrap();
    }

    #[test]
    fn calls_do_the_same_in_an_open_folder_and_by_paths() {
        let (one, open) = place();
        let (other, _) = place();
        let held = |name: &str| Spot::below(&open, Path::new(name));
        let by_path = |name: &str| Spot::from(&*other.path().join(name));
        for spot in [&held as &dyn Fn(&str) -> Spot, &by_path] {
            let file = spot("below/a");
            file.create_own().unwrap().write_all(b"text").unwrap();
            assert_eq!(file.create_own().unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            assert!(file.facts().unwrap().is_file());
            file.rename(&spot("below/b")).unwrap();
            spot("below/b").hard_link(&spot("c")).unwrap();
            let taken =
                spot("below/b").rename_new(&spot("below/b"), |_, _| Err(io::ErrorKind::AlreadyExists.into()));
            assert_eq!(taken.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
            spot("d").make_link(Path::new("c")).unwrap();
            assert_eq!(spot("d").read_link().unwrap(), Path::new("c"));
            assert!(spot("d").open_now().is_err() && spot("d").open_to_change().is_err());
            spot("e").create_folder().unwrap();
            spot("e").sync_folder().unwrap();
            spot("e").open_folder().unwrap();
            spot("").sync_folder().unwrap();
            spot("below/b").remove().unwrap();
            assert_eq!(spot("below/b").facts().unwrap_err().kind(), io::ErrorKind::NotFound);
            let mut text = String::new();
            io::Read::read_to_string(&mut spot("c").open_now().unwrap(), &mut text).unwrap();
            assert_eq!(text, "text");
        }
        let names = |folder: &Path| {
            let mut names = crate::all_names_in(folder).unwrap();
            names.sort();
            names
        };
        assert_eq!(names(one.path()), names(other.path()));
    }

    #[test]
    fn a_folder_of_others_is_not_opened_through_a_link_unless_that_is_asked_for() {
        let (folder, _) = place();
        let link = folder.path().join("link");
        symlink("below", &link).unwrap();
        assert!(OpenFolder::new(&link.join(""), Links::Follow).is_ok());
        assert!(OpenFolder::new(&link.join(""), Links::Stay).is_err());
    }
}
