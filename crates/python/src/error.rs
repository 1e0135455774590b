//! Exceptions: `OSError` for files, `ValueError` for wrong arguments, `hashmill.Error` for manifests, indexes and the like.

use crate::reach::usual;
use crate::sys::{EACCES, EEXIST, EINVAL, EIO, ENOENT, ENOTDIR, ETIMEDOUT, errno};
use hashmill_content::FileError;
use hashmill_job::Error as JobError;
use hashmill_job::bagit::BagError;
use hashmill_job::convert::ConvertError;
use hashmill_job::sets::SetsError;
use hashmill_job::similarity::SimilarityError;
use hashmill_known::Why;
use hashmill_lists::sealing::SealError;
use hashmill_lists::signatures::SignatureError;
use hashmill_manifest::format::Unusable;
use hashmill_os::names;
use hashmill_source::Problem;
use hashmill_terminal::without_numbers;
use pyo3::exceptions::{PyException, PyOSError, PyValueError};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::Path;

pyo3::create_exception!(
    hashmill,
    Error,
    PyException,
    "A manifest, list, index, seal or signature is not usable, or hashmill itself failed."
);

/// Returns a message without the numbers of the system's errors, which an exception has besides.
pub(crate) fn said(why: impl fmt::Display) -> String {
    without_numbers(&why.to_string()).into_owned()
}

/// Returns the exception for a wrong argument.
pub(crate) fn wrong(why: impl fmt::Display) -> PyErr {
    PyValueError::new_err(said(why))
}

/// Returns the exception for a failure that concerns neither a file nor an argument.
pub(crate) fn failed(why: impl fmt::Display) -> PyErr {
    Error::new_err(said(why))
}

/// Returns the exception for a failure that concerns a file, whose name is its `filename`.
pub(crate) fn failed_at(path: &[u8], why: impl fmt::Display) -> PyErr {
    let error = failed(why);
    let _ = Python::attach(|py| error.value(py).setattr("filename", filename(path)));
    error
}

/// Returns a path as exceptions have it.
fn filename(path: &[u8]) -> OsString {
    names::path_to_try(&usual().without_secrets(path)).into_owned().into_os_string()
}

/// Returns the `OSError` of a file, with its number, so that it becomes `FileNotFoundError` and the like. Its text ends with
/// the path, so a message that begins with it loses it.
pub(crate) fn os_error(path: &[u8], message: &str, number: Option<i32>) -> PyErr {
    let path = filename(path);
    let message = message.strip_prefix(&format!("{}: ", path.display())).unwrap_or(message);
    PyOSError::new_err((number.unwrap_or(EIO), said(message), path))
}

fn io_error(path: &[u8], source: &io::Error, message: String) -> PyErr {
    os_error(path, &message, number_of(source))
}

/// Returns the number of an error as Python has it; for an error of a store, the number of the same error of a file.
pub(crate) fn number_of(source: &io::Error) -> Option<i32> {
    source.raw_os_error().map(errno).or_else(|| match source.kind() {
        io::ErrorKind::NotFound => Some(ENOENT),
        io::ErrorKind::PermissionDenied => Some(EACCES),
        io::ErrorKind::TimedOut => Some(ETIMEDOUT),
        io::ErrorKind::InvalidInput => Some(EINVAL),
        _ => None,
    })
}

/// Returns the `OSError` of a location that can't be reached or listed.
pub(crate) fn store_error(location: &[u8], error: &hashmill_store::Error) -> PyErr {
    let kind = io::Error::from(error.cause.kind());
    let location = if location.is_empty() { error.location.as_bytes() } else { location };
    io_error(location, &kind, format!("{}: {}", error.doing, error.cause))
}

/// Returns the exception for an error that ended an operation.
pub(crate) fn job(error: impl Into<JobError>) -> PyErr {
    let error = error.into();
    let message = error.to_string();
    match &error {
        JobError::Misfit(_) | JobError::Algorithm(_) => wrong(message),
        JobError::Bag(bag) => of_bag(bag, message),
        JobError::Store(store) => store_error(b"", store),
        JobError::File(FileError { path, source, .. }) => io_error(path, source, message),
        JobError::Unusable { path, why: Unusable::Open(source) | Unusable::Io(source) } => {
            io_error(path, source, message)
        }
        JobError::Write(write) => io_error(write.name(), write.cause(), message),
        JobError::Known(known) => match &known.why {
            Why::Io(_, source) => io_error(&names::path_bytes(&known.path), source, message),
            _ => failed_at(&names::path_bytes(&known.path), message),
        },
        error => match file_of(error) {
            Some(path) => failed_at(path, message),
            None => failed(message),
        },
    }
}

/// Returns the path of the file that an error is about, if it is about one.
fn file_of(error: &JobError) -> Option<&[u8]> {
    match error {
        JobError::Unusable { path, .. } | JobError::Place(path, _) | JobError::Seal { path, .. } => {
            Some(path)
        }
        JobError::Convert(ConvertError::Guessed { manifest, .. }) => Some(manifest),
        JobError::Convert(ConvertError::Misnamed { path, .. }) => Some(path),
        JobError::Proof(error) => match error {
            SealError::Unusable { path, .. } | SealError::NoRecord { manifest: path, .. } => Some(path),
            SealError::WhichSeal(path) | SealError::WhichOlder(path) | SealError::NotGrowth(path) => {
                Some(path)
            }
            _ => None,
        },
        JobError::Signature(error) => match error {
            SignatureError::TooFew { list: path, .. } | SignatureError::Forgeable { list: path, .. } => {
                Some(path)
            }
            SignatureError::Taken { path, .. } | SignatureError::Unusable { path, .. } => Some(path),
            SignatureError::Foreign(path) => Some(path),
            _ => None,
        },
        JobError::Similarity(SimilarityError::Directory(path) | SimilarityError::Segments { path, .. }) => {
            Some(path)
        }
        JobError::Sets(SetsError::LongLine { list, .. }) => Some(list),
        _ => None,
    }
}

/// Returns the exception for a bag that can't be made or verified.
fn of_bag(error: &BagError, message: String) -> PyErr {
    let path_error = |path: &Path, number| os_error(&names::path_bytes(path), &message, Some(number));
    match error {
        BagError::Likeness | BagError::Checksum(_) | BagError::GivenOxum | BagError::Field(_) => {
            PyValueError::new_err(message)
        }
        BagError::Exists(path) => path_error(path, EEXIST),
        BagError::NotFolder(path) | BagError::NoBag(path) if path.exists() => path_error(path, ENOTDIR),
        BagError::NotFolder(path) | BagError::NoBag(path) => path_error(path, ENOENT),
        BagError::ManifestChanged(path) => failed_at(&names::path_bytes(path), message),
        _ => failed(message),
    }
}

/// Returns the number of the system's error, if there is one.
pub(crate) fn number(problem: &Problem) -> Option<i32> {
    match problem {
        Problem::Stat(source) | Problem::List(source) | Problem::Open(source) => number_of(source),
        Problem::Read { source, .. } => number_of(source),
        _ => None,
    }
}
