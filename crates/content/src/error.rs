//! Errors of reaching what an operation works on.

use crate::misfit::Misfit;
use hashmill_os::names::path_bytes;
use hashmill_output::WriteError;
use hashmill_terminal::Shown;
use std::path::Path;
use std::{error, fmt, io};

/// An error that prevents content from being reached or written. Problems of single files are items of the walk.
#[derive(Debug)]
pub enum Error {
    /// The settings contradict each other, or what is here.
    Misfit(Misfit),
    /// A file can't be used.
    File(FileError),
    /// The output could not be written.
    Write(WriteError),
    /// The system refuses a lower priority.
    Priority(io::Error),
}

/// An error of the system at a file that an operation depends on.
#[derive(Debug)]
pub struct FileError {
    /// The path of the file.
    pub path: Box<[u8]>,
    /// The action that failed.
    pub tried: File,
    /// The error of the system.
    pub source: io::Error,
}

/// An action with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum File {
    /// Opening the file.
    Open,
    /// Reading the file.
    Read,
    /// Listing the folder.
    List,
    /// Writing the file.
    Write,
    /// Removing the file.
    Remove,
    /// Taking over the remains of an interrupted run.
    TakeUp,
}

impl FileError {
    /// Makes the error of an action with the file at this path from an error of the system.
    pub fn at(path: &Path, tried: File) -> impl FnOnce(io::Error) -> FileError + use<> {
        FileError::of(&path_bytes(path), tried)
    }

    /// Makes the error of an action with a file from an error of the system.
    pub fn of(path: &[u8], tried: File) -> impl FnOnce(io::Error) -> FileError + use<> {
        let path = path.into();
        move |source| FileError { path, tried, source }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tried = match self.tried {
            File::Open => "cannot open: ",
            File::Read => "cannot read: ",
            File::List => "cannot list: ",
            File::Write => "cannot write: ",
            File::Remove => "cannot remove: ",
            File::TakeUp => "",
        };
        write!(f, "{}: {tried}{}", Shown(&self.path), self.source)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Misfit(misfit) => misfit.fmt(f),
            Error::File(error) => error.fmt(f),
            Error::Write(error) => error.fmt(f),
            Error::Priority(source) => write!(f, "the system refuses a lower priority: {source}"),
        }
    }
}

impl error::Error for Error {}

impl From<Misfit> for Error {
    fn from(misfit: Misfit) -> Error {
        Error::Misfit(misfit)
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Error {
        Error::File(error)
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Error {
        Error::Write(error)
    }
}
