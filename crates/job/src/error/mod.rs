//! Errors of operations.

mod bag;
mod convert;
mod seal;
mod sets;
mod signature;
mod similarity;

pub use bag::BagError;
pub use convert::{ConvertError, Losses};
pub use seal::SealError;
pub use sets::SetsError;
pub(crate) use signature::SIGNED_GUESS;
pub use signature::SignatureError;
pub use similarity::SimilarityError;

use crate::misfit::Misfit;
use crate::output::WriteError;
use crate::shown::Shown;
use hashmill_digest::Algorithm;
use hashmill_manifest::format::Unusable;
use hashmill_os::names::path_bytes;
use std::path::Path;
use std::{error, fmt, io};

/// An error that prevents an operation or ends it early. Problems of single files are events.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The options contradict each other.
    Misfit(Misfit),
    /// A file that the operation depends on can't be used.
    File {
        /// The path of the file.
        path: Box<[u8]>,
        /// The action that failed.
        tried: File,
        /// The error of the system.
        source: io::Error,
    },
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
        Error::file(&path_bytes(path), tried)
    }

    /// Makes the error of an action with a file from an error of the system.
    pub(crate) fn file(path: &[u8], tried: File) -> impl FnOnce(io::Error) -> Error + use<> {
        let path = path.into();
        move |source| Error::File { path, tried, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Misfit(misfit) => misfit.fmt(f),
            Error::File { path, tried, source } => {
                let tried = match tried {
                    File::Open => "cannot open: ",
                    File::Read => "cannot read: ",
                    File::List => "cannot list: ",
                    File::Write => "cannot write: ",
                    File::Remove => "cannot remove: ",
                    File::TakeUp => "",
                };
                write!(f, "{}: {tried}{source}", Shown(path))
            }
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
