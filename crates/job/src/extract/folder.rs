//! The folder that files of an image or archive are written into. Their paths are not trusted: none leads out of it.

use super::copy::CopyError;
use crate::copy::below;
use crate::error::Error;
use crate::misfit::Misfit;
use hashmill_content::entry::stated::Difference;
use hashmill_content::output::{To, Unfinished, WriteError};
use hashmill_os::{FileId, Links, OpenFolder, Spot, all_names_in, facts, names, sync_many};
use hashmill_output::{FileBatch, RunFiles, sweep_all};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::Arc;

/// A folder that files are written into.
pub(super) struct TargetFolder {
    /// The folder, which is held open: whatever others put in the place of a folder below, no call leads out of it.
    open: Arc<OpenFolder>,
    force: bool,
    files: RunFiles,
    /// The files of this run: where names that differ are one, no file takes the place of another.
    written: HashSet<FileId>,
    /// Files that have no names yet.
    waiting: FileBatch<Copied>,
    /// Folders in which no files of a killed run are left.
    swept: HashSet<PathBuf>,
}

/// A file that was copied.
pub(super) struct Copied {
    /// The path of the entry.
    pub(super) path: Box<[u8]>,
    pub(super) size: u64,
    /// The digests that an image states and that are not its own.
    pub(super) differences: Vec<Difference>,
}

impl TargetFolder {
    /// Makes the folder. One that is there must be empty, unless files in it may be replaced.
    ///
    /// # Errors
    /// If there is none to write into.
    pub(super) fn begin(to: &To) -> Result<TargetFolder, Error> {
        let place = to.file().ok_or(Misfit::FilesToStream)?;
        let (path, force, files) = (place.path.clone(), place.force, place.files.clone());
        let begin = || match all_names_in(&path).map(|names| !names.is_empty()) {
            Ok(true) if !force => {
                Err(io::Error::other("is a folder that is not empty (--force writes into it)"))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir(&path),
            is_used => is_used.map(drop),
        };
        begin().map_err(|error| WriteError::new(&path, error))?;
        let (written, waiting, swept) = (HashSet::new(), FileBatch::default(), HashSet::new());
        let open = OpenFolder::new(&path, Links::Follow).map_err(|error| WriteError::new(&path, error))?;
        Ok(TargetFolder { open, force, files, written, waiting, swept })
    }

    /// Writes a file with this path below the folder. It gets its name once all bytes are on the disk, by
    /// [`TargetFolder::give_names`].
    pub(super) fn write(
        &mut self,
        path: &[u8],
        copy: &mut dyn FnMut(&File) -> Result<Copied, CopyError>,
    ) -> Result<(), CopyError> {
        let path = self.place(path).map_err(CopyError::Write)?;
        let (file, unfinished) = Unfinished::one_of_many(&path, &self.files).map_err(CopyError::Write)?;
        let copied = copy(&file)?;
        self.waiting.add(file, unfinished, copied);
        Ok(())
    }

    /// Returns whether the files should get their names before another is written.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.is_full()
    }

    /// Gives the files that were written their names, and returns a result for each.
    pub(super) fn give_names(&mut self) -> Vec<(Copied, io::Result<()>)> {
        let files = self.waiting.sync().into_iter();
        let named = files.map(|(copied, synced)| {
            let named = synced.and_then(|(file, unfinished)| {
                self.check_free(unfinished.named_spot())?;
                unfinished.give_synced_name(&file)?;
                self.written.insert(facts(&file)?.id);
                Ok(())
            });
            (copied, named)
        });
        named.collect()
    }

    /// Makes the new names survive a power cut.
    pub(super) fn sync(&self) -> io::Result<()> {
        // Windows opens no folder, and keeps a journal of names.
        let Ok(folder) = File::open(self.open.path()) else { return Ok(()) };
        sync_many(&[&folder]).into_iter().collect()
    }

    /// Returns the path of a new file, with the folders above it made.
    fn place(&mut self, path: &[u8]) -> io::Result<Spot> {
        let parts = below::parts(path)?;
        let (name, above) = parts.split_last().ok_or_else(|| io::Error::other("it has no name"))?;
        let above = below::make_folders(&self.open, above)?;
        if self.force && self.swept.insert(above.path().to_path_buf()) {
            sweep_all(above.path(), &self.files);
        }
        let place = above.join(&*names::path_to_try(name));
        self.check_free(&place).map(|()| place)
    }

    /// Checks that a file may get this path.
    fn check_free(&self, place: &Spot) -> io::Result<()> {
        match place.facts() {
            Ok(facts) if self.written.contains(&facts.id) => {
                Err(io::Error::other("another file that was written has its name"))
            }
            Ok(facts) if !facts.is_file() => {
                Err(io::Error::other("something else than a file is in its place"))
            }
            Ok(_) if !self.force => Err(io::Error::other("a file is in its place (--force replaces it)")),
            _ => Ok(()),
        }
    }
}
