//! Errors in manifests, with their position.

use super::Foreign;
use crate::json_fault;
use hashmill_digest::{Algorithm, BadDigest, Unknown};
use std::{fmt, io};

/// A part of a manifest that can't be parsed. The reader continues after it, except after [`Why::Io`].
#[derive(Debug)]
pub struct Malformed {
    /// The line, from 1; in a binary format the entry, from 1.
    pub line: u64,
    /// The part of the line: `size`, `digest`, `name`, a column's name.
    pub part: &'static str,
    /// The error.
    pub why: Why,
}

/// The kind of error in a part of a manifest.
#[derive(Debug)]
#[non_exhaustive]
pub enum Why {
    /// Reading failed; nothing follows.
    Io(io::Error),
    /// Longer than the format's limit, in bytes.
    TooLong(usize),
    /// It is missing.
    Missing,
    /// This path leads out of the list's folder.
    LeadsOut(Box<[u8]>),
    /// The digest of this folder is not that of the digests of what is in it.
    Folder(Box<[u8]>),
    /// This element is not known.
    Element(Box<str>),
    /// This file is next to a chain that does not name it.
    Stray(Box<[u8]>),
    /// This generation of an inner history was added without a signature.
    Unsigned(Box<[u8]>),
    /// The error is in this other file of the list.
    In(Box<[u8]>, Box<Malformed>),
    /// It is given twice.
    Twice,
    /// The line has none of the forms of this format.
    Unrecognised,
    /// The digest is malformed.
    Digest(BadDigest),
    /// The digest's length does not fit the algorithm.
    Length {
        /// The algorithm that the line, the header or the caller named.
        algorithm: &'static Algorithm,
        /// The number of hexadecimal digits found.
        digits: usize,
    },
    /// No algorithm has digests of this many hexadecimal digits.
    NoAlgorithm {
        /// The number of hexadecimal digits found.
        digits: usize,
    },
    /// The only digest of a file is well-formed, but can't be computed here.
    Unsupported {
        /// Its algorithm.
        algorithm: Foreign,
        /// The path of the file; empty if the digest is not of a file.
        path: Box<[u8]>,
    },
    /// The algorithm is unknown.
    Unknown(Unknown),
    /// Not a decimal number below 2^64.
    Number,
    /// A backslash that is not the start of an escape.
    Escape,
    /// Not URL-encoded.
    Address,
    /// Not base64.
    Base64,
    /// Different from what this other part of the record says.
    Disagrees(&'static str),
    /// The likeness digest is malformed.
    Likeness(hashmill_similar::Malformed),
    /// An unknown status.
    Status,
    /// An unknown strength.
    Strength,
    /// There are digests although the status excludes them.
    Contradicts,
    /// The leaf digests don't hash to the digest beside them.
    Leaves(&'static Algorithm),
    /// Not RFC 3339.
    Time,
    /// Not `[[offset,length],…]`, sorted and not adjacent.
    Ranges,
    /// Not JSON of the right shape.
    Json(serde_json::Error),
    /// Not well-formed XML.
    Xml(quick_xml::Error),
    /// More than this number of nested elements.
    Deep(usize),
    /// XML with entity definitions, which attacks use and DFXML never does.
    Definitions,
    /// XML in this encoding, which is not known here.
    Encoding(Box<str>),
    /// Files of a walk of a medium that are deleted, and so are none of its tree. See [`Malformed::is_note`].
    Unallocated {
        /// The number of these files.
        files: u64,
        /// The first of these files.
        first: Box<str>,
    },
    /// A damaged binary file; nothing follows.
    Damaged(Cause),
    /// A value of the wrong type for its column.
    Type,
    /// Neither a line of a list nor a damaged one: a title, a line of dashes. See [`Malformed::is_note`].
    Prose,
    /// A signature inside the file, which is not verified here. See [`Malformed::is_note`].
    Signature(Signed),
    /// Ignored columns. See [`Malformed::is_note`].
    Columns(Box<str>),
    /// Files that a signed list names without a checksum, so that its signature does not cover them. See
    /// [`Malformed::is_note`].
    Unbound {
        /// The number of these files.
        files: usize,
        /// The first of these files.
        first: Box<str>,
    },
    /// A line outside the signed text.
    Outside,
    /// A path next to a column of names, which may be a folder or a whole path.
    Parts,
    /// Two columns or digests that the text does not distinguish.
    Alike,
    /// The number of fields is not that of the header.
    Fields {
        /// The number of fields of this line.
        found: usize,
        /// The number of fields of the header.
        expected: usize,
    },
    /// The file ends within an entry.
    Truncated,
    /// The number of entries is not what the header says.
    Count {
        /// The number of entries found.
        found: u64,
        /// The number of entries in the header.
        expected: u64,
    },
}

/// The error of a format's library.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A kind of signature inside the file that it signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signed {
    /// A clear-signed OpenPGP message.
    Pgp,
    /// The two lines at the start that OpenBSD's signify writes.
    Signify,
}

impl Malformed {
    /// Returns whether reading can't continue after it, so that records may be missing.
    pub fn is_end(&self) -> bool {
        matches!(self.why, Why::Io(_) | Why::Damaged(_))
    }

    /// Returns whether it is only a note: something was skipped on purpose (a title, the signature around a list, a
    /// column without digests), or a signature covers less than it seems to.
    pub fn is_note(&self) -> bool {
        matches!(
            self.why,
            Why::Prose
                | Why::Signature(_)
                | Why::Columns(_)
                | Why::Unbound { .. }
                | Why::Stray(_)
                | Why::Unallocated { .. }
        )
    }
}

/// A malformed part whose line is not known yet.
#[derive(Debug)]
pub(crate) struct Bad {
    pub part: &'static str,
    pub why: Why,
}

impl Bad {
    pub fn new(part: &'static str, why: Why) -> Self {
        Bad { part, why }
    }

