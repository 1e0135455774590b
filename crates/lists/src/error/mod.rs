//! Errors of relying on a list.

mod seal;
mod signature;

pub use seal::SealError;
pub use signature::{SIGNED_GUESS, SignatureError};

use hashmill_content::{self as content, File, FileError, Misfit};
use hashmill_output::WriteError;
use hashmill_terminal::Shown;
use std::path::Path;
use std::{error, fmt, io};

/// An error that prevents a list from being opened, signed, sealed or compared.
#[derive(Debug)]
pub enum Error {
    /// The settings contradict each other, or what is here.
    Misfit(Misfit),
    /// A file can't be used.
    File(FileError),
    /// The output could not be written.
    Write(WriteError),
    /// A file, folder or location can't be used for what it was named for, and the reason.
    Place(Box<[u8]>, Box<str>),
    /// A signature or a key does not meet the requirements.
    Signature(SignatureError),
    /// A manifest cannot be sealed.
    Seal {
        /// The path of the manifest.
        path: Box<[u8]>,
        /// The reason.
        why: Box<hashmill_seal::Error>,
    },
    /// Something differs from what was sealed, or can't be compared with it.
    Proof(SealError),
    /// A thread can't be started.
    Thread {
        /// The purpose of the thread.
        what: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// The system refuses a lower priority.
    Priority(io::Error),
    /// A store with a list can't be used.
    #[cfg(feature = "stores")]
    Store(Box<hashmill_store::Error>),
}

impl Error {
    /// Makes the error of a file, folder or location that can't be used.
    pub(crate) fn of_place(path: impl Into<Box<[u8]>>, why: impl ToString) -> Error {
        Error::Place(path.into(), why.to_string().into())
    }

    /// Makes the error of an action with the file at this path from an error of the system.
    pub(crate) fn at(path: &Path, tried: File) -> impl FnOnce(io::Error) -> Error + use<> {
        let of = FileError::at(path, tried);
        move |source| Error::File(of(source))
    }

    /// Makes the error of an action with a file from an error of the system.
    pub(crate) fn file(path: &[u8], tried: File) -> impl FnOnce(io::Error) -> Error + use<> {
        let of = FileError::of(path, tried);
        move |source| Error::File(of(source))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Misfit(misfit) => misfit.fmt(f),
            Error::File(error) => error.fmt(f),
            Error::Write(error) => error.fmt(f),
            Error::Place(path, why) => write!(f, "{}: {why}", Shown(path)),
            Error::Signature(error) => error.fmt(f),
            Error::Seal { path, why } => write!(f, "{}: cannot be sealed: {why}", Shown(path)),
            Error::Proof(error) => error.fmt(f),
            Error::Thread { what, source } => write!(f, "cannot start a thread {what}: {source}"),
            Error::Priority(source) => write!(f, "the system refuses a lower priority: {source}"),
            #[cfg(feature = "stores")]
            Error::Store(error) => error.fmt(f),
        }
    }
}

impl error::Error for Error {}

/// Implements the conversion of these errors into kinds of [`Error`].
macro_rules! kinds {
    ($($kind:ident($of:ty))*) => { $(
        impl From<$of> for Error {
            fn from(error: $of) -> Error {
                Error::$kind(error)
            }
        }
    )* };
}

kinds! {
    Misfit(Misfit)
    File(FileError)
    Write(WriteError)
    Proof(SealError)
    Signature(SignatureError)
}

#[cfg(feature = "stores")]
impl From<Box<hashmill_store::Error>> for Error {
    fn from(error: Box<hashmill_store::Error>) -> Error {
        Error::Store(error)
    }
}

impl From<content::Error> for Error {
    fn from(error: content::Error) -> Error {
        match error {
            content::Error::Misfit(misfit) => Error::Misfit(misfit),
            content::Error::File(error) => Error::File(error),
            content::Error::Write(error) => Error::Write(error),
            content::Error::Priority(source) => Error::Priority(source),
        }
    }
}
