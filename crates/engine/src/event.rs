//! The results that a run passes to its caller.

use crate::hash::DigestValues;
use hashmill_manifest::{FileAttributes, Metadata, Piece, Record, Status, Time};
use hashmill_source::{Entry, Error, Meta, Problem, Reader, Skip, WalkItem};
use std::time::{SystemTime, UNIX_EPOCH};

/// A result that the sink receives.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "the sink gets one at a time")]
pub enum EngineEvent {
    /// A piece of a file. Pieces come in order, before the file's [`EngineEvent::Done`].
    Piece(Record),
    /// The end of an entry.
    Done(EntryResult),
}

/// One input of a run.
#[derive(Debug)]
pub enum RunItem {
    /// An entry that a walk found, to be read.
    Walked(WalkItem),
    /// The result of an entry that is known without reading it. It is passed on in its place.
    Known(Box<EntryResult>),
}

impl RunItem {
    /// Returns the file, if one is to be read.
    pub(crate) fn file(&self) -> Option<&Entry> {
        if let RunItem::Walked(WalkItem::File(entry)) = self { Some(entry) } else { None }
    }

    /// Returns the file to be read, or the result if there is none.
    pub(crate) fn resolve(self) -> Result<Entry, Box<EntryResult>> {
        match self {
            RunItem::Walked(WalkItem::File(entry)) => Ok(entry),
            RunItem::Walked(WalkItem::Skipped { path, why }) => Err(EntryResult::skipped(path, why).into()),
            RunItem::Walked(WalkItem::Failed(error)) => Err(EntryResult::failed(error).into()),
            RunItem::Known(outcome) => Err(outcome),
        }
    }
}

impl From<WalkItem> for RunItem {
    fn from(found: WalkItem) -> RunItem {
        RunItem::Walked(found)
    }
}

/// The result of one entry.
#[derive(Debug)]
pub struct EntryResult {
    /// The entry's record: digests of the whole file (none if the plan wants only pieces), or a status that says why
    /// there are none.
    pub record: Record,
    /// The file's metadata, if it was opened.
    pub meta: Option<Meta>,
    /// Whether all bytes came from the medium, if the plan's [`Reading`](hashmill_source::Reading) asks for that.
    pub is_fresh: bool,
    /// The time just before the file was opened, if it is a file at a path.
    pub opened: Option<Time>,
    /// The reason why the record has no digests.
    pub trouble: Option<Trouble>,
}

/// The reason why a record has no digests.
#[derive(Debug)]
pub enum Trouble {
    /// The plan leaves the entry out.
    Skipped(Skip),
    /// The file could not be read, or changed.
    Failed(Error),
}

/// The metadata of a file that was read.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) meta: Meta,
    /// The time just before it was opened, if it is a file at a path.
    pub(crate) opened: Option<SystemTime>,
    /// The object version, if the store has versions.
    pub(crate) version: Option<Box<str>>,
    /// Whether the bytes came from the medium.
    pub(crate) is_fresh: bool,
}

impl Read {
    /// Copies the metadata from a reader.
    pub(crate) fn from_reader(reader: &Reader) -> Read {
        Read {
            meta: *reader.meta(),
            opened: reader.opened(),
            version: reader.version(),
            is_fresh: reader.is_fresh(),
        }
    }
}

/// The result of hashing a file or a piece.
pub(crate) struct Hashed {
    pub(crate) digests: DigestValues,
    /// Parts that could not be read and were hashed as zeros.
    pub(crate) bad_blocks: Box<[Piece]>,
}

impl EntryResult {
    pub(crate) fn hashed(path: Box<[u8]>, size: u64, read: Read, hashed: Hashed) -> Self {
        let Read { meta, opened, version, is_fresh } = read;
        let mtime = Some(Time { seconds: meta.mtime.0, nanoseconds: meta.mtime.1 });
        let record = Record { mtime, version, ..hashed_record(path, size, hashed) };
        EntryResult { record, meta: Some(meta), opened: opened.and_then(since_1970), is_fresh, trouble: None }
    }

    /// Returns the metadata that show whether the file changed since it was read; `None` of anything but a file at a
    /// path.
    pub fn metadata(&self) -> Option<Metadata> {
        let (meta, read) = (self.meta?, self.opened?);
        let ctime = Time { seconds: meta.ctime.0, nanoseconds: meta.ctime.1 };
        Some(Metadata {
            ctime: Some(ctime),
            inode: Some(meta.ino),
            device: Some(meta.dev),
            read: Some(read),
            attributes: FileAttributes::new(meta.attributes),
            ..Metadata::default()
        })
    }

    pub(crate) fn skipped(path: Box<[u8]>, why: Skip) -> Self {
        Self::unread(bare(path, Status::Skipped, why.word()), Trouble::Skipped(why))
    }

    pub(crate) fn failed(error: Error) -> Self {
        let changed = matches!(error.problem, Problem::Changed { .. });
        let status = if changed { Status::Changed } else { Status::Unreadable };
        Self::unread(bare(error.path.clone(), status, &error.problem.word()), Trouble::Failed(error))
    }

    fn unread(record: Record, trouble: Trouble) -> Self {
        EntryResult { record, meta: None, opened: None, is_fresh: false, trouble: Some(trouble) }
    }
}

/// Returns a time since 1970; `None` of earlier ones, which no clock shows.
fn since_1970(time: SystemTime) -> Option<Time> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    Some(Time { seconds: i64::try_from(since.as_secs()).ok()?, nanoseconds: since.subsec_nanos() })
}

fn bare(path: Box<[u8]>, status: Status, reason: &str) -> Record {
    Record { reason: Some(reason.into()), ..Record::bare(path, status) }
}

/// Makes the record of a piece.
pub(crate) fn piece_record(path: &[u8], piece: Piece, hashed: Hashed) -> Record {
    Record { piece: Some(piece), ..hashed_record(path.into(), piece.length, hashed) }
}

fn hashed_record(path: Box<[u8]>, size: u64, hashed: Hashed) -> Record {
    let Hashed { digests: DigestValues { named: digests, likeness, leaves, mut facts, asked }, bad_blocks } =
        hashed;
    facts.judge(asked, &path, size);
    let facts = (!facts.is_empty()).then(|| Box::new(facts));
    let leaves = leaves.into();
    let size = Some(size);
    Record { size, digests, likeness, facts, leaves, bad_blocks, ..Record::bare(path, Status::Hashed) }
}
