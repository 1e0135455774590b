//! A hashed file, or a piece of one, ready to be shown.

use crate::algorithm::{Algorithm, AlgorithmSet};
use crate::walk::Facts;
use hashloom_digest::{Digest, hash};
use hashloom_manifest::Record;

/// A file or a piece of one.
pub struct Hashed<'a> {
    /// Its name as it is compared: the path, or the bare name.
    pub name: &'a [u8],
    /// Its digests.
    pub digests: Digests,
    /// Where it lies in the file; none if the file was not read.
    pub span: Option<Span>,
    /// Bytes of the file up to the end of this.
    pub total: u64,
    /// What the file was when it was met.
    pub facts: &'a Facts,
    /// What triage puts before the line.
    pub triage: Option<String>,
}

/// A stretch of a file.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Its first byte.
    pub offset: u64,
    /// Its bytes.
    pub length: u64,
}

/// The digests of one thing.
pub enum Digests {
    /// As computed.
    Computed(Vec<(Algorithm, Digest)>),
    /// Stars, for files above the size limit.
    Stars,
}

impl Span {
    /// The words behind the name. The last byte of an empty file is shown as its first, that of an empty
    /// piece at the end as the one before it.
    pub fn words(self) -> String {
        let last = (self.offset + self.length).saturating_sub(1);
        format!(" offset {}-{last}", self.offset)
    }

    /// The words behind the name of a match: the last byte of an empty file is the one before its first,
    /// in 64 bits.
    pub fn bare_words(self) -> String {
        let last = (self.offset + self.length).wrapping_sub(1);
        format!(" offset {}-{last}", self.offset)
    }
}

impl Digests {
    /// Those of a record.
    pub fn of(record: &Record, algorithms: AlgorithmSet) -> Digests {
        let digest = |algorithm: Algorithm| record.digest(algorithm.row()).map(|digest| (algorithm, *digest));
        Digests::Computed(algorithms.iter().filter_map(digest).collect())
    }

    /// Those of no bytes at all.
    pub fn of_nothing(algorithms: AlgorithmSet) -> Digests {
        Digests::Computed(
            algorithms.iter().map(|algorithm| (algorithm, hash(algorithm.row(), b""))).collect(),
        )
    }

    /// The digest of an algorithm as text.
    pub fn text(&self, algorithm: Algorithm) -> String {
        match self {
            Digests::Stars => "*".repeat(algorithm.digits()),
            Digests::Computed(_) => self.get(algorithm).map(Digest::to_string).unwrap_or_default(),
        }
    }

    /// The digest of an algorithm.
    pub fn get(&self, algorithm: Algorithm) -> Option<&Digest> {
        match self {
            Digests::Stars => None,
            Digests::Computed(made) => {
                made.iter().find(|(made, _)| *made == algorithm).map(|(_, digest)| digest)
            }
        }
    }
}
