//! One file's bytes, and the proof that they are all of a file that held still.

use crate::{Entry, Error, Meta};

/// A file that is being read.
#[derive(Debug)]
pub struct Reader {
    meta: Meta,
}

impl Reader {
    /// Opens the entry and notes its metadata.
    pub fn open(entry: &Entry) -> Result<Reader, Error> {
        let _ = entry;
        todo!("open")
    }
    /// The metadata at opening.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }
    /// Whether [`Reader::read_at`] works: a regular file with a true size.
    pub fn seekable(&self) -> bool {
        todo!()
    }
    /// The next bytes in order. Fills the buffer unless the file ends: fewer bytes mean the end. Holes
    /// come as zeros and are not read from the disk.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let _ = buffer;
        todo!()
    }
    /// The bytes at an offset, from any thread: fills the buffer unless the file ends. Holes as above.
    pub fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, Error> {
        let _ = (offset, buffer);
        todo!()
    }
    /// Checks that `read` bytes were all, and that the file did not change since it was opened.
    pub fn finish(&self, read: u64) -> Result<(), Error> {
        let _ = read;
        todo!()
    }
}
