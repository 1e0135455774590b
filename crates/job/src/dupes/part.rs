//! A block of a file as an entry of its own, so that the engine can hash the first or the last blocks of many files as
//! if they were small files.

use hashmill_source::{Bytes, Entry, EntryContent, Error, Meta, Problem, Reader, Reading};
use std::fs::File;
use std::io;
use std::sync::Arc;

/// The size of a block in bytes.
const BLOCK: u64 = 4096;

/// The position of a block in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockPosition {
    /// The first block.
    Head,
    /// The last block.
    Tail,
}

impl BlockPosition {
    /// Returns the size in bytes from which files are told apart by this part first. A smaller file is read completely
    /// in the time that opening it once more would take.
    pub fn pays_from(self) -> u64 {
        match self {
            BlockPosition::Head => 64 << 10,
            BlockPosition::Tail => 1 << 20,
        }
    }

    /// Returns the entry that stands for this part of a file.
    pub fn entry(self, entry: &Entry, reading: &Reading) -> Entry {
        let content = Block { part: self, entry: entry.clone(), reading: reading.clone() };
        Entry { size: Some(BLOCK), content: Some(Arc::new(content)), ..entry.clone() }
    }
}

/// A block of a file that is read with these settings.
#[derive(Debug)]
struct Block {
    part: BlockPosition,
    entry: Entry,
    reading: Reading,
}

/// An open block.
#[derive(Debug)]
struct Open {
    reader: Reader,
    start: u64,
}

impl EntryContent for Block {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let reader = Reader::open(&self.entry, &self.reading).map_err(cause)?;
        let start = match self.part {
            BlockPosition::Head => 0,
            BlockPosition::Tail => reader.meta().size.saturating_sub(BLOCK),
        };
        Ok(Box::new(Open { reader, start }))
    }
}

impl Bytes for Open {
    fn file(&self) -> io::Result<Option<File>> {
        self.reader.file().map(File::try_clone).transpose()
    }

    /// Returns the same metadata each time. Whether the file has changed is checked when all of it is read.
    fn meta(&self) -> io::Result<Meta> {
        let meta = *self.reader.meta();
        Ok(Meta { size: meta.size.saturating_sub(self.start).min(BLOCK), ..meta })
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(BLOCK.saturating_sub(offset)).unwrap_or(0);
        let most = buffer.len().min(left);
        self.reader.read_at(self.start + offset, &mut buffer[..most]).map_err(cause)
    }
}

/// Returns the cause of an error without the path, which the entry has.
fn cause(error: Error) -> io::Error {
    match error.problem {
        Problem::Stat(source) | Problem::Open(source) | Problem::Read { source, .. } => source,
        other => io::Error::other(other.to_string()),
    }
}
