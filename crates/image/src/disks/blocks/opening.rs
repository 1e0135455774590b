//! The parameters of opening a virtual disk, and its files.

use crate::error::{Error, Problem};
use crate::files::opener::{Opener, SharedFile, fill_at};
use crate::format::Segment;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The largest medium, so that sums of offsets stay in range.
const MOST_MEDIA: u64 = 1 << 62;

/// A virtual disk to open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<'a> {
    pub(crate) opener: &'a Arc<dyn Opener>,
    /// The first or only file.
    pub(crate) first: &'a Path,
    /// The size of the backing image, if the caller opened one.
    pub(crate) backing: Option<u64>,
}

/// An open file of a disk.
#[derive(Debug, Clone)]
pub(crate) struct DiskFile {
    pub(crate) path: Arc<Path>,
    pub(crate) file: Arc<dyn SharedFile>,
    pub(crate) size: u64,
}

impl Opening<'_> {
    /// Opens the first file. Only QCOW2 is opened with a backing image.
    pub(crate) fn file(&self) -> Result<DiskFile, Error> {
        DiskFile::open(&**self.opener, self.first).map_err(|error| Error::io(self.first, error))
    }

    /// Refuses a backing image.
    pub(crate) fn alone(&self) -> Result<(), Error> {
        match self.backing {
            Some(_) => Err(self.refused(Problem::NoBacking)),
            None => Ok(()),
        }
    }

    pub(crate) fn refused(&self, problem: Problem) -> Error {
        Error::new(self.first, problem)
    }

    /// Makes the error of a header that can't be used.
    pub(crate) fn bad_header(&self, why: &'static str) -> Error {
        self.refused(Problem::Header(why))
    }

    /// Checks the size of the media.
    pub(crate) fn media_size(&self, size: Option<u64>) -> Result<u64, Error> {
        size.filter(|size| *size < MOST_MEDIA).ok_or_else(|| self.refused(Problem::Geometry))
    }
}

impl DiskFile {
    pub(crate) fn open(opener: &dyn Opener, path: &Path) -> io::Result<DiskFile> {
        let file = opener.open(path)?;
        let size = file.size()?;
        Ok(DiskFile { path: path.into(), file, size })
    }

    /// Reads bytes at an offset; those past the end of the file are zeros.
    pub(crate) fn bytes<const N: usize>(&self, offset: u64) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        fill_at(&*self.file, offset, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads up to this many bytes at an offset.
    pub(crate) fn vec(&self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let left = self.size.saturating_sub(offset).min(length);
        let mut bytes = vec![0; usize::try_from(left).map_err(|_| io::ErrorKind::OutOfMemory)?];
        let filled = fill_at(&*self.file, offset, &mut bytes)?;
        bytes.truncate(filled);
        Ok(bytes)
    }

    /// Whether a range lies in the file.
    pub(crate) fn holds(&self, offset: u64, length: u64) -> bool {
        offset.checked_add(length).is_some_and(|end| end <= self.size)
    }

    pub(crate) fn segment(&self) -> Segment {
        Segment { path: Some(Arc::clone(&self.path)), number: 1, size: self.size }
    }

    /// Makes the error of a failed read.
    pub(crate) fn failed(&self, error: io::Error) -> Error {
        Error::io(&self.path, error)
    }
}
