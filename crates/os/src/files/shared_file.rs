//! One open file with several independent readers, so that all of them read the same file, even if it is renamed
//! meanwhile.

use crate::{read_at, read_exact_at};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

/// A reader of a shared file, with its own position.
#[derive(Debug, Clone)]
pub struct SharedFile {
    file: Arc<File>,
    at: u64,
}

impl SharedFile {
    /// Creates a reader at the file's start. The file must allow reads at any offset.
    pub fn new(file: File) -> Self {
        SharedFile::shared(Arc::new(file))
    }

    /// Creates a reader of a file that others use, too.
    pub fn shared(file: Arc<File>) -> Self {
        SharedFile { file, at: 0 }
    }

    /// Creates another reader of the same file, at its start.
    #[must_use]
    pub fn again(&self) -> Self {
        SharedFile { file: Arc::clone(&self.file), at: 0 }
    }

    /// Returns the length of the file.
    ///
    /// # Errors
    /// If the system does not tell it.
    pub fn length(&self) -> io::Result<u64> {
        self.file.metadata().map(|data| data.len())
    }

    /// Fills a buffer from this offset on.
    ///
    /// # Errors
    /// If the file can't be read, or ends before.
    pub fn read_exact_at(&self, buffer: &mut [u8], at: u64) -> io::Result<()> {
        read_exact_at(&self.file, buffer, at)
    }
}

impl Read for SharedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = read_at(&self.file, buffer, self.at)?;
        self.at += length as u64;
        Ok(length)
    }
}

impl Seek for SharedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.length()?.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}
