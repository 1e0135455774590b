//! Errors of sealing and of comparing with what was sealed.

use hashmill_digest::Algorithm;
use hashmill_seal::{Error, Text};
use hashmill_terminal::Shown;
use std::{fmt, io};

/// An error of sealing, or of comparing with what was sealed.
#[derive(Debug)]
#[non_exhaustive]
pub enum SealError {
    /// A file differs from what was sealed.
    Differs {
        /// The path of the file.
        path: Box<[u8]>,
        /// The difference.
        difference: Text,
    },
    /// The older seal of a proof is not the expected one.
    OldDiffers {
        /// The path of the proof.
        path: Box<[u8]>,
        /// The difference.
        difference: Text,
    },
    /// A file can't be sealed or compared.
    Unusable {
        /// The path of the file.
        path: Box<[u8]>,
        /// The reason.
        why: Box<Error>,
    },
    /// A manifest has no record with this path.
    NoRecord {
        /// The path of the manifest.
        manifest: Box<[u8]>,
        /// The path that was looked up.
        path: Box<[u8]>,
    },
    /// The older seal would be overwritten.
    SameFile(Box<[u8]>),
    /// The older seal can't be continued.
    Successor(Error),
    /// The algorithm can't be used for a tree.
    Algorithm(Error),
    /// The system provides no random numbers.
    Random(io::Error),
    /// Neither a seal nor a root is given that a redacted manifest belongs to.
    WhichSeal(Box<[u8]>),
    /// Neither an older seal nor its root is given that a proof of growth continues.
    WhichOlder(Box<[u8]>),
    /// A proof is not a proof of growth, so it has no older seal.
    NotGrowth(Box<[u8]>),
    /// A proof covers several files.
    SeveralFiles,
    /// This glob of a redaction matches no record.
    NothingMatches(Box<str>),
    /// Nothing names the algorithm of a digest that a file is compared with.
    Guessed {
        /// The path of the record.
        path: Box<[u8]>,
        /// The length of the digest in bits.
        bits: u32,
    },
    /// The given algorithm has digests of another length.
    OtherLength {
        /// The path of the record.
        path: Box<[u8]>,
        /// The length of the digest in bits.
        bits: u32,
        /// The given algorithm.
        algorithm: &'static Algorithm,
    },
    /// An outboard is requested for something that is not a file.
    NotAFile(Box<[u8]>),
    /// Two manifests, or seals, can't be compared.
    Incomparable {
        /// The path of the first one.
        first: Box<[u8]>,
        /// The path of the second one.
        second: Box<[u8]>,
        /// The reason.
        why: Box<Error>,
    },
    /// The caller ended the operation.
    Interrupted,
}

impl SealError {
    /// Returns whether something was compared and found to differ; otherwise nothing could be compared.
    pub fn is_difference(&self) -> bool {
        use SealError::{Differs, NoRecord, OldDiffers};
        matches!(self, Differs { .. } | OldDiffers { .. } | NoRecord { .. })
    }
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SealError::Differs { path, difference } => write!(f, "{}: {difference}", Shown(path)),
            SealError::OldDiffers { path, difference } => {
                write!(f, "{}: the older seal: {difference}", Shown(path))
            }
            SealError::Unusable { path, why } => write!(f, "{}: {why}", Shown(path)),
            SealError::NoRecord { manifest, path } => {
                write!(f, "{}: no record has the path {}", Shown(manifest), Shown(path))
            }
            SealError::SameFile(path) => write!(f, "{} would be overwritten", Shown(path)),
            SealError::Successor(why) | SealError::Algorithm(why) => why.fmt(f),
            SealError::Random(source) => write!(f, "the system gives no random numbers: {source}"),
            SealError::WhichSeal(path) => {
                write!(f, "{}: which seal does the redacted manifest belong to?", Shown(path))
            }
            SealError::WhichOlder(path) => write!(f, "{}: which older seal does it continue?", Shown(path)),
            SealError::NotGrowth(path) => {
                write!(f, "{}: is not a proof that a manifest continues an older one", Shown(path))
            }
            SealError::NothingMatches(glob) => write!(f, "no record has a path that matches '{glob}'"),
            SealError::SeveralFiles => f.write_str("the proof covers several files"),
            SealError::Guessed { path, bits } => write!(
                f,
                "{}: the sealed list does not name the algorithm of its digest of {bits} bits, and a guess proves nothing",
                Shown(path)
            ),
            SealError::OtherLength { path, bits, algorithm } => write!(
                f,
                "{}: its digest has {bits} bits, but one by {} has {}",
                Shown(path),
                algorithm.name,
                algorithm.bits
            ),
            SealError::NotAFile(path) => write!(f, "{}: is not a file", Shown(path)),
            SealError::Incomparable { first, second, why } => {
                write!(f, "{}, {}: {why}", Shown(first), Shown(second))
            }
            SealError::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for SealError {}
