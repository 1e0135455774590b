//! Errors of operations.

mod bag;
mod convert;
mod sets;
mod similarity;

pub use bag::BagError;
pub use convert::{ConvertError, Losses};
pub use sets::SetsError;
pub use similarity::SimilarityError;

use crate::misfit::Misfit;
use hashmill_content::{self as content, File, FileError};
use hashmill_digest::Algorithm;
use hashmill_lists::{self as lists, SealError, SignatureError};
use hashmill_manifest::format::Unusable;
use hashmill_os::names::path_bytes;
use hashmill_output::WriteError;
use hashmill_terminal::Shown;
use std::path::Path;
use std::{error, fmt, io};

/// An error that prevents an operation or ends it early. Problems of single files are events.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The options contradict each other.
    Misfit(Misfit),
    /// A file that the operation depends on can't be used.
    File(FileError),
    /// The output could not be written.
    Write(WriteError),
    /// A file, folder or location can't be used for what it was named for, and the reason.
    Place(Box<[u8]>, Box<str>),
    /// A file is not a manifest or list.
    Unusable {
        /// The path of the file.
        path: Box<[u8]>,
        /// The reason.
        why: Unusable,
    },
    /// The manifests have no digests to compare with.
    NoDigests,
    /// Two manifests have no digest in common; the algorithms of each.
    NoCommonDigest([Vec<&'static Algorithm>; 2]),
    /// An index of known digests is not usable.
    Known(Box<hashmill_known::Error>),
    /// An index can't be built from these inputs, or can't be queried for these lists.
    Sets(SetsError),
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
    /// Similarity digests can't be read or compared.
    Similarity(SimilarityError),
    /// A manifest can't be converted or merged.
    Convert(ConvertError),
    /// A bag can't be made or verified.
    Bag(BagError),
    /// A thread can't be started.
    Thread {
        /// The purpose of the thread.
        what: &'static str,
        /// The error of the system.
        source: io::Error,
    },
    /// The system refuses a lower priority.
    Priority(io::Error),
    /// The algorithm does not exist.
    Algorithm(hashmill_digest::Unknown),
    /// A state can't be used.
    #[cfg(feature = "tables")]
    State(Box<hashmill_keep::Error>),
    /// A store that the operation depends on can't be used.
    #[cfg(feature = "stores")]
    Store(Box<hashmill_store::Error>),
}

impl Error {
    /// Returns whether an output has its name in spite of this error.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self, Error::Write(error) if error.is_named())
    }

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
            Error::Unusable { path, why } => write!(f, "{}: {why}", Shown(path)),
            Error::NoDigests => f.write_str("the manifests have no digests to compare with"),
            Error::NoCommonDigest([ours, theirs]) => {
                let (ours, theirs) = (names(ours), names(theirs));
                write!(f, "the manifests have no digest in common: {ours} and {theirs}")
            }
            Error::Known(error) => error.fmt(f),
            Error::Sets(error) => error.fmt(f),
            Error::Signature(error) => error.fmt(f),
            Error::Seal { path, why } => write!(f, "{}: cannot be sealed: {why}", Shown(path)),
            Error::Proof(error) => error.fmt(f),
            Error::Similarity(error) => error.fmt(f),
            Error::Convert(error) => error.fmt(f),
            Error::Bag(error) => error.fmt(f),
            Error::Thread { what, source } => write!(f, "cannot start a thread {what}: {source}"),
            Error::Priority(source) => write!(f, "the system refuses a lower priority: {source}"),
            Error::Algorithm(unknown) => unknown.fmt(f),
            #[cfg(feature = "tables")]
            Error::State(error) => write!(f, "{}: {}", Shown(&path_bytes(&error.path)), error.why),
            #[cfg(feature = "stores")]
            Error::Store(error) => error.fmt(f),
        }
    }
}

fn names(algorithms: &[&'static Algorithm]) -> String {
    algorithms.iter().map(|algorithm| algorithm.name).collect::<Vec<_>>().join(",")
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

#[cfg(feature = "stores")]
impl From<Box<hashmill_store::Error>> for Error {
    fn from(error: Box<hashmill_store::Error>) -> Error {
        Error::Store(error)
    }
}

impl From<hashmill_known::Error> for Error {
    fn from(error: hashmill_known::Error) -> Error {
        Error::Known(Box::new(error))
    }
}

impl From<content::Misfit> for Error {
    fn from(misfit: content::Misfit) -> Error {
        Error::Misfit(misfit.into())
    }
}

impl From<content::Error> for Error {
    fn from(error: content::Error) -> Error {
        lists::Error::from(error).into()
    }
}

impl From<lists::Error> for Error {
    fn from(error: lists::Error) -> Error {
        match error {
            lists::Error::Misfit(misfit) => misfit.into(),
            lists::Error::File(error) => Error::File(error),
            lists::Error::Write(error) => Error::Write(error),
            lists::Error::Place(path, why) => Error::Place(path, why),
            lists::Error::Signature(error) => Error::Signature(error),
            lists::Error::Seal { path, why } => Error::Seal { path, why },
            lists::Error::Proof(error) => Error::Proof(error),
            lists::Error::Thread { what, source } => Error::Thread { what, source },
            lists::Error::Priority(source) => Error::Priority(source),
            #[cfg(feature = "stores")]
            lists::Error::Store(error) => Error::Store(error),
        }
    }
}

kinds! {
    Misfit(Misfit)
    Write(WriteError)
    Bag(BagError)
    Convert(ConvertError)
    Proof(SealError)
    Sets(SetsError)
    Signature(SignatureError)
    Similarity(SimilarityError)
}
