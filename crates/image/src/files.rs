//! The files of one image, opened when they are read and only a few at a time.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Open files kept, well below any usual limit of descriptors; each thread may hold one more.
const MOST_OPEN: usize = 16;

/// Files by number, read at offsets from any thread.
#[derive(Debug)]
pub(crate) struct Files {
    paths: Vec<Arc<Path>>,
    /// The most recently used last.
    open: Mutex<Vec<(usize, Arc<File>)>>,
}

impl Files {
    pub(crate) fn new(paths: Vec<Arc<Path>>) -> Self {
        Files { paths, open: Mutex::default() }
    }

    pub(crate) fn path(&self, file: usize) -> &Arc<Path> {
        &self.paths[file]
    }

    fn get(&self, file: usize) -> io::Result<Arc<File>> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match open.iter().position(|(number, _)| *number == file) {
            Some(at) => open.remove(at).1,
            None => Arc::new(File::open(&self.paths[file])?),
        };
        if open.len() >= MOST_OPEN {
            open.remove(0);
        }
        open.push((file, Arc::clone(&found)));
        Ok(found)
    }

    /// The size of a file in bytes; for devices, where they end.
    pub(crate) fn size(&self, file: usize) -> io::Result<u64> {
        let open = self.get(file)?;
        let meta = open.metadata()?;
        if meta.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        match meta.len() {
            0 => io::Seek::seek(&mut &*open, io::SeekFrom::End(0)),
            size => Ok(size),
        }
    }

    /// Reads at an offset; fewer bytes than asked for mean the end of the file.
    pub(crate) fn read_at(&self, file: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let open = self.get(file)?;
        let mut filled = 0;
        while filled < buffer.len() {
            match open.read_at(&mut buffer[filled..], offset.saturating_add(filled as u64)) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// As [`Files::read_at`], but the end of the file within the buffer is an error.
    pub(crate) fn read_exact_at(&self, file: usize, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        match self.read_at(file, offset, buffer)? == buffer.len() {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
