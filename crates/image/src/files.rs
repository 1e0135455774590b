//! The files of one image, opened when they are read and only a few at a time.

use crate::opener::{Held, Opener, fill_at};
use parking_lot::Mutex;
use std::error;
use std::fmt;
use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Seek};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

/// Open files kept, well below any usual limit of descriptors; each thread may hold one more.
const MOST_OPEN: usize = 16;

/// A file that can't be read at offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NotRegular {
    Fifo,
    Socket,
    Character,
}

impl fmt::Display for NotRegular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self {
            NotRegular::Fifo => "a FIFO",
            NotRegular::Socket => "a socket",
            NotRegular::Character => "a character device",
        };
        write!(f, "it is {what}, and an image must be a file or a block device")
    }
}

impl error::Error for NotRegular {}

/// Opens a file or a block device to read it at offsets. Nothing else is opened, and this never waits.
///
/// # Errors
/// If it can't be opened, or is something else: a directory, a FIFO, a socket, a character device.
pub fn open_image(path: &Path) -> io::Result<File> {
    // Asked first, for opening alone wakes who waits at a FIFO, and may rewind a tape.
    check(path.metadata()?.file_type())?;
    // Something else may be there by now: it must not block, and is looked at again.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    check(file.metadata()?.file_type())?;
    Ok(file)
}

fn check(kind: FileType) -> io::Result<()> {
    // Where disks have character devices, too, they are as good.
    let character = kind.is_char_device() && cfg!(target_os = "linux");
    let special = match () {
        () if kind.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        () if kind.is_fifo() => NotRegular::Fifo,
        () if kind.is_socket() => NotRegular::Socket,
        () if character => NotRegular::Character,
        () => return Ok(()),
    };
    Err(io::Error::new(io::ErrorKind::Unsupported, special))
}

/// The size of a file in bytes; for devices, where they end.
pub(crate) fn size_of(mut file: &File) -> io::Result<u64> {
    match file.metadata()?.len() {
        0 => file.seek(io::SeekFrom::End(0)),
        size => Ok(size),
    }
}

/// Files by number, read at offsets from any thread.
#[derive(Debug)]
pub(crate) struct Files {
    opener: Arc<dyn Opener>,
    paths: Vec<Arc<Path>>,
    /// The most recently used last.
    open: Mutex<Vec<(usize, Arc<dyn Held>)>>,
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

    /// The number of the last file.
    pub(crate) fn last(&self) -> usize {
        self.paths.len().saturating_sub(1)
    }

    pub(crate) fn get(&self, file: usize) -> io::Result<Arc<dyn Held>> {
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

    /// The size of a file in bytes; for devices, where they end.
    pub(crate) fn size(&self, file: usize) -> io::Result<u64> {
        self.get(file)?.size()
    }

    /// Reads at an offset; fewer bytes than asked for mean the end of the file.
    pub(crate) fn read_at(&self, file: usize, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        fill_at(&*self.get(file)?, offset, buffer)
    }

    /// As [`Files::read_at`], but the end of the file within the buffer is an error.
    pub(crate) fn read_exact_at(&self, file: usize, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        match self.read_at(file, offset, buffer)? == buffer.len() {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
