//! Reading past the page cache at any offset.

use hashmill_os::names::path_bytes;
use hashmill_source::{self as source, Entry, Meta, Origin, Problem, Reader, Reading};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A file or device that is read past the page cache.
#[derive(Debug)]
pub(crate) struct Uncached {
    reader: Reader,
    is_fresh: Arc<AtomicBool>,
}

impl Uncached {
    /// Opens a file. When it is closed, `is_fresh` becomes false if any of its bytes came from the page cache.
    ///
    /// # Errors
    /// If it can't be opened.
    pub(crate) fn open(path: &Path, is_fresh: &Arc<AtomicBool>) -> io::Result<Uncached> {
        let entry = Entry::new(path_bytes(path).into(), Origin::Operand);
        let reading = Reading { fresh: true, ..Reading::default() };
        let reader = Reader::open(&entry, &reading).map_err(cause)?;
        Ok(Uncached { reader, is_fresh: Arc::clone(is_fresh) })
    }

    /// Returns the metadata at opening, with the true size of a device.
    pub(crate) fn meta(&self) -> &Meta {
        self.reader.meta()
    }

    /// Reads at an offset. Returns 0 at the end only.
    ///
    /// # Errors
    /// If the bytes can't be read.
    pub(crate) fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read_at(offset, buffer).map_err(cause)
    }
}

impl Drop for Uncached {
    fn drop(&mut self) {
        if !self.reader.is_fresh() {
            self.is_fresh.store(false, Ordering::Release);
        }
    }
}

/// Returns the error of the system.
fn cause(error: source::Error) -> io::Error {
    match error.problem {
        Problem::Open(source) | Problem::Stat(source) | Problem::Read { source, .. } => source,
        problem => io::Error::other(problem.to_string()),
    }
}
