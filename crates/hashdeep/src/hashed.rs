//! What is known of a file, or a piece of one, when it is to be shown.

use crate::kinds::{Kind, Kinds};
use crate::walk::Facts;
use hashloom_digest::{Digest, hash};
use hashloom_manifest::Record;

/// A file or a piece of one.
pub struct Hashed<'a> {
    /// Its name as it is compared: the path, or the bare name.
    pub name: &'a [u8],
    /// Its digests.
    pub digests: Digests,
    /// Where it lies in the file. Of files that were not read nothing is known.
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
    Made(Vec<(Kind, Digest)>),
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
    pub fn of(record: &Record, kinds: Kinds) -> Digests {
        let digest = |kind: Kind| record.digest(kind.algorithm()).map(|digest| (kind, *digest));
        Digests::Made(kinds.iter().filter_map(digest).collect())
    }

    /// Those of no bytes at all.
    pub fn of_nothing(kinds: Kinds) -> Digests {
        Digests::Made(kinds.iter().map(|kind| (kind, hash(kind.algorithm(), b""))).collect())
    }

    /// The digest of a kind as text.
    pub fn text(&self, kind: Kind) -> String {
        match self {
            Digests::Stars => "*".repeat(kind.digits()),
            Digests::Made(_) => self.get(kind).map(Digest::to_string).unwrap_or_default(),
        }
    }

    /// The digest of a kind.
    pub fn get(&self, kind: Kind) -> Option<&Digest> {
        match self {
            Digests::Stars => None,
            Digests::Made(made) => made.iter().find(|(made, _)| *made == kind).map(|(_, digest)| digest),
        }
    }
}
