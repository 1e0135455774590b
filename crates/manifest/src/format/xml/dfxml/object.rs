//! A `fileobject` under construction, and its records.

use super::readable;
use crate::format::malformed::{Bad, Why};
use crate::format::values::base64;
use crate::format::values::partial_facts::PartialFacts;
use crate::{Metadata, Named, Piece, Record, Status, Time};
use hashmill_digest::Algorithm;

/// A `fileobject` that is not closed yet.
#[derive(Default)]
pub(super) struct Object {
    pub path: Vec<u8>,
    pub path_b64: Option<Vec<u8>>,
    /// The kind of entry, from a walk of a file system (`name_type`).
    pub kind: Option<u8>,
    /// Whether the walk found only a name: the file is deleted.
    pub deleted: bool,
    pub whole: ObjectContent,
    pub run: Option<(Piece, ObjectContent)>,
    /// Whether it already yielded a record or an error.
    pub told: bool,
    /// The facts about an entry inside of another file, which only documents of our own tell from others.
    pub inside: Option<Box<Metadata>>,
    /// Whether a document of our own says what is left of a deleted file: then it has a record.
    pub is_ours: bool,
}

/// Empty files without digests, held until the walk's algorithms are known. fiwalk hashes nothing for an empty file,
/// but the digests of the empty input are known.
#[derive(Default)]
pub(super) struct EmptyFiles {
    algorithms: Vec<&'static Algorithm>,
    waiting: Vec<Record>,
}

/// The maximum number of files held; further ones are not hashed. A walk has a digest among its first entries or none.
const WAITING: usize = 4096;

impl EmptyFiles {
    /// Notes an algorithm of the document's digests.
    pub fn note(&mut self, algorithm: &'static Algorithm) {
        if !self.algorithms.contains(&algorithm) {
            self.algorithms.push(algorithm);
        }
    }

    /// Takes the record of an empty file without a digest; returns it once complete.
    pub fn pass(&mut self, record: Record) -> Option<Record> {
        if self.algorithms.is_empty() && self.waiting.len() < WAITING {
            self.waiting.push(record);
            return None;
        }
        Some(self.hashed(record))
    }

    /// Returns the held records, if an algorithm is known.
    pub fn known(&mut self) -> Vec<Record> {
        if self.algorithms.is_empty() { Vec::new() } else { self.rest() }
    }

    /// Returns all records that are still held.
    pub fn rest(&mut self) -> Vec<Record> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().map(|record| self.hashed(record)).collect()
    }

    fn hashed(&self, record: Record) -> Record {
        if self.algorithms.is_empty() {
            return record;
        }
        let nothing = |algorithm: &&'static Algorithm| Named {
            algorithm,
            digest: hashmill_digest::hash(algorithm, b""),
            guessed: false,
        };
        Record { status: Status::Hashed, digests: self.algorithms.iter().map(nothing).collect(), ..record }
    }
}

/// The content of a file or a piece.
#[derive(Default)]
pub(super) struct ObjectContent {
    pub size: Option<u64>,
    pub mtime: Option<Time>,
    pub status: Option<Status>,
    pub digests: Vec<Named>,
    pub facts: PartialFacts,
}

impl Object {
    /// Returns the content to which the next text belongs.
    pub fn content(&mut self) -> &mut ObjectContent {
        match &mut self.run {
            Some((_, content)) => content,
            None => &mut self.whole,
        }
    }

    /// Returns whether it is a file and not a directory, link, device or virtual directory of a walk.
    pub fn is_file(&self) -> bool {
        matches!(self.kind, None | Some(b'r' | b'-' | b'v'))
    }

    /// Returns whether it is of another program's walk of a medium, which found it deleted: so it is no file of the tree.
    pub fn is_unallocated(&self) -> bool {
        self.deleted && !self.is_ours
    }

    /// Returns whether the walk has no digest because the file is empty. The size of a deleted file is unknown.
    pub fn is_empty(&self) -> bool {
        let ObjectContent { size, status, digests, .. } = &self.whole;
        let walked = matches!(self.kind, Some(b'r' | b'-')) && !self.deleted;
        walked && *size == Some(0) && status.is_none() && digests.is_empty()
    }

    pub fn record(&self, content: ObjectContent, piece: Option<Piece>) -> Result<Record, Bad> {
        let ObjectContent { size, mtime, status, digests, facts } = content;
        let status = match (status, digests.is_empty()) {
            // A walk also lists files that it did not hash: empty ones, or all of them.
            (None, true) if self.kind.is_some() => Status::Skipped,
            (None | Some(Status::Hashed), true) => return Err(Bad::new("hashdigest", Why::Missing)),
            (None | Some(Status::Hashed), false) => Status::Hashed,
            (Some(status), true) => status,
            (Some(_), false) => return Err(Bad::new("error", Why::Contradicts)),
        };
        let size = piece.map_or(size, |piece| Some(piece.length));
        Ok(Record {
            path: self.name()?,
            size,
            status,
            reason: None,
            version: None,
            piece,
            mtime,
            metadata: if piece.is_none() { self.inside.clone() } else { None },
            digests,
            likeness: Vec::new(),
            facts: facts.finish().filter(|_| status == Status::Hashed),
            leaves: Box::default(),
            bad_blocks: Box::default(),
            label: None,
        })
    }

    pub fn name(&self) -> Result<Box<[u8]>, Bad> {
        if self.path.is_empty() {
            return Err(Bad::new("filename", Why::Missing));
        }
        let Some(text) = &self.path_b64 else { return Ok(self.path.as_slice().into()) };
        let bytes = base64::decode(text)?;
        let agrees = readable(&bytes).as_bytes() == self.path;
        agrees.then(|| bytes.into()).ok_or(Bad::new("filename", Why::Disagrees("path_b64")))
    }
}

impl ObjectContent {
    pub fn says_something(&self) -> bool {
        self.status.is_some() || !self.digests.is_empty()
    }

    /// Adds a digest. Duplicate algorithms are errors, which also bounds the number of digests.
    pub fn add(&mut self, named: Named) -> Result<(), Bad> {
        if self.digests.iter().any(|known| known.algorithm == named.algorithm) {
            return Err(Bad::new("hashdigest", Why::Twice));
        }
        self.digests.push(named);
        Ok(())
    }
}
