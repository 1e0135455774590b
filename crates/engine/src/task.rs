//! Data that the walk, the queue, readers and workers exchange.

use crate::event::{EntryResult, Read, RunItem};
use hashmill_manifest::{Piece, Record};
use hashmill_source::{AlignedBytes, Entry, Reader};
use std::ops::Range;

/// Consecutive entries of the walk.
pub(crate) struct Batch {
    /// The number of the first entry.
    pub(crate) first: u64,
    pub(crate) found: Vec<RunItem>,
    /// The device of all its files, as known from the walk.
    pub(crate) device: u64,
    /// A sample of its files is in memory, so any thread may read them.
    pub(crate) resident: bool,
}

/// A file that takes more than one read.
pub(crate) struct LargeFile {
    pub(crate) number: u64,
    pub(crate) entry: Entry,
    pub(crate) size: u64,
    /// The open file, if it can't be opened twice.
    pub(crate) reader: Option<Reader>,
}

/// A small file that was read whole and did not change meanwhile.
#[derive(Debug)]
pub(crate) struct SmallFile {
    pub(crate) number: u64,
    pub(crate) path: Box<[u8]>,
    pub(crate) read: Read,
    /// The range of its bytes in the buffer.
    pub(crate) range: Range<usize>,
    /// Parts that could not be read and are zeros.
    pub(crate) bad_blocks: Box<[Piece]>,
}

/// A reader's output for the workers: small files that it read, and results of entries that it could not read.
#[derive(Default)]
pub(crate) struct LoadedFiles {
    /// Empty if there are no files.
    pub(crate) buffer: AlignedBytes,
    pub(crate) files: Vec<SmallFile>,
    pub(crate) messages: Vec<Message>,
}

/// Results of the entry with this number. Workers send them to the calling thread.
// Nearly every message is the large variant; a box for each would cost more than it saves.
#[allow(clippy::large_enum_variant)]
#[derive(Debug)]
pub(crate) enum Message {
    /// The next pieces of a file.
    Pieces(u64, Vec<Record>),
    Done(u64, EntryResult),
}

/// Takes messages; false ends the worker.
pub(crate) type SendResults<'a> = dyn FnMut(Vec<Message>) -> bool + 'a;

impl LoadedFiles {
    pub(crate) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.messages.is_empty()
    }
}

impl Message {
    pub(crate) fn is_done(&self) -> bool {
        matches!(self, Message::Done(..))
    }

    /// Returns the number of records in the message.
    pub(crate) fn records(&self) -> usize {
        match self {
            Message::Pieces(_, records) => records.len(),
            Message::Done(..) => 1,
        }
    }
}
