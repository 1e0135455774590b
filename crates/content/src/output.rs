//! Destinations of records: files and streams, and objects of stores, which are uploaded as a whole.

use crate::error::Error;
use crate::misfit::Misfit;
use crate::stores::{Stores, Upload};
use hashmill_os::names;
pub use hashmill_output::*;
use std::path::{Path, PathBuf};

/// The destination of an output, as it was typed: a path, or a location in a store.
#[derive(Debug, Clone)]
pub struct OutputPath {
    /// The name.
    pub path: PathBuf,
    /// Whether an existing file is replaced in any case.
    pub force: bool,
    /// The files of the run that writes it.
    pub files: RunFiles,
    /// The access to the store, if the name is a location.
    pub stores: Stores,
}

/// Where an operation writes to.
#[derive(Debug, Clone)]
pub enum To {
    /// An open stream.
    Stream(Output),
    /// A file, which gets its name once it is complete.
    File(OutputPath),
}

impl To {
    /// Returns the file that was given.
    pub fn file(&self) -> Option<&OutputPath> {
        match self {
            To::Stream(_) => None,
            To::File(place) => Some(place),
        }
    }

    /// Returns the path of that file.
    pub fn path(&self) -> Option<&Path> {
        self.file().map(|place| &*place.path)
    }

    /// Returns the stream, or creates the file; an old one is replaced only if it is of this kind.
    ///
    /// # Errors
    /// If it is a directory, or can't be created.
    pub fn open(&self, kind: OutputKind) -> Result<Output, Error> {
        match self {
            To::Stream(output) => Ok(output.clone()),
            To::File(place) => {
                place.check_no_directory()?;
                Ok(create(place, kind)?)
            }
        }
    }
}

impl From<&Path> for OutputPath {
    fn from(path: &Path) -> OutputPath {
        OutputPath::new(path, &RunFiles::default())
    }
}

impl From<PathBuf> for OutputPath {
    fn from(path: PathBuf) -> OutputPath {
        OutputPath::from(&*path)
    }
}

impl OutputPath {
    /// Makes an output path of a run with these files, and with the access to stores that the environment determines.
    pub fn new(path: &Path, files: &RunFiles) -> OutputPath {
        OutputPath { path: path.to_path_buf(), force: false, files: files.clone(), stores: Stores::default() }
    }

    /// Makes an output path of a name that the program chose; it knows the file that may exist there.
    pub fn own(path: &Path, files: &RunFiles) -> OutputPath {
        OutputPath { force: true, ..OutputPath::new(path, files) }
    }

    /// Returns this as the path of a file.
    pub(crate) fn local(&self) -> LocalPath {
        LocalPath { force: self.force, ..LocalPath::new(&self.path, &self.files) }
    }

    /// Checks that it isn't the path of a directory.
    ///
    /// # Errors
    /// If it is.
    pub fn check_no_directory(&self) -> Result<(), Misfit> {
        let is_directory = self.path.is_dir();
        if is_directory { Err(Misfit::Directory(names::path_bytes(&self.path).into())) } else { Ok(()) }
    }

    fn is_location(&self) -> bool {
        self.stores.is_location(&names::path_bytes(&self.path))
    }

    /// Creates an object in a store. It is uploaded when all of it was written.
    fn upload(&self) -> Result<Output, WriteError> {
        let name = names::path_bytes(&self.path);
        let upload = Upload::prepare(&self.stores, &name);
        let made = upload.and_then(|upload| Output::elsewhere(&name, Box::new(upload)));
        made.map_err(|source| WriteError::new(&self.path, source))
    }
}

/// Creates a new file or object of this kind under a name that the user typed, as [`Output::file`].
///
/// # Errors
/// As that function; also if an object can't be written there.
pub fn create(place: &OutputPath, kind: OutputKind) -> Result<Output, WriteError> {
    created(place, |local| Output::file(local, kind))
}

/// Creates a new file or object of this kind under a name that is derived from another, as [`Output::replacing`].
///
/// # Errors
/// As that function; also if an object can't be written there.
pub fn create_derived(place: &OutputPath, kind: OutputKind) -> Result<Output, WriteError> {
    created(place, |local| Output::replacing(local, kind))
}

/// Creates a new file of this kind that a later run may go on with, as [`Output::resumable`]. The name is no location.
///
/// # Errors
/// As that function.
pub fn create_resumable(place: &OutputPath, kind: OutputKind) -> Result<Output, WriteError> {
    created(place, |local| Output::resumable(local, kind))
}

/// Calls [`create`] if a name was typed, and else [`create_derived`] with the other name.
///
/// # Errors
/// As these functions.
pub fn create_typed_or(
    typed: Option<&OutputPath>,
    otherwise: &OutputPath,
    kind: OutputKind,
) -> Result<Output, WriteError> {
    typed.map_or_else(|| create_derived(otherwise, kind), |typed| create(typed, kind))
}

/// Returns whether an output of this name is a new file that is renamed at the end. A device or a FIFO is written to
/// directly, and an object of a store is uploaded as a whole.
pub fn replaces(place: &OutputPath) -> bool {
    !place.is_location() && hashmill_output::replaces(&place.path)
}

/// Creates an object if the name is a location, and else a file. An error says if a path may have been meant as a
/// location.
fn created(
    place: &OutputPath,
    file: impl FnOnce(&LocalPath) -> Result<Output, WriteError>,
) -> Result<Output, WriteError> {
    let made = if place.is_location() { place.upload() } else { file(&place.local()) };
    made.map_err(|error| error.map_cause(|name, source| place.stores.hinted(name, source)))
}
