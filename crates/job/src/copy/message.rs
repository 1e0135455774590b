//! The messages between the threads of a copy.

use super::answer::Answer;
use super::attributes::PropertySource;
use super::naming::Name;
use super::room::HeldBytes;
use hashmill_manifest::Record;
use hashmill_output::Unfinished;
use std::path::PathBuf;
use std::sync::Arc;

/// The number of a stream of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StreamNumber(pub(super) u64);

/// A message to a writer.
#[derive(Debug)]
pub(super) enum Message {
    /// A file begins, whose copy has this name.
    Begin(StreamNumber, Option<Name>),
    /// Its next bytes.
    Bytes(StreamNumber, Arc<HeldBytes>),
    /// All bytes came.
    End(StreamNumber),
    /// The file was not read to its end.
    Abandoned(StreamNumber),
    /// The result of an entry. Results come in the order of the walk.
    Result(Arc<CopiedEntry>),
}

/// The result of an entry of the sources.
#[derive(Debug)]
pub(super) struct CopiedEntry {
    /// The name of its copy; `None` if it has none.
    pub(super) name: Option<Name>,
    pub(super) kind: EntryKind,
}

/// The kinds of what is copied.
#[derive(Debug)]
pub(super) enum EntryKind {
    /// A file that was read whole, with its stream and what it is besides its bytes.
    File(StreamNumber, Box<Record>, PropertySource),
    /// A second name, read in this stream, of the file whose copy has that name.
    SecondName(StreamNumber, Name),
    /// A symbolic link with this target.
    Link(PathBuf),
    /// A folder without entries.
    Folder,
    /// Something without a copy.
    None(Option<StreamNumber>),
}

/// The copy of an entry on its way to its name.
#[derive(Debug)]
pub(super) enum Copied {
    /// A new file that is on the disk and closed, and has no name yet.
    New(Unfinished, Arc<CopiedEntry>),
    /// A file that was there before, at this path.
    Old(PathBuf, Arc<CopiedEntry>),
    /// A file whose copy has the first name, and gets the second.
    SecondName(Name, Name),
    /// An entry that needs no reading.
    Done(Answer),
}
