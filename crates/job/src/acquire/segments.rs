//! The files of an image that is written: without names until all of them are complete.

use hashmill_content::output::{Output, OutputKind, OutputPath, WriteError, create};
use hashmill_image::{SegmentFiles, segment_path};
use parking_lot::Mutex;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of an image. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct Segments {
    to: OutputPath,
    made: Arc<Mutex<Vec<(PathBuf, Output)>>>,
}

impl Segments {
    pub(super) fn new(to: OutputPath) -> Segments {
        Segments { to, made: Arc::default() }
    }

    /// Returns the path of the first file.
    pub(super) fn first(&self) -> &Path {
        &self.to.path
    }

    /// Returns the path that each file will have, and the one that it has now.
    pub(super) fn places(&self) -> Vec<(PathBuf, PathBuf)> {
        let made = self.made.lock();
        made.iter().filter_map(|(path, output)| Some((path.clone(), output.place()?))).collect()
    }

    /// Makes an error of the file that was written last.
    pub(super) fn failure(&self, error: io::Error) -> WriteError {
        let path = self.made.lock().last().map_or_else(|| self.to.path.clone(), |(path, _)| path.clone());
        // That of a file which could not be created has its name already.
        match error.downcast::<WriteError>() {
            Ok(error) => error,
            Err(error) => WriteError::new(&path, error),
        }
    }

    /// Brings all files onto the medium.
    ///
    /// # Errors
    /// If that fails.
    pub(super) fn sync(&self) -> Result<(), WriteError> {
        let made = self.made.lock();
        made.iter().try_for_each(|(_, output)| {
            output.handle().and_then(|file| file.sync_all()).map_err(|error| output.error(error))
        })
    }

    /// Gives all files their names, the first one last, and removes the files of an old image.
    ///
    /// # Errors
    /// If a file can't get its name; then none has it. Also if the names may not survive a power cut.
    pub(super) fn give_names(&self, old: &[PathBuf]) -> Result<(), WriteError> {
        let made = self.made.lock();
        // Of an image in several files, a part of the old one beside a part of the new one must never look whole.
        if made.len() > 1 || old.len() > 1 {
            old.iter()
                .try_for_each(|path| fs::remove_file(path).map_err(|error| WriteError::new(path, error)))?;
        }
        let mut unsure = Ok(());
        for (place, (_, output)) in made.iter().enumerate().rev() {
            let named = if self.to.force { output.finish() } else { output.finish_new() };
            match named {
                Err(error) if error.is_named() => unsure = Err(error),
                Err(error) => {
                    made[place + 1..].iter().for_each(|(path, _)| drop(fs::remove_file(path)));
                    return Err(error);
                }
                Ok(()) => {}
            }
        }
        unsure
    }

    /// Removes all files.
    pub(super) fn discard(&self) {
        self.made.lock().drain(..).for_each(|(_, output)| output.discard());
    }
}

impl SegmentFiles for Segments {
    fn create(&mut self, number: u64) -> io::Result<File> {
        let path = segment_path(&self.to.path, number);
        let path = path.ok_or_else(|| io::Error::other("there is no name for the next segment"))?;
        let place = OutputPath { path: path.clone(), ..self.to.clone() };
        let output = create(&place, OutputKind::Anything).map_err(io::Error::other)?;
        let file = output.handle().map_err(|error| io::Error::other(output.error(error)))?;
        self.made.lock().push((path, output));
        Ok(file)
    }
}
