//! What a run gives its caller.

use hashloom_digest::{Algorithm, Digest};
use hashloom_manifest::{Likeness, Named, Piece, Record, Status, Time};
use hashloom_source::{Error, Meta, Problem, Skip};

/// One step of a run, as the sink sees it.
#[derive(Debug)]
pub enum Event {
    /// A piece of a file, in order. The file's [`Event::Done`] follows its pieces.
    Piece(Record),
    /// An entry is done.
    Done(Outcome),
}

/// What became of one entry.
#[derive(Debug)]
pub struct Outcome {
    /// The entry's record: digests of the whole file (none if the plan wants only pieces), or the status
    /// that it could not be hashed.
    pub record: Record,
    /// The file's metadata, if it was opened.
    pub meta: Option<Meta>,
    /// Why the record has no digests.
    pub trouble: Option<Trouble>,
}

/// Why a record has no digests.
#[derive(Debug)]
pub enum Trouble {
    /// It was not to be read.
    Skipped(Skip),
    /// It could not be read, or changed.
    Failed(Error),
}

/// What was found of a file that was read.
pub(crate) struct Found {
    pub(crate) digests: Digests,
    /// What of it is zeros because it could not be read.
    pub(crate) bad_blocks: Box<[Piece]>,
}

impl Outcome {
    pub(crate) fn hashed(path: Box<[u8]>, size: u64, meta: Meta, found: Found) -> Self {
        let mtime = Some(Time { seconds: meta.mtime.0, nanoseconds: meta.mtime.1 });
        let Found { digests: Digests { named: digests, likeness }, bad_blocks } = found;
        let record = Record {
            path,
            size: Some(size),
            status: Status::Hashed,
            reason: None,
            piece: None,
            mtime,
            digests,
            likeness,
            bad_blocks,
            label: None,
        };
        Outcome { record, meta: Some(meta), trouble: None }
    }

    pub(crate) fn skipped(path: Box<[u8]>, why: Skip) -> Self {
        let record = bare(path, Status::Skipped, why.word());
        Outcome { record, meta: None, trouble: Some(Trouble::Skipped(why)) }
    }

    pub(crate) fn failed(error: Error) -> Self {
        let changed = matches!(error.problem, Problem::Changed { .. });
        let status = if changed { Status::Changed } else { Status::Unreadable };
        let record = bare(error.path.clone(), status, &error.problem.word());
        Outcome { record, meta: None, trouble: Some(Trouble::Failed(error)) }
    }
}

fn bare(path: Box<[u8]>, status: Status, reason: &str) -> Record {
    Record { reason: Some(reason.into()), ..Record::bare(path, status) }
}

/// All digests of a file or of a piece, in the order of the plan.
#[derive(Debug, Default)]
pub(crate) struct Digests {
    pub(crate) named: Vec<Named>,
    pub(crate) likeness: Vec<Likeness>,
}

/// One of them.
#[derive(Debug)]
pub(crate) enum Value {
    Digest(Named),
    Likeness(Likeness),
}

impl FromIterator<Value> for Digests {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut digests = Digests::default();
        for value in values {
            match value {
                Value::Digest(named) => digests.named.push(named),
                Value::Likeness(likeness) => digests.likeness.push(likeness),
            }
        }
        digests
    }
}

/// A digest that is certain of its algorithm.
pub(crate) fn named(algorithm: &'static Algorithm, digest: Digest) -> Named {
    Named { algorithm, digest, guessed: false }
}
