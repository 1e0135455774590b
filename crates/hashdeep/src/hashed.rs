//! A hashed file, or a piece of one, ready to be shown.

use crate::algorithm::{Algorithm, AlgorithmSet};
use crate::walk::Facts;
use hashmill_digest::{Digest, hash};
use hashmill_manifest::Record;

/// A hashed file or piece.
pub struct Hashed<'a> {
    /// The name for comparisons: the path, or the bare name.
    pub name: &'a [u8],
    pub digests: HashedDigests,
    /// Its range in the file; `None` if the file was not read.
    pub span: Option<Span>,
    /// The number of bytes of the file up to its end.
    pub total: u64,
    /// The metadata of the file.
    pub facts: &'a Facts,
    /// The text that triage puts before the line.
    pub triage: Option<String>,
}

/// A range of a file.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    pub offset: u64,
    pub length: u64,
}

/// The digests of a file or piece.
pub enum HashedDigests {
    Computed(Vec<(Algorithm, Digest)>),
    /// Stars, for files above the size limit.
    Stars,
}

impl Span {
    /// Returns the suffix of the name. The last byte of an empty file is shown as its first, that of an empty piece at
    /// the end as the one before.
    pub fn words(self) -> String {
        let last = (self.offset + self.length).saturating_sub(1);
        format!(" offset {}-{last}", self.offset)
    }

    /// Returns the suffix of a matching name: the last byte of an empty file is the one before its first, in 64 bits.
    pub fn bare_words(self) -> String {
        let last = (self.offset + self.length).wrapping_sub(1);
        format!(" offset {}-{last}", self.offset)
    }
}

impl HashedDigests {
    /// Returns the digests of a record.
    pub fn from_record(record: &Record, algorithms: AlgorithmSet) -> HashedDigests {
        let digest = |algorithm: Algorithm| record.digest(algorithm.row()).map(|digest| (algorithm, *digest));
        HashedDigests::Computed(algorithms.iter().filter_map(digest).collect())
    }

    /// Returns the digests of the empty input.
    pub fn of_nothing(algorithms: AlgorithmSet) -> HashedDigests {
        HashedDigests::Computed(
            algorithms.iter().map(|algorithm| (algorithm, hash(algorithm.row(), b""))).collect(),
        )
    }

    /// Returns the digest of an algorithm as text.
    pub fn text(&self, algorithm: Algorithm) -> String {
        match self {
            HashedDigests::Stars => "*".repeat(algorithm.digits()),
            HashedDigests::Computed(_) => self.get(algorithm).map(Digest::to_string).unwrap_or_default(),
        }
    }

    pub fn get(&self, algorithm: Algorithm) -> Option<&Digest> {
        match self {
            HashedDigests::Stars => None,
            HashedDigests::Computed(made) => {
                made.iter().find(|(made, _)| *made == algorithm).map(|(_, digest)| digest)
            }
        }
    }
}
