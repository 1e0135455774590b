//! The folder of a destination: where copies get their places and names.

use super::answer::Answer;
use super::below::{make_folders, parts};
use super::naming::{CopyTarget, Name};
use super::patience::patiently;
use super::site::CopySite;
use hashmill_os::names::{path_bytes, path_to_try};
use hashmill_os::{
    FileId, Links, copy_attributes, facts_at, free_at, open_folder, open_to_read, sync_folder,
};
use hashmill_output::{RunFiles, Unfinished, WriteError, sweep_all};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The folder of a destination.
#[derive(Debug)]
pub(super) struct CopyFolder {
    target: CopyTarget,
    is_forced: bool,
    files: RunFiles,
    /// The path of the manifest, or of the folder of its history.
    manifest: Option<PathBuf>,
    /// Whether names that differ in their letters' case are one here.
    folds: OnceLock<bool>,
    made: Mutex<Made>,
}

/// Files and folders that this run has made.
#[derive(Debug, Default)]
struct Made {
    /// Folders in which no files of a killed run are left.
    swept: HashSet<PathBuf>,
    /// The files of this run, where one of them could take the place of another: where names that differ are one, and
    /// where files are replaced. Each takes some 40 bytes.
    written: HashSet<FileId>,
    /// Folders of the sources by the paths of their copies.
    sources: BTreeMap<PathBuf, PathBuf>,
}

impl CopyFolder {
    pub(super) fn new(target: CopyTarget, is_forced: bool, files: RunFiles) -> CopyFolder {
        CopyFolder {
            target,
            is_forced,
            files,
            manifest: None,
            folds: OnceLock::new(),
            made: Mutex::default(),
        }
    }

    /// Keeps a place for the manifest with this path.
    pub(super) fn keep_for(self, manifest: Option<PathBuf>) -> CopyFolder {
        CopyFolder { manifest, ..self }
    }

    /// Returns whether a path is the manifest's, or what lies beside it or below.
    fn is_own(&self, place: &Path) -> bool {
        let Some(manifest) = &self.manifest else { return false };
        place.starts_with(manifest)
            || hashmill_output::directory(place) == hashmill_output::directory(manifest)
                && path_bytes(place)
                    .strip_prefix(&*path_bytes(manifest))
                    .is_some_and(|end| end.starts_with(b"."))
    }

    /// Makes the folder itself, for a manifest that is begun in it.
    ///
    /// # Errors
    /// If it can't be made.
    pub(super) fn begin(&self) -> Result<(), WriteError> {
        let folder = self.root();
        let made = match facts_at(&folder, Links::Follow) {
            Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir(&folder),
            found => found.map(drop),
        };
        made.map_err(|error| WriteError::new(&folder, error))
    }

    /// Returns the folder that all copies lie in.
    pub(super) fn root(&self) -> PathBuf {
        self.target.single.as_ref().map_or_else(|| self.target.folder.clone(), |(above, _)| above.clone())
    }

    /// Returns the path of a copy.
    pub(super) fn path(&self, name: &Name) -> PathBuf {
        let (folder, below) = self.of(name);
        folder.join(&*path_to_try(below))
    }

