//! Joining of consecutive records of one file: lists have a line for each digest of a file.

use super::source::RecordSource;
use crate::error::Error;
use hashloom_manifest::{Record, Status};

/// An iterator that joins consecutive records of the same file with different algorithms.
pub(crate) struct Joined<I> {
    records: I,
    waiting: Option<Record>,
}

impl<I: Iterator<Item = Result<Record, Error>>> Joined<I> {
    /// Wraps an iterator of records.
    pub(crate) fn new(records: I) -> Self {
        Joined { records, waiting: None }
    }

    /// Returns the iterator, which is one record ahead.
    pub(crate) fn records(&self) -> &I {
        &self.records
    }
}

impl<I: Iterator<Item = Result<Record, Error>>> Iterator for Joined<I> {
    type Item = Result<Record, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let next = match self.records.next() {
                Some(Ok(record)) => record,
                Some(Err(error)) => return Some(Err(error)),
                None => return self.waiting.take().map(Ok),
            };
            match &mut self.waiting {
                Some(waiting) if complements(waiting, &next) => join(waiting, &next),
                waiting => {
                    if let Some(done) = waiting.replace(next) {
                        return Some(Ok(done));
                    }
                }
            }
        }
    }
}

impl<I: Iterator<Item = Result<Record, Error>>> RecordSource for Joined<I> {}

/// Returns whether two records can be joined.
fn complements(one: &Record, other: &Record) -> bool {
    let same = one.path == other.path && one.piece == other.piece;
    let hashed = one.status == Status::Hashed && other.status == Status::Hashed;
    let sizes = one.size.zip(other.size).is_none_or(|(one, other)| one == other);
    let fresh = other.digests.iter().all(|named| one.digest(named.algorithm).is_none());
    let versions = one.version.as_ref().zip(other.version.as_ref()).is_none_or(|(one, other)| one == other);
    let kin = one.likeness.is_empty() || other.likeness.is_empty();
    same && hashed && sizes && versions && fresh && kin && one.bad_blocks == other.bad_blocks
}

/// Adds to a record what only the other one has.
pub(crate) fn join(one: &mut Record, other: &Record) {
    for named in &other.digests {
        if one.digest(named.algorithm).is_none() {
            one.digests.push(*named);
        }
    }
    for likeness in &other.likeness {
        if one.likeness.iter().all(|known| known.algorithm != likeness.algorithm) {
            one.likeness.push(likeness.clone());
        }
    }
    one.size = one.size.or(other.size);
    one.mtime = one.mtime.or(other.mtime);
    one.version = one.version.take().or_else(|| other.version.clone());
    one.label = one.label.take().or_else(|| other.label.clone());
}
