//! Joining of consecutive records of one file: lists have a line for each digest of a file.

use super::source::RecordSource;
use crate::error::Error;
use hashmill_manifest::{Metadata, Record, Status};

/// An iterator that joins consecutive records of the same file with different algorithms.
pub(crate) struct Joined<I> {
    pub(crate) records: I,
    waiting: Option<Record>,
}

impl<I: Iterator<Item = Result<Record, Error>>> Joined<I> {
    /// Wraps an iterator of records.
    pub(crate) fn new(records: I) -> Self {
        Joined { records, waiting: None }
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
    let labels = one.label.as_ref().zip(other.label.as_ref()).is_none_or(|(one, other)| one == other);
    let times = one.mtime.zip(other.mtime).is_none_or(|(one, other)| one == other);
    let content = sizes && fresh && kin && other.leaves.is_empty() && one.bad_blocks == other.bad_blocks;
    let facts = one.facts.as_ref().zip(other.facts.as_ref()).is_none_or(|(one, other)| one == other);
    same && hashed && content && facts && versions && labels && times && one.reason == other.reason
}

/// Adds to a record what only the other one has.
pub(crate) fn join(one: &mut Record, other: &Record) {
    if has_more(other, one) {
        one.metadata = metadata_of_both(one, other);
    }
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
    one.facts = one.facts.take().or_else(|| other.facts.clone());
    one.label = one.label.take().or_else(|| other.label.clone());
}

/// Returns whether a record has digests by algorithms that the other one lacks.
fn has_more(record: &Record, other: &Record) -> bool {
    let likeness = |row| other.likeness.iter().any(|known| known.algorithm == row);
    record.digests.iter().any(|named| other.digest(named.algorithm).is_none())
        || record.likeness.iter().any(|kin| !likeness(kin.algorithm))
}

/// Returns the metadata of the file that both records are of. If they are of different states of it, there are none: a
/// later run must not take all digests for those of one of the states.
fn metadata_of_both(one: &Record, other: &Record) -> Option<Box<Metadata>> {
    let (ours, theirs) = (one.metadata.as_deref()?, other.metadata.as_deref()?);
    let state = |of: &Metadata| (of.ctime, of.inode, of.device);
    let is_same = one.mtime == other.mtime && state(ours) == state(theirs);
    let read = ours.read.min(theirs.read);
    is_same.then(|| Box::new(Metadata { read, reused: ours.reused || theirs.reused, ..ours.clone() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashmill_digest::{Digest, find};
    use hashmill_manifest::{Named, Time};

    #[test]
    fn digests_of_different_states_of_a_file_get_no_metadata() {
        let time = |seconds| Some(Time { seconds, nanoseconds: 0 });
        let record = |name: &str, ctime, read| {
            let algorithm = find(name).unwrap();
            let digest = Digest::new(&vec![1; algorithm.bits as usize / 8]);
            let (inode, device, read) = (Some(1), Some(2), time(read));
            let metadata = Metadata { ctime: time(ctime), inode, device, read, ..Metadata::default() };
            let named = Named { algorithm, digest, guessed: false };
            let record = Record::hashed(b"a".as_slice().into(), Some(1), vec![named]);
            Record { metadata: Some(Box::new(metadata)), ..record }
        };
        let joined = |other: &Record| {
            let mut one = record("md5", 10, 20);
            join(&mut one, other);
            one.metadata.map(|metadata| metadata.read)
        };
        assert_eq!(joined(&record("sha256", 10, 19)), Some(time(19)));
        assert_eq!(joined(&record("sha256", 11, 21)), None);
        assert_eq!(joined(&Record { metadata: None, ..record("sha256", 10, 20) }), None);
        assert_eq!(joined(&Record { mtime: time(1), ..record("sha256", 10, 20) }), None);
        // A record without further digests says nothing of these.
        assert_eq!(joined(&record("md5", 11, 21)), Some(time(20)));
    }
}
