//! Reasons why a file can't be used as a manifest.

use super::document::Document;
use super::malformed::Cause;
use super::row::Format;
use std::{fmt, io};

/// The reason why a file can't be used as a manifest.
#[derive(Debug)]
#[non_exhaustive]
pub enum Unusable {
    /// It could not be opened.
    Open(io::Error),
    /// It could not be read.
    Io(io::Error),
    /// It is empty.
    Empty,
    /// Its format is unknown.
    Unrecognised,
    /// It is a document of an unsupported kind.
    Document(&'static Document),
    /// It is a set of known digests instead of a list of files.
    Set(&'static Format),
    /// It holds a digest alone, and its own name does not tell of which file.
    Nameless,
    /// It is compressed; [`super::open`] reads it.
    Packed,
    /// It is in a known format, but damaged or not a manifest.
    Foreign {
        /// The format and the problem: `is not a complete Parquet file`.
        what: &'static str,
        /// The underlying error.
        source: Cause,
    },
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unusable::Open(source) | Unusable::Io(source) if is_directory(source) => f.write_str(DIRECTORY),
            Unusable::Open(source) => write!(f, "cannot open: {source}"),
            Unusable::Io(source) => write!(f, "cannot read: {source}"),
            Unusable::Empty => write!(f, "is empty"),
            Unusable::Set(format) => write!(
                f,
                "is a set of known digests, not a list of files here: {} (hashmill known build makes an index of it, and \
                 hashmill known match looks files up in that)",
                format.about
            ),
            Unusable::Nameless => write!(
                f,
                "is a digest without the name of its file, and its own name doesn't tell it, as x.iso.sha256 does (write both \
                 into one line: DIGEST, two spaces, NAME)"
            ),
            Unusable::Packed => write!(f, "is compressed"),
            Unusable::Foreign { what, source } => write!(f, "{what}: {source}"),
            Unusable::Document(document) => {
                write!(f, "is {}, which is not read as a list; {}", document.name, document.advice)
            }
            Unusable::Unrecognised => write!(f, "is not a manifest or digest list in a known format"),
        }
    }
}

/// The error for a folder in place of a list.
const DIRECTORY: &str = "is a directory, not a manifest or list";

fn is_directory(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::IsADirectory
}

impl std::error::Error for Unusable {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Unusable::Open(source) | Unusable::Io(source) => Some(source),
            Unusable::Foreign { source, .. } => Some(source.as_ref()),
            _ => None,
        }
    }
}
