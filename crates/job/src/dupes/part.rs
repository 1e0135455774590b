//! One block of a file as an entry of its own, so that the engine can hash the first or the last blocks of
//! many files as if they were small files.

use hashloom_source::{Bytes, Content, Entry, Error, Meta, Problem, Reader, Reading};
use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;

/// Bytes of a block.
const BLOCK: u64 = 4096;

/// Which block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The first.
    Head,
    /// The last.
    Tail,
}

impl Part {
    /// Files of so many bytes and more are told apart by this part first: a smaller one is read whole in
    /// the time that opening it once more would take.
    pub fn pays_from(self) -> u64 {
        match self {
            Part::Head => 64 << 10,
            Part::Tail => 1 << 20,
        }
    }

    /// The entry that stands for this part of a file.
    pub fn of(self, entry: &Entry, reading: &Reading) -> Entry {
        let content = Block { part: self, entry: entry.clone(), reading: reading.clone() };
        Entry { size: Some(BLOCK), content: Some(Arc::new(content)), ..entry.clone() }
    }
}

/// A block of a file, to be read as the settings say.
#[derive(Debug)]
struct Block {
    part: Part,
    entry: Entry,
    reading: Reading,
}

/// It, open.
#[derive(Debug)]
struct Open {
    reader: Reader,
    start: u64,
}

impl Content for Block {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        let reader = Reader::open(&self.entry, &self.reading).map_err(cause)?;
        let start = match self.part {
            Part::Head => 0,
            Part::Tail => reader.meta().size.saturating_sub(BLOCK),
        };
        Ok(Box::new(Open { reader, start }))
    }
}

impl Bytes for Open {
    fn file(&self) -> io::Result<File> {
        Ok(File::from(self.reader.as_fd().try_clone_to_owned()?))
    }

    /// The same each time: that the file held still is asked for when all of it is read.
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

/// Why it can't be read, without the path, which the entry has.
fn cause(error: Error) -> io::Error {
    match error.problem {
        Problem::Stat(source) | Problem::Open(source) | Problem::Read { source, .. } => source,
        other => io::Error::other(other.to_string()),
    }
}
