//! The messages between the threads of a copy.

use super::answer::Answer;
use super::attributes::PropertySource;
use super::naming::Name;
use super::room::HeldBytes;
use crate::reuse::facts::FileFacts;
use hashmill_manifest::Record;
use hashmill_os::Spot;
use hashmill_output::Unfinished;
use std::path::PathBuf;
use std::sync::Arc;

/// The number of a stream of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StreamNumber(pub(super) u64);

/// A message to a writer.
#[derive(Debug)]
pub(super) enum Message {
    /// A file begins, whose copy has this name, and this size as far as that is known.
    Begin(StreamNumber, Option<Name>, Option<u64>),
    /// A file begins, with all its bytes, and ends. If more follow, it was longer than its size.
    Whole(StreamNumber, Option<Name>, Arc<HeldBytes>),
    /// Its next bytes.
    Bytes(StreamNumber, Arc<HeldBytes>),
    /// All bytes came.
    End(StreamNumber),
    /// The file was not read to its end.
    Abandoned(StreamNumber),
    /// The result of an entry. Results come in the order of the walk.
    Result(Arc<CopiedEntry>),
    /// No results follow. Others that could send messages may hang in a read.
    Close,
}

/// The result of an entry of the sources.
#[derive(Debug)]
pub(super) struct CopiedEntry {
    pub(super) path: Box<[u8]>,
    /// The name of its copy; `None` if it has none.
    pub(super) name: Option<Name>,
    pub(super) kind: EntryKind,
}

/// The kinds of what is copied.
#[derive(Debug)]
pub(super) enum EntryKind {
    /// A file that was read whole.
    File(Box<CopiedFile>),
    /// A file that an interrupted run has copied to all destinations and verified.
    Done(Box<Record>),
    /// A symbolic link with this target.
    Link(PathBuf),
    /// A folder without entries.
    Folder,
    /// Something without a copy, with its stream if it has one.
    None(Option<StreamNumber>),
    /// A file whose bytes did not come, for this reason.
    Lost(&'static str),
}

/// A file that was read whole.
#[derive(Debug)]
pub(super) struct CopiedFile {
    pub(super) stream: StreamNumber,
    /// The record of its bytes, with a digest that proves them.
    pub(super) record: Record,
    pub(super) origin: PropertySource,
    pub(super) names: Names,
    /// The facts that show later whether it changed since, if it is a file.
    pub(super) facts: Option<FileFacts>,
}

/// The names of a file among what is copied.
#[derive(Debug)]
pub(super) enum Names {
    /// It has one.
    One,
    /// It has several, of which this is the first; the number of the file.
    First(u64),
    /// Its first one is that of another entry.
    Second(SecondName),
    /// It has several, and there was no room to remember the first.
    Unlinked,
}

/// A name of a file that has another one among what is copied.
#[derive(Debug)]
pub(super) struct SecondName {
    /// The name of the first copy.
    pub(super) first: Name,
    /// The number of the file.
    pub(super) number: u64,
    /// Whether no other name follows.
    pub(super) is_last: bool,
}

/// The copy of an entry on its way to its name.
#[derive(Debug)]
pub(super) enum Copied {
    /// A new file that is on the disk and closed, and has no name yet.
    New(Unfinished, Arc<CopiedEntry>),
    /// A file that was there before, at this place.
    Old(Spot, Arc<CopiedEntry>),
    /// An entry that needs no reading.
    Done(Answer),
}

impl CopiedEntry {
    /// Returns what was read, if it is a file.
    pub(super) fn file(&self) -> Option<&CopiedFile> {
        if let EntryKind::File(file) = &self.kind { Some(file) } else { None }
    }
}
