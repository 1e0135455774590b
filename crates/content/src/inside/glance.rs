//! A glance at a file below a folder: whether its bytes are worth to look into. It is opened once, and the first bytes are
//! read once, as a run may meet millions of files.

use crate::inside;
use crate::inside::site::{HeldFile, Site};
use hashmill_archive::{StreamFormat, is_known};
use hashmill_disk::Medium;
use hashmill_image::{SharedFile, fill_at, is_marked};
use hashmill_source::Entry;
use std::io;
use std::sync::Arc;

/// The number of first bytes that are kept. Small files are kept as a whole.
const FIRST: u64 = 64 << 10;

/// An open file with its first bytes.
#[derive(Debug, Clone)]
pub(crate) struct Glance {
    file: Arc<dyn SharedFile>,
    size: u64,
    first: Arc<[u8]>,
}

impl Glance {
    /// Opens a file; `None` if it can't be opened or read, which is told when it is hashed.
    pub(crate) fn at(entry: &Entry) -> Option<Glance> {
        let (opener, path) = Site::from_entry(entry).opener().ok()?;
        Glance::of(opener.open(&path).ok()?)
    }

    /// Opens a member of an archive or image. Of one that comes in order only the first bytes are seen.
    pub(crate) fn at_member(entry: &Entry) -> Option<Glance> {
        let bytes = entry.content.as_ref()?.open().ok()?;
        if !bytes.is_in_order() && bytes.has_size() {
            return Glance::of(Arc::new(HeldFile(bytes.into())));
        }
        let mut first = vec![0; FIRST as usize];
        let length = bytes.peek(&mut first).ok()?;
        first.truncate(length);
        let file: Arc<dyn SharedFile> = Arc::new(HeldFile(bytes.into()));
        Some(Glance { file, size: length as u64, first: first.into() })
    }

    fn of(file: Arc<dyn SharedFile>) -> Option<Glance> {
        let size = file.size().ok()?;
        let mut first = vec![0; size.min(FIRST) as usize];
        let read = fill_at(&*file, 0, &mut first).ok()?;
        (read == first.len()).then(|| Glance { file, size, first: first.into() })
    }

    /// Returns whether some format of archives recognises it.
    pub(crate) fn is_archive(&self) -> bool {
        is_known(self, &self.first[..self.first.len().min(StreamFormat::FIRST)])
    }

    /// Returns whether it has the mark of an image.
    pub(crate) fn is_image(&self) -> bool {
        is_marked(self).unwrap_or(false)
    }

    /// Returns whether it has partitions, or something that is known as a file system.
    pub(crate) fn is_disk(&self) -> bool {
        inside::is_disk(Arc::new(self.clone())).unwrap_or(false)
    }
}

impl Medium for Glance {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, position: u64, buffer: &mut [u8]) -> io::Result<()> {
        let read = fill_at(self, position, buffer)?;
        if read == buffer.len() { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

impl SharedFile for Glance {
    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let kept = usize::try_from(offset).ok().and_then(|at| self.first.get(at..)).unwrap_or_default();
        if offset >= self.size {
            return Ok(0);
        }
        if kept.is_empty() {
            return self.file.read_at(offset, buffer);
        }
        let length = kept.len().min(buffer.len());
        buffer[..length].copy_from_slice(&kept[..length]);
        Ok(length)
    }

    fn is_near(&self) -> bool {
        self.file.is_near()
    }
}
