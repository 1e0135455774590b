//! Errors: failures, invalid files, and differences found by comparisons.

use crate::limits::{MAX_ORIGIN, VERSION};
use hashmill_digest::Unknown;
use hashmill_manifest::format::{Malformed, Unusable, Why};
use std::{error, fmt, io};

/// The reason why a manifest can't be sealed, or a file of this crate can't be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written, or the system provides no random numbers.
    Io(io::Error),
    /// Writing the seal failed.
    Write(io::Error),
    /// The hashing thread could not be started.
    Thread(io::Error),
    /// The file is not a manifest.
    Unusable(Unusable),
    /// A line of the manifest is unreadable, so it can't be sealed.
    Malformed(Malformed),
    /// A manifest changed between two reads.
    Changed,
    /// The algorithm is not suitable for a tree.
    Algorithm(AlgorithmError),
    /// A seal, a proof, a redacted manifest or a secret is invalid.
    Invalid {
        /// The line, from 1.
        line: u64,
        /// The error in it.
        fault: Fault,
    },
    /// An outboard is invalid, or not suitable for the request.
    Outboard(OutboardError),
    /// The seal has salts, but its secret is missing.
    SecretMissing,
    /// The seal has no salts, but a secret was given.
    SecretUnused,
    /// Salts were requested without a nonce for the first record.
    NonceMissing,
    /// The older seal already has the maximum number of nonces.
    NoncesFull,
    /// Seals with salts can't be compared.
    SaltsIncomparable,
    /// Seals by different algorithms can't be compared.
    AlgorithmsIncomparable,
    /// Two compared things differ.
    Differs(Difference),
}

/// The reason why an algorithm can't be used for a tree.
#[derive(Debug)]
#[non_exhaustive]
pub enum AlgorithmError {
    /// There is no such algorithm.
    Unknown(Unknown),
    /// It is not cryptographic, or its digests are too short.
    Unfit(&'static str),
}

/// The error for an invalid origin: see [`check_origin`](crate::check_origin).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidOrigin;

/// The error in a line of a seal, a proof, a redacted manifest or a secret.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The file is empty.
    Empty,
    /// The file ends too early.
    Truncated,
    /// The file has another version of the format.
    Version(u32),
    /// The line is not the expected JSON.
    Json(serde_json::Error),
    /// The line is valid, but not in hashmill's canonical form.
    NotCanonical,
    /// The record is unreadable.
    Record(Why),
    /// The record is missing.
    RecordMissing,
    /// The proof has no records.
    NoRecords,
    /// A salt does not have 32 bytes.
    SaltLength,
    /// The seal has salts, but a record has none.
    SaltMissing,
    /// The seal has no salts, but a record has one.
    SaltUnexpected,
    /// A record has more siblings than a tree can have levels.
    Siblings,
    /// Algorithms are marked as guessed although there is no digest.
    Guessed,
    /// A hash has the wrong length for the algorithm.
    HashLength,
    /// The file is not a seal.
    NotASeal,
    /// The file is a checkpoint of another program.
    OtherCheckpoint,
    /// A line of a seal is missing; the value describes it.
    LineMissing(&'static str),
    /// Another line of a seal is expected; the value is its beginning.
    LineExpected(&'static str),
    /// The line is unknown in seals.
    LineUnknown,
    /// The line follows the end of a seal.
    LineAfterEnd,
    /// The origin is not allowed.
    Origin(InvalidOrigin),
    /// The algorithm can't be used.
    Algorithm(AlgorithmError),
    /// The root is not base64.
    RootEncoding,
    /// The root has the wrong length for the algorithm.
    RootLength,
    /// A number was expected.
    Number,
    /// A SHA-256 was expected.
    Sha256,
    /// A nonce was expected.
    Nonce,
    /// Nonces are not in the order of their leaves.
    NonceOrder,
    /// The seal has too many nonces.
    NonceCount,
    /// The secret is not 64 hexadecimal digits.
    Secret,
    /// The seal within a proof or a redacted manifest is invalid.
    Seal(Box<Fault>),
}

/// The reason why an outboard can't be created or used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutboardError {
    /// The file is shorter than an outboard's head.
    TooShort,
    /// The length of the file does not match its head.
    Length,
    /// The size of a group is invalid.
    Group,
    /// The root is not a BLAKE3 digest.
    Root,
    /// The range is empty, or ends after the content.
    Range {
        /// The length of the content in bytes.
        length: u64,
    },
}

/// A difference between two things that should be equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Difference {
    /// The records of the manifest are not those of the seal.
    Records {
        /// The number of records in the seal.
        sealed: u64,
        /// The current number of records.
        found: u64,
    },
    /// The case data of the manifest are not those of the seal.
    CaseChanged,
    /// The manifest has case data, but the seal has none.
    CaseAdded,
    /// The seal has case data, but the manifest has none.
    CaseRemoved,
    /// The manifest has equal records, but other bytes.
    Bytes,
    /// The seal and the manifest differ in something else.
    OwnRoot,
    /// The seal is not the trusted one.
    Seal {
        /// Its number of records.
        records: u64,
        /// The number of records of the trusted seal.
        trusted: u64,
    },
    /// The digest of the seal is not the trusted one.
    SealDigest,
    /// The trusted digest is the root of the tree, not the digest of the seal.
    TreeRoot,
    /// The manifest has fewer records than the older seal.
    Fewer(u64),
    /// The manifest does not begin with the records of the older seal.
    Beginning(u64),
    /// Two seals have different origins.
    Origins,
    /// Two seals have trees by different algorithms.
    Algorithms,
    /// The newer tree does not extend the older one.
    NotGrown,
    /// No record was selected for a proof.
    NoRecord,
    /// The record with this number, from 1, does not lead to the root.
    Proof(u64),
    /// The record with this number, from 1, lacks a salt or has an unexpected one.
    ProofSalt(u64),
    /// The number of records in a redacted manifest is not that of its seal.
    RedactedCount {
        /// The number of records and hashes in the redacted manifest.
        found: u64,
        /// The number of records in the seal.
        sealed: u64,
    },
    /// A redacted manifest does not lead to the root of its seal.
    RedactedRoot,
    /// A file became shorter while it was read.
    FileShrank,
    /// A file changed while it was read.
    FileChanged,
    /// The length of the file is not that in the outboard.
    FileLength {
        /// The length of the file in bytes.
        file: u64,
        /// The length of the outboard's content in bytes.
        outboard: u64,
    },
    /// A file is empty, but the root is not that of an empty file.
    EmptyRoot,
    /// The group of a file at this offset does not lead to the root.
    Group(u64),
    /// The outboard does not lead to the root above this offset.
    Pair(u64),
}

