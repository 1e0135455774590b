//! The files of one image, opened on demand and only a few at a time.

pub(crate) mod name;
pub(crate) mod opener;

use hashmill_os::{DISKS_ARE_BLOCKS, FileKind, Links, facts, facts_at, open_now};
use opener::{Opener, SharedFile, fill_at};
use parking_lot::Mutex;
use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;
use std::sync::Arc;

/// The maximum number of open files, well below usual limits; each thread may hold one more.
const MOST_OPEN: usize = 16;

/// Opens a file or block device for reading at offsets. Refuses anything else, and never blocks.
///
/// # Errors
/// If it can't be opened, or is a directory, a FIFO, a socket or a character device.
pub fn open_image(path: &Path) -> io::Result<File> {
    // Checked before opening, which alone would wake a process that waits at a FIFO, or rewind a tape.
    check(facts_at(path, Links::Follow)?.kind)?;
    // The path may have changed: opening must not block, and the file is checked again.
    let file = open_now(path, Links::Follow)?;
    check(facts(&file)?.kind)?;
    Ok(file)
}

fn check(kind: FileKind) -> io::Result<()> {
    let special = match kind {
        FileKind::Folder => return Err(io::ErrorKind::IsADirectory.into()),
        FileKind::Fifo => "a FIFO",
        FileKind::Socket => "a socket",
        FileKind::Character if DISKS_ARE_BLOCKS => "a character device",
        _ => return Ok(()),
    };
    let why = format!("it is {special}, and an image must be a file or a block device");
    Err(io::Error::new(io::ErrorKind::Unsupported, why))
}

/// Returns the size of a file in bytes; for devices, the offset of their end.
pub(crate) fn size_of(mut file: &File) -> io::Result<u64> {
    match file.metadata()?.len() {
        0 => file.seek(io::SeekFrom::End(0)),
        size => Ok(size),
    }
}

/// Files by index, read at offsets from any thread.
#[derive(Debug)]
pub(crate) struct Files {
    opener: Arc<dyn Opener>,
    paths: Vec<Arc<Path>>,
    /// Open files, the most recently used last.
    open: Mutex<Vec<(usize, Arc<dyn SharedFile>)>>,
}

impl Files {
    pub(crate) fn new(opener: &Arc<dyn Opener>, paths: Vec<Arc<Path>>) -> Self {
        Files { opener: Arc::clone(opener), paths, open: Mutex::default() }
    }

    pub(crate) fn opener(&self) -> &dyn Opener {
        &*self.opener
    }

    pub(crate) fn path(&self, file: usize) -> &Arc<Path> {
        &self.paths[file]
    }

    /// Returns the index of the last file.
    pub(crate) fn last(&self) -> usize {
        self.paths.len().saturating_sub(1)
    }

    pub(crate) fn get(&self, file: usize) -> io::Result<Arc<dyn SharedFile>> {
        let mut open = self.open.lock();
        let found = match open.iter().position(|(number, _)| *number == file) {
            Some(at) => open.remove(at).1,
            None => self.opener.open(&self.paths[file])?,
        };
        if open.len() >= MOST_OPEN {
            open.remove(0);
        }
        open.push((file, Arc::clone(&found)));
        Ok(found)
    }

    /// Returns the size of a file in bytes; for devices, the offset of their end.
    pub(crate) fn size(&self, file: usize) -> io::Result<u64> {
        self.get(file)?.size()
    }

    /// Reads at an offset. A short read means the end of the file.
    pub(crate) fn read_at(&self, file: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        fill_at(&*self.get(file)?, offset, buffer)
    }

    /// Like [`Files::read_at`], but a short read is an error.
    pub(crate) fn read_exact_at(&self, file: usize, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        match self.read_at(file, offset, buffer)? == buffer.len() {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