    /// Creates an error for a digest that can't be computed here, of a file not known yet.
    pub fn unsupported(algorithm: Foreign) -> Self {
        Bad::new("digest", Why::Unsupported { algorithm, path: Box::default() })
    }

    /// Sets the file of the error.
    pub fn with_file(mut self, file: &[u8]) -> Self {
        if let Why::Unsupported { path, .. } = &mut self.why {
            *path = file.into();
        }
        self
    }

    pub fn at(self, line: u64) -> Malformed {
        Malformed { line, part: self.part, why: self.why }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            // The error concerns the whole list, or a part that is a file of its own.
            0 => write!(f, "{}: {}", self.part, self.why),
            line => write!(f, "line {line}: {}: {}", self.part, self.why),
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Io(source) => write!(f, "read failed: {source}"),
            Why::TooLong(most) => write!(f, "longer than {most} bytes"),
            Why::Missing => write!(f, "missing"),
            Why::Stray(name) => {
                write!(f, "ignored: {} is next to the chain, but not named in it", name.escape_ascii())
            }
            Why::Unsigned(name) => write!(
                f,
                "{} doesn't count: the chain around it is signed, and no signed manifest names it",
                name.escape_ascii()
            ),
            Why::In(file, malformed) => write!(f, "{}: {malformed}", file.escape_ascii()),
            Why::LeadsOut(path) => {
                write!(f, "{} leads out of the list's folder", path.escape_ascii())
            }
            Why::Element(name) => {
                write!(f, "the element '{}' is not known, so it was not compared", name.escape_debug())
            }
            Why::Folder(path) if path.is_empty() => {
                write!(f, "the digest of the whole tree is not that of what the list has in it")
            }
            Why::Folder(path) => write!(
                f,
                "the digest of the folder '{}' is not that of what the list has in it",
                path.escape_ascii()
            ),
            Why::Twice => write!(f, "given twice"),
            Why::Unrecognised => write!(f, "not a line of this format"),
            Why::Digest(bad) => write!(f, "{bad}"),
            Why::Length { algorithm, digits } => {
                write!(f, "{} has {} hexadecimal digits, not {digits}", algorithm.name, algorithm.bits / 4)
            }
            Why::NoAlgorithm { digits } => {
                write!(f, "no algorithm has digests of {digits} hexadecimal digits")
            }
            Why::Unsupported { algorithm, .. } => write!(f, "{algorithm} is not supported"),
            Why::Unknown(unknown) => write!(f, "{unknown}"),
            Why::Number => write!(f, "not a decimal number below 2^64"),
            Why::Escape => write!(f, "an invalid backslash escape"),
            Why::Address => write!(f, "not URL-encoded"),
            Why::Base64 => write!(f, "not base64"),
            Why::Disagrees(other) => write!(f, "does not match {other}"),
            Why::Likeness(bad) => write!(f, "{bad}"),
            Why::Status => write!(f, "not a status"),
            Why::Strength => write!(f, "not a strength"),
            Why::Leaves(algorithm) => {
                write!(f, "they don't hash to the {} digest", algorithm.name)
            }
            Why::Contradicts => write!(f, "not hashed, but there are digests or bad blocks"),
            Why::Time => write!(f, "not an RFC 3339 time"),
            Why::Ranges => write!(f, "not [[offset,length],…] in order"),
            Why::Json(source) => write_json(source, f),
            Why::Xml(source) => write!(f, "{source}"),
            Why::Deep(most) => write!(f, "more than {most} nested elements"),
            Why::Definitions => write!(f, "a document type with definitions of its own"),
            Why::Encoding(name) => {
                write!(f, "its encoding {} is not known (convert the document to UTF-8)", name.escape_debug())
            }
            Why::Unallocated { files, first } => write!(
                f,
                "left out: {files} of deleted files, which are not in the tree (not allocated); the first is {}",
                first.escape_debug()
            ),
            Why::Damaged(what) => write!(f, "damaged: {what}"),
            Why::Type => write!(f, "a value of the wrong type"),
            Why::Prose => write!(f, "left out: not a digest and a name"),
            Why::Signature(Signed::Pgp) => write!(f, "of OpenPGP, not verified here; gpg --verify does that"),
            Why::Signature(Signed::Signify) => {
                write!(f, "of signify, not verified here; signify -V does that")
            }
            Why::Columns(names) => write!(f, "left out: {names}"),
            Why::Unbound { files, first } => write!(
                f,
                "the signature of this list does not cover the content of {files} of its files, because it has no checksum \
                 of them; the first is {}",
                first.escape_debug()
            ),
            Why::Parts => write!(
                f,
                "not clear whether it is the file's folder or its whole path: call its column 'Full Path' if it is whole"
            ),
            Why::Outside => write!(f, "left out: it is outside the signed text"),
            Why::Alike => write!(f, "two that can't be distinguished"),
            Why::Fields { found, expected } => write!(f, "found {found}, but the header has {expected}"),
            Why::Truncated => write!(f, "cut short"),
            Why::Count { found, expected } => write!(f, "found {found}, but the header says {expected}"),
        }
    }
}

/// A JSON error counts lines from the start of the object, so only the column is useful.
fn write_json(source: &serde_json::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{} at column {}", json_fault(source), source.column())
}

impl std::error::Error for Malformed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.why {
            Why::Io(source) => Some(source),
            Why::Digest(source) => Some(source),
            Why::Unknown(source) => Some(source),
            Why::Likeness(source) => Some(source),
            Why::Json(source) => Some(source),
            Why::Xml(source) => Some(source),
            Why::Damaged(source) => Some(source.as_ref()),
            _ => None,
        }
    }
}
