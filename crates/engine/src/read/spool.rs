//! Streams for digests that need the size first: the bytes go to a temporary file until their number is known.

use crate::Plan;
use hashmill_source::{Bytes, Entry, EntryContent, Error, Meta, Problem, Reader};
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

const CHUNK: usize = 256 << 10;

/// Reads a stream to its end and returns a reader of the same bytes with a known size.
pub(crate) fn spooled(entry: &Entry, mut reader: Reader, plan: &Plan) -> Result<Reader, Error> {
    let failed = |offset, source| Error {
        path: entry.path.clone(),
        problem: Problem::Read {
            offset,
            source: io::Error::other(format!("can't keep the stream in a temporary file: {source}")),
        },
    };
    let mut file = tempfile::tempfile().map_err(|source| failed(0, source))?;
    let mut buffer = vec![0; CHUNK];
    let mut size = 0;
    while !plan.cancel.is_set() {
        let read = reader.read(&mut buffer)?;
        file.write_all(&buffer[..read]).map_err(|source| failed(size, source))?;
        size += read as u64;
        if read < CHUNK {
            break;
        }
    }
    reader.finish(size)?;
    let meta = Meta { size, ..*reader.meta() };
    let content = Some(Arc::new(Spool { file, meta }) as Arc<dyn EntryContent>);
    Reader::open(&Entry { content, ..entry.clone() }, &plan.reading)
}

/// A temporary file that was unlinked.
#[derive(Debug)]
struct Spool {
    file: File,
    /// The stream's metadata, with its actual size.
    meta: Meta,
}

impl Spool {
    fn again(&self) -> io::Result<Spool> {
        Ok(Spool { file: self.file.try_clone()?, meta: self.meta })
    }
}

impl EntryContent for Spool {
    fn open(&self) -> io::Result<Box<dyn Bytes>> {
        Ok(Box::new(self.again()?))
    }
}

impl Bytes for Spool {
    fn file(&self) -> io::Result<Option<File>> {
        self.file.try_clone().map(Some)
    }

    fn meta(&self) -> io::Result<Meta> {
        Ok(self.meta)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        hashmill_os::read_at(&self.file, buffer, offset)
    }
}