impl Error {
    /// Returns whether a comparison found a difference; otherwise nothing could be compared.
    pub fn is_difference(&self) -> bool {
        matches!(self, Error::Differs(_))
    }
}

impl Fault {
    /// Creates the error for this line, counted from 1.
    pub(crate) fn at(self, line: u64) -> Error {
        Error::Invalid { line, fault: self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(source) | Error::Write(source) => write!(f, "{source}"),
            Error::Thread(source) => write!(f, "cannot start a thread: {source}"),
            Error::Unusable(source) => write!(f, "{source}"),
            Error::Malformed(source) => write!(f, "{source}; a line that can't be read can't be sealed"),
            Error::Changed => f.write_str("the manifest changed while it was read"),
            Error::Algorithm(source) => write!(f, "{source}"),
            Error::Invalid { line, fault } => write!(f, "line {line}: {fault}"),
            Error::Outboard(source) => write!(f, "{source}"),
            Error::SecretMissing => f.write_str("the seal has salts: its secret is needed"),
            Error::SecretUnused => f.write_str("the seal has no salts: it needs no secret"),
            Error::NonceMissing => f.write_str("salts need a nonce for the first record"),
            Error::NoncesFull => {
                f.write_str("the older seal can't be continued again: make a new seal without it")
            }
            Error::SaltsIncomparable => {
                f.write_str("seals with salts can't be compared: their leaves are never equal")
            }
            Error::AlgorithmsIncomparable => f.write_str("seals by different algorithms can't be compared"),
            Error::Differs(difference) => write!(f, "{difference}"),
        }
    }
}

impl fmt::Display for AlgorithmError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AlgorithmError::Unknown(source) => write!(f, "{source}"),
            AlgorithmError::Unfit(name) => write!(f, "{name} is not fit for seals"),
        }
    }
}

