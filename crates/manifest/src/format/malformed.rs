//! What is wrong with a manifest, and where.

use super::Foreign;
use hashloom_digest::{Algorithm, BadDigest, Unknown};
use std::{fmt, io};

/// A part of a manifest that can't be understood. The reader goes on after it, except after [`Why::Io`].
#[derive(Debug)]
pub struct Malformed {
    /// The line, from 1; in a binary format the entry, from 1.
    pub line: u64,
    /// Which part of it: `size`, `digest`, `name`, a column's name.
    pub part: &'static str,
    /// What is wrong with that part.
    pub why: Why,
}

/// What is wrong with a part of a manifest.
#[derive(Debug)]
#[non_exhaustive]
pub enum Why {
    /// The manifest could not be read on; nothing follows.
    Io(io::Error),
    /// Longer than this many bytes: the most that the format may have.
    TooLong(usize),
    /// It is not there.
    Missing,
    /// This path leads out of the folder that the list is of.
    LeadsOut(Box<[u8]>),
    /// This file lies beside a chain that does not name it.
    Stray(Box<[u8]>),
    /// It stands in this file, which belongs to the list.
    In(Box<[u8]>, Box<Malformed>),
    /// It is there twice.
    Twice,
    /// The line has no shape that this format knows.
    Unrecognised,
    /// The digest is not one.
    Digest(BadDigest),
    /// The digest has another length than its algorithm's.
    Length {
        /// The algorithm that the line, the header or the caller named.
        algorithm: &'static Algorithm,
        /// Hexadecimal digits found.
        digits: usize,
    },
    /// No algorithm has digests of this many hexadecimal digits.
    NoAlgorithm {
        /// Hexadecimal digits found.
        digits: usize,
    },
    /// All is well with it, but its digest, the only one of a file, can't be computed here.
    Unsupported {
        /// What it is of.
        algorithm: Foreign,
        /// The file. Empty where the digest is not a file's.
        path: Box<[u8]>,
    },
    /// The algorithm is not known.
    Unknown(Unknown),
    /// Not a decimal number below 2^64.
    Number,
    /// A backslash that starts no escape.
    Escape,
    /// Not escaped as in an address.
    Address,
    /// Not base64.
    Base64,
    /// Not what `path_b64` stands for.
    Disagrees,
    /// The likeness digest is not one.
    Likeness(hashloom_similar::Malformed),
    /// Not one of the words for a status.
    Status,
    /// Not one of the words for a strength.
    Strength,
    /// There are digests although the status says that there are none.
    Contradicts,
    /// The digests of leaves don't make the digest beside them.
    Leaves(&'static Algorithm),
    /// Not RFC 3339.
    Time,
    /// Not `[[offset,length],…]`, in order and apart from each other.
    Ranges,
    /// Not JSON of the right shape.
    Json(serde_json::Error),
    /// Not well-formed XML.
    Xml(quick_xml::Error),
    /// Elements inside each other, more than this many.
    Deep(usize),
    /// XML that defines entities, as attacks do and DFXML never does.
    Definitions,
    /// A binary file can't be understood here; nothing follows.
    Damaged(Cause),
    /// A value of another type than that of its column.
    Type,
    /// No line of a list, and nothing that looks like a damaged one: a title, a line of dashes. See
    /// [`Malformed::is_note`].
    Prose,
    /// A signature inside of the file, which nobody verifies here. See [`Malformed::is_note`].
    Signature(Signed),
    /// Columns that are left out. See [`Malformed::is_note`].
    Columns(Box<str>),
    /// Files that a signed list names without a checksum: its signature does not cover them. See [`Malformed::is_note`].
    Unbound {
        /// How many.
        files: usize,
        /// The first of them.
        first: Box<str>,
    },
    /// A line that the signature around the others does not cover.
    Outside,
    /// Beside a column of names it may be a folder or the whole path of the file.
    Parts,
    /// Two columns or digests that the text does not distinguish.
    Alike,
    /// The number of fields is not that of the header.
    Fields {
        /// Fields of this line.
        found: usize,
        /// Fields of the header.
        expected: usize,
    },
    /// The file ends inside an entry.
    Truncated,
    /// The number of entries is not what the header says.
    Count {
        /// Entries found.
        found: u64,
        /// Entries by the header.
        expected: u64,
    },
}

/// An error of the library that reads a format.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A kind of signature that stands in the file that it signs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signed {
    /// A clear-signed text of OpenPGP.
    Pgp,
    /// The first two lines, as OpenBSD's signify writes them.
    Signify,
}

impl Malformed {
    /// Whether nothing can be read behind it: what was read is not all.
    pub fn is_end(&self) -> bool {
        matches!(self.why, Why::Io(_) | Why::Damaged(_))
    }

    /// Whether it is only a note: something was left out on purpose (a title, the signature around a list, a column
    /// without digests), or a signature covers less than it seems to.
    pub fn is_note(&self) -> bool {
        matches!(
            self.why,
            Why::Prose | Why::Signature(_) | Why::Columns(_) | Why::Unbound { .. } | Why::Stray(_)
        )
    }
}

/// A malformed part; its line is not known yet.
#[derive(Debug)]
pub(crate) struct Bad {
    pub part: &'static str,
    pub why: Why,
}

impl Bad {
    pub fn new(part: &'static str, why: Why) -> Self {
        Bad { part, why }
    }

    /// A digest that can't be computed here; whose it is, is not known yet.
    pub fn unsupported(algorithm: Foreign) -> Self {
        Bad::new("digest", Why::Unsupported { algorithm, path: Box::default() })
    }

    /// The same about this file.
    pub fn of(mut self, file: &[u8]) -> Self {
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
            // Of the whole list, or of a part that is a file of its own.
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
                write!(f, "left out: {} lies beside the chain, which does not name it", name.escape_ascii())
            }
            Why::In(file, malformed) => write!(f, "{}: {malformed}", file.escape_ascii()),
            Why::LeadsOut(path) => {
                write!(f, "{} leads out of the folder that the list is of", path.escape_ascii())
            }
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
            Why::Address => write!(f, "not escaped as in an address"),
            Why::Base64 => write!(f, "not base64"),
            Why::Disagrees => write!(f, "does not match path_b64"),
            Why::Likeness(bad) => write!(f, "{bad}"),
            Why::Status => write!(f, "not a status"),
            Why::Strength => write!(f, "not a strength"),
            Why::Leaves(algorithm) => {
                write!(f, "they don't make the digest by {} beside them", algorithm.name)
            }
            Why::Contradicts => write!(f, "not hashed, but there are digests or bad blocks"),
            Why::Time => write!(f, "not an RFC 3339 time"),
            Why::Ranges => write!(f, "not [[offset,length],…] in order"),
            Why::Json(source) => write_json(source, f),
            Why::Xml(source) => write!(f, "{source}"),
            Why::Deep(most) => write!(f, "more than {most} nested elements"),
            Why::Definitions => write!(f, "a document type with definitions of its own"),
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
                "the signature of this list does not cover what is in {files} of the files that it names, as it has no checksum \
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

/// A JSON error counts lines from the object's start; only the column says something.
fn write_json(source: &serde_json::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let text = source.to_string();
    let (what, _) = text.rsplit_once(" at line ").unwrap_or((&text, ""));
    write!(f, "{what} at column {}", source.column())
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
