//! The folder of a destination: where copies get their places and names.

use super::answer::Answer;
use super::below::{make_folders, parts};
use super::naming::{CopyTarget, Name};
use super::patience::patiently;
use hashmill_os::{FileId, Links, copy_attributes, facts_at, open_folder, open_to_read, sync_many};
use hashmill_output::{RunFiles, Unfinished, WriteError, sweep_all};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The folder of a destination.
#[derive(Debug)]
pub(super) struct CopyFolder {
    target: CopyTarget,
    is_forced: bool,
    files: RunFiles,
    made: Mutex<Made>,
}

/// Files and folders that this run has made.
#[derive(Debug, Default)]
struct Made {
    /// Folders in which no files of a killed run are left.
    swept: HashSet<PathBuf>,
    /// The files of this run: where names that differ are one, no file takes the place of another.
    written: HashSet<FileId>,
    /// Folders of the sources by the paths of their copies.
    sources: BTreeMap<PathBuf, PathBuf>,
}

impl CopyFolder {
    pub(super) fn new(target: CopyTarget, is_forced: bool, files: RunFiles) -> CopyFolder {
        CopyFolder { target, is_forced, files, made: Mutex::default() }
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
        folder.join(&*hashmill_os::names::path_to_try(below))
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
        if self.made.lock().swept.insert(place.clone()) {
            sweep_all(&place, &self.files);
        }
        place.push(&*hashmill_os::names::path_to_try(last));
        Ok(place)
    }

    /// Returns whether a file is at this path already, which then is compared. One that may be replaced is none.
    ///
    /// # Errors
    /// If something else is there, or another file of this run.
    pub(super) fn is_there(&self, place: &Path) -> io::Result<bool> {
        match facts_at(place, Links::Stay) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
            Ok(facts) if self.made.lock().written.contains(&facts.id) => {
                Err(io::Error::other("another file of this run has its name there"))
            }
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
        patiently(|| Unfinished::one_of_many(place, &self.files))
    }

    /// Gives a copy its name. Nothing is replaced unless that was asked for.
    ///
    /// # Errors
    /// If it can't have it.
    pub(super) fn name(&self, unfinished: &Unfinished) -> io::Result<()> {
        match self.is_forced {
            true => unfinished.give_closed_name()?,
            false => unfinished.give_new_closed_name()?,
        }
        self.made.lock().written.insert(unfinished.id());
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
    pub(super) fn link(&self, name: &Name, target: &Path) -> io::Result<Answer> {
        let place = self.place(name)?;
        match fs::read_link(&place) {
            Ok(there) if there == target => return Ok(Answer::Same),
            Ok(_) if self.is_forced => fs::remove_file(&place)?,
            Ok(there) => {
                return Ok(Answer::Kept(format!("a link to {} is there", there.display())));
            }
            Err(_) if facts_at(&place, Links::Stay).is_ok() => {
                return Ok(Answer::Kept("something else than a link is there".into()));
            }
            Err(_) => {}
        }
        hashmill_os::make_link(target, &place).map(|()| Answer::Copied(None))
    }

    /// Gives the copy of a file that was copied before a second name.
    pub(super) fn second_name(&self, first: &Name, name: &Name) -> io::Result<Answer> {
        let (first, place) = (self.place(first)?, self.place(name)?);
        let id = facts_at(&first, Links::Stay)?.id;
        match facts_at(&place, Links::Stay) {
            Ok(facts) if facts.id == id => return Ok(Answer::Same),
            Ok(_) if self.is_forced => fs::remove_file(&place)?,
            Ok(_) => return Ok(Answer::Kept("a file that is no second name of the same is there".into())),
            Err(_) => {}
        }
        fs::hard_link(first, place).map(|()| Answer::Copied(None))
    }

    /// Notes the folder that a copy's folder is a copy of, and those above both.
    pub(super) fn note_folders(&self, below: &[u8], source: &Path) {
        let mut made = self.made.lock();
        let mut copy = self.target.folder.join(&*hashmill_os::names::path_to_try(below));
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

    /// Gives folders the properties of their sources, those below first, and makes all names survive a power cut.
    pub(super) fn finish(&self) -> io::Result<()> {
        let made = std::mem::take(&mut *self.made.lock());
        for (copy, source) in made.sources.iter().rev() {
            let (Ok(from), Ok(to)) = (open_to_read(source), open_folder(copy, Links::Stay)) else { continue };
            copy_attributes(&from, &to)?;
        }
        let folders = made.swept.iter().chain(made.sources.keys()).chain([&self.target.folder]);
        // Windows opens no folder, and keeps a journal of names.
        let open: Vec<File> = folders.filter_map(|folder| File::open(folder).ok()).collect();
        sync_many(&open.iter().collect::<Vec<_>>()).into_iter().collect()
    }
}
