//! A `fileobject` while it is read, and the records that come out of it.

use super::readable;
use crate::format::base64;
use crate::format::malformed::{Bad, Why};
use crate::{Named, Piece, Record, Status, Time};
use hashloom_digest::Algorithm;

/// A `fileobject` that is not closed yet.
#[derive(Default)]
pub(super) struct Object {
    pub path: Vec<u8>,
    pub path_b64: Option<Vec<u8>>,
    /// What a walk of a file system says it is (`name_type`).
    pub kind: Option<u8>,
    /// A walk of a file system found only its name: the file is deleted.
    pub deleted: bool,
    pub whole: Content,
    pub run: Option<(Piece, Content)>,
    /// Some record came out of it, or was malformed.
    pub told: bool,
}

/// Files of a walk that were empty and got no digest, until it is known which digests the walk made. fiwalk hashes
/// what it reads, and of an empty file it reads nothing: but the digest of nothing is known.
#[derive(Default)]
pub(super) struct EmptyFiles {
    algorithms: Vec<&'static Algorithm>,
    waiting: Vec<Record>,
}

/// Files that wait; more than that are told as not hashed. Walks have a digest within their first entries, or none.
const WAITING: usize = 4096;

impl EmptyFiles {
    /// Notes an algorithm that the document has digests of.
    pub fn note(&mut self, algorithm: &'static Algorithm) {
        if !self.algorithms.contains(&algorithm) {
            self.algorithms.push(algorithm);
        }
    }

    /// Takes the record of an empty file without a digest. It comes back if it is done.
    pub fn pass(&mut self, record: Record) -> Option<Record> {
        if self.algorithms.is_empty() && self.waiting.len() < WAITING {
            self.waiting.push(record);
            return None;
        }
        Some(self.hashed(record))
    }

    /// The records that waited for the first digest.
    pub fn known(&mut self) -> Vec<Record> {
        if self.algorithms.is_empty() { Vec::new() } else { self.rest() }
    }

    /// All records that still wait.
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
            digest: hashloom_digest::hash(algorithm, b""),
            guessed: false,
        };
        Record { status: Status::Hashed, digests: self.algorithms.iter().map(nothing).collect(), ..record }
    }
}

/// What is said of a file or a piece.
#[derive(Default)]
pub(super) struct Content {
    pub size: Option<u64>,
    pub mtime: Option<Time>,
    pub status: Option<Status>,
    pub digests: Vec<Named>,
}

impl Object {
    /// What the next text belongs to.
    pub fn content(&mut self) -> &mut Content {
        match &mut self.run {
            Some((_, content)) => content,
            None => &mut self.whole,
        }
    }

    /// Whether it is a file: directories, links and devices of a walk are none, nor are its virtual
    /// directories.
    pub fn is_file(&self) -> bool {
        matches!(self.kind, None | Some(b'r' | b'-' | b'v'))
    }

    /// Whether the walk had no digest for it because there is nothing to read. Of a deleted file's size nothing is
    /// known.
    pub fn is_empty(&self) -> bool {
        let Content { size, status, digests, .. } = &self.whole;
        let walked = matches!(self.kind, Some(b'r' | b'-')) && !self.deleted;
        walked && *size == Some(0) && status.is_none() && digests.is_empty()
    }

    pub fn record(&self, content: Content, piece: Option<Piece>) -> Result<Record, Bad> {
        let Content { size, mtime, status, digests } = content;
        let status = match (status, digests.is_empty()) {
            // A walk names files that it did not hash: empty ones, or all of them.
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
            digests,
            likeness: Vec::new(),
            leaves: Box::default(),
            bad_blocks: Box::default(),
            label: None,
        })
    }

    fn name(&self) -> Result<Box<[u8]>, Bad> {
        if self.path.is_empty() {
            return Err(Bad::new("filename", Why::Missing));
        }
        let Some(text) = &self.path_b64 else { return Ok(self.path.as_slice().into()) };
        let bytes = base64::decode(text)?;
        let agrees = readable(&bytes).as_bytes() == self.path;
        agrees.then(|| bytes.into()).ok_or(Bad::new("filename", Why::Disagrees))
    }
}

impl Content {
    pub fn says_something(&self) -> bool {
        self.status.is_some() || !self.digests.is_empty()
    }

    /// Takes a digest; no algorithm twice, which also bounds how many there are.
    pub fn add(&mut self, named: Named) -> Result<(), Bad> {
        if self.digests.iter().any(|known| known.algorithm == named.algorithm) {
            return Err(Bad::new("hashdigest", Why::Twice));
        }
        self.digests.push(named);
        Ok(())
    }
}