    /// Returns the folder that the path of a copy is relative to, and that path.
    fn of<'a>(&'a self, name: &'a Name) -> (&'a Path, &'a [u8]) {
        match &self.target.single {
            Some((above, single)) if name.is_source => (above, single),
            _ => (&self.target.folder, &name.below),
        }
    }

    /// Returns the path of a copy, with the folders above it made.
    ///
    /// # Errors
    /// If it has no place here.
    pub(super) fn place(&self, name: &Name) -> io::Result<PathBuf> {
        let (folder, below) = self.of(name);
        let parts = parts(below)?;
        let (last, above) = parts.split_last().ok_or_else(|| {
            io::Error::other("it has no name: name the copy, with a path that is no folder")
        })?;
        if facts_at(folder, Links::Follow).is_err() {
            fs::create_dir(folder)?;
        }
        let mut place = make_folders(folder, above)?;
        if self.is_own(&place.join(&*path_to_try(last))) {
            return Err(io::Error::other(
                "the manifest of this run is written there: copy it without --manifest",
            ));
        }
        if self.made.lock().swept.insert(place.clone()) {
            sweep_all(&place, &self.files);
        }
        place.push(&*path_to_try(last));
        Ok(place)
    }

    /// Returns whether a file is at this path already, which then is compared.
    ///
    /// # Errors
    /// If something else is there, or another file of this run.
    pub(super) fn is_there(&self, place: &Path) -> io::Result<bool> {
        self.check_own(place)?;
        match facts_at(place, Links::Stay) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
            Ok(facts) if !facts.is_file() => {
                Err(io::Error::other("something else than a file is in its place"))
            }
            Ok(_) => Ok(true),
        }
    }

    /// Creates a file that gets its name later. Where too many files are open, it waits for others to get theirs.
    ///
    /// # Errors
    /// If it can't be created.
    pub(super) fn create(&self, place: &Path) -> io::Result<(File, Unfinished)> {
        let (file, unfinished) = patiently(|| Unfinished::one_of_many(place, &self.files))?;
        self.folds.get_or_init(|| folds(&unfinished));
        Ok((file, unfinished))
    }

    /// Gives a copy its name. Nothing is replaced unless that was asked for, and never another copy.
    ///
    /// # Errors
    /// If it can't have it.
    pub(super) fn name(&self, unfinished: &Unfinished) -> io::Result<()> {
        match self.is_forced {
            true => {
                self.check_own(unfinished.name())?;
                unfinished.give_closed_name()?;
            }
            false => unfinished.give_new_closed_name()?,
        }
        // Elsewhere, a name that is taken is refused by the system.
        if self.is_forced || self.folds.get() == Some(&true) {
            self.made.lock().written.insert(unfinished.id());
        }
        Ok(())
    }

    pub(super) fn is_forced(&self) -> bool {
        self.is_forced
    }

    /// Makes a folder without entries.
    pub(super) fn make(&self, below: &[u8]) -> io::Result<Answer> {
        let parts = parts(below)?;
        if facts_at(&self.target.folder, Links::Follow).is_err() {
            fs::create_dir(&self.target.folder)?;
        }
        make_folders(&self.target.folder, &parts).map(|_| Answer::Nothing)
    }

    /// Makes a symbolic link with this target.
    ///
    /// # Errors
    /// If it can't be made.
    pub(super) fn link(&self, name: &Name, target: &Path) -> io::Result<Answer> {
        let place = self.place(name)?;
        match fs::read_link(&place) {
            Ok(there) if there == target => return Ok(Answer::Same),
            Ok(there) if !self.is_forced => {
                return Ok(Answer::Kept(format!("a link to {} is there", there.display())));
            }
            Err(_) if facts_at(&place, Links::Stay).is_ok() => {
                return Ok(Answer::Kept("something else than a link is there".into()));
            }
            Ok(_) | Err(_) => {}
        }
        self.put(&place, &|beside| hashmill_os::make_link(target, beside)).map(|()| Answer::Linked)
    }

    /// Gives the copy of a file that was copied before a second name, in the place of an unfinished file.
    ///
    /// # Errors
    /// If the name is taken, or the file system has no such links.
    pub(super) fn link_name(&self, first: &Name, unfinished: &Unfinished) -> io::Result<()> {
        let first = self.path(first);
        self.put(unfinished.name(), &|beside| fs::hard_link(&first, beside))
    }

    /// Makes something beside a path and gives it that name, in one step. It takes the place of something else only if that
    /// was asked for.
    fn put(&self, place: &Path, make: &dyn Fn(&Path) -> io::Result<()>) -> io::Result<()> {
        if !self.is_forced {
            return make(place);
        }
        self.check_own(place)?;
        let folder = hashmill_output::directory(place);
        let made = tempfile::Builder::new().prefix(".link.hashmill-partial-").make_in(folder, make)?;
        Ok(made.into_temp_path().persist(place)?)
    }

    /// Checks that no other file of this run has a name.
    fn check_own(&self, place: &Path) -> io::Result<()> {
        match facts_at(place, Links::Stay) {
            Ok(facts) if self.made.lock().written.contains(&facts.id) => {
                Err(io::Error::other("another file of this run has its name there"))
            }
            _ => Ok(()),
        }
    }
}

impl CopySite for CopyFolder {
    fn path(&self, name: &Name) -> PathBuf {
        CopyFolder::path(self, name)
    }

    fn is_there(&self, name: &Name) -> bool {
        facts_at(&self.path(name), Links::Stay).is_ok()
    }

    fn free(&self) -> Option<u64> {
        let root = self.root();
        free_at(root.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new(".")))
    }

    fn note_folders(&self, below: &[u8], source: &Path) {
        let mut made = self.made.lock();
        let mut copy = self.target.folder.join(&*path_to_try(below));
        let mut source = source.to_path_buf();
        while copy.pop()
            && source.pop()
            && copy.starts_with(&self.target.folder)
            && copy != self.target.folder
        {
            if made.sources.insert(copy.clone(), source.clone()).is_some() {
                break;
            }
        }
    }

    // Folders get the properties of their sources, those below first, and all names survive a power cut.
    fn finish(&self) -> io::Result<()> {
        let Made { swept, sources, .. } = std::mem::take(&mut *self.made.lock());
        let give = |(copy, source): (&PathBuf, &PathBuf)| {
            let to = open_folder(copy, Links::Stay)?;
            copy_attributes(&open_to_read(source)?, &to).map(drop)
        };
        let given = sources.iter().rev().map(give).filter(|given| !is_unsupported(given));
        let given: Vec<io::Result<()>> = given.collect();
        let folders = swept.iter().chain(sources.keys()).chain([&self.target.folder]);
        let there = folders.filter(|folder| facts_at(folder, Links::Follow).is_ok());
        let synced = there.map(|folder| sync_folder(folder).map_err(io::Error::from));
        given.into_iter().chain(synced).collect()
    }
}

/// Returns whether the system has no call for something.
fn is_unsupported(done: &io::Result<()>) -> bool {
    done.as_ref().is_err_and(|error| error.kind() == ErrorKind::Unsupported)
}

/// Returns whether a file is found by its name in other letters, too.
fn folds(unfinished: &Unfinished) -> bool {
    let name = unfinished.place().file_name().map(|name| name.to_string_lossy().to_uppercase());
    let other = name.map(|name| unfinished.place().with_file_name(name));
    other.is_some_and(|other| facts_at(&other, Links::Stay).is_ok_and(|facts| facts.id == unfinished.id()))
}