impl fmt::Display for InvalidOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an origin has 1 to {MAX_ORIGIN} ASCII letters, digits and marks, without spaces and +")
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::Version(found) => {
                return write!(
                    f,
                    "version {found} is not supported: this hashmill reads version {VERSION}; make the file again"
                );
            }
            Fault::Json(source) => return write!(f, "{source}"),
            Fault::Record(why) => return write!(f, "{why}"),
            Fault::LineMissing(what) => return write!(f, "the {what} is missing"),
            Fault::LineExpected(start) => return write!(f, "expected a line \"{start}…\""),
            Fault::Origin(source) => return write!(f, "{source}"),
            Fault::Algorithm(source) => return write!(f, "{source}"),
            Fault::Seal(fault) => return write!(f, "its seal: {fault}"),
            Fault::Empty => "the file is empty",
            Fault::Truncated => "the file is cut short",
            Fault::NotCanonical => "not written as hashmill writes it",
            Fault::RecordMissing => "a record must follow this line",
            Fault::NoRecords => "the proof has no record",
            Fault::SaltLength => "a salt must have 32 bytes",
            Fault::SaltMissing => "the record has no salt",
            Fault::SaltUnexpected => "the record has a salt, but its seal has none",
            Fault::Siblings => "more siblings than a tree can have levels",
            Fault::Guessed => "\"guessed\" does not match the record",
            Fault::HashLength => "the hash has the wrong length",
            Fault::NotASeal => "not a seal",
            Fault::OtherCheckpoint => "no hashmill-seal line: this is a checkpoint of another program",
            Fault::LineUnknown => "a seal has no such line",
            Fault::LineAfterEnd => "a seal ends before this line",
            Fault::RootEncoding => "the root is not base64",
            Fault::RootLength => "the root does not have the length of the algorithm's digests",
            Fault::Number => "not a number",
            Fault::Sha256 => "not a SHA-256 of 64 hexadecimal digits",
            Fault::Nonce => "not a nonce: expected a leaf's number and 64 hexadecimal digits",
            Fault::NonceOrder => "nonces are not in order",
            Fault::NonceCount => "too many nonces",
            Fault::Secret => "not a secret of 64 hexadecimal digits",
        })
    }
}

impl fmt::Display for OutboardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OutboardError::TooShort => "not an outboard: it is too short",
            OutboardError::Length => "not an outboard of a file of the stated length, or cut short",
            OutboardError::Group => "a group must have 1 KiB times a power of two, at most 64 MiB",
            OutboardError::Root => "the root must have 32 bytes",
            OutboardError::Range { length } => {
                return write!(f, "the range is empty, or ends after the file's {length} bytes");
            }
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Difference::Records { sealed, found } => {
                f.write_str("the records are not those that were sealed")?;
                return counts(f, *found, *sealed);
            }
            Difference::Seal { records, trusted } => {
                f.write_str("the seal is not the expected one")?;
                return counts(f, *records, *trusted);
            }
            Difference::Fewer(count) => {
                return write!(f, "it has fewer than the {count} records of the older seal");
            }
            Difference::Beginning(count) => {
                return write!(f, "its first {count} records are not those of the older seal");
            }
            Difference::Proof(number) => return write!(f, "record {number} does not lead to the root"),
            Difference::ProofSalt(number) => {
                return write!(f, "record {number} has no salt, or has one although the seal has none");
            }
            Difference::RedactedCount { found, sealed } => {
                return write!(f, "{found} records and hashes, but {sealed} were sealed");
            }
            Difference::FileLength { file, outboard } => {
                return write!(f, "the file has {file} bytes, but the outboard is of a file of {outboard} bytes");
            }
            Difference::Group(at) => {
                return write!(f, "the file does not lead to the root, in the group at byte {at}");
            }
            Difference::Pair(at) => {
                return write!(f, "the outboard does not lead to the root, above byte {at}");
            }
            Difference::CaseChanged => "the records are those that were sealed, but the case data are not",
            Difference::CaseAdded => "the records are those that were sealed, but the case data were added",
            Difference::CaseRemoved => "the records are those that were sealed, but the case data were removed",
            Difference::Bytes => {
                "the records are those that were sealed, but other bytes of the file are not (its header, \
                 comments, or how records are written)"
            }
            Difference::OwnRoot => "the seal does not fit its own root",
            Difference::SealDigest => "the seal is not the one with this root",
            Difference::TreeRoot => {
                "the root of the tree alone does not say how many records there are: give the SHA-256 of the seal"
            }
            Difference::Origins => "the seals have different origins",
            Difference::Algorithms => "the seals have trees by different algorithms",
            Difference::NotGrown => "the newer tree does not extend the older one",
            Difference::NoRecord => "no record was selected",
            Difference::RedactedRoot => "the records do not lead to the root",
            Difference::FileShrank => "the file became shorter while it was read",
            Difference::FileChanged => "the file changed while it was read",
            Difference::EmptyRoot => "the file is empty, but the root is not that of an empty file",
        })
    }
}

/// Writes the two numbers of records, if they differ.
fn counts(f: &mut fmt::Formatter<'_>, found: u64, wanted: u64) -> fmt::Result {
    if found == wanted { Ok(()) } else { write!(f, " ({found} records, not {wanted})") }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Error::Io(source) | Error::Write(source) | Error::Thread(source) => Some(source),
            Error::Unusable(source) => Some(source),
            Error::Malformed(source) => Some(source),
            _ => None,
        }
    }
}

impl error::Error for InvalidOrigin {}

impl From<io::Error> for Error {
    fn from(source: io::Error) -> Self {
        Error::Io(source)
    }
}

impl From<Difference> for Error {
    fn from(difference: Difference) -> Self {
        Error::Differs(difference)
    }
}

impl From<OutboardError> for Error {
    fn from(source: OutboardError) -> Self {
        Error::Outboard(source)
    }
}
