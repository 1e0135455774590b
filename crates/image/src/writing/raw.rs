//! Raw images: the media bytes in one file, or in parts of one size.

use super::packing::PackedBatch;
use super::pipeline::ImageSink;
use super::settings::{MediaEnd, SegmentFiles, WrittenImage};
use hashmill_os::write_all_at;
use std::fs::File;
use std::io;

/// The files of a raw image.
pub(super) struct RawFiles {
    files: Box<dyn SegmentFiles>,
    limit: u64,
    file: Option<File>,
    /// The bytes of the open file.
    filled: u64,
    written: WrittenImage,
}

impl RawFiles {
    pub(super) fn new(files: Box<dyn SegmentFiles>, limit: Option<u64>) -> RawFiles {
        let limit = limit.unwrap_or(u64::MAX).max(1);
        RawFiles { files, limit, file: None, filled: 0, written: WrittenImage::default() }
    }

    /// Returns the open file, or the next one.
    fn file(&mut self) -> io::Result<&File> {
        if self.file.is_none() || self.filled == self.limit {
            self.written.segments += 1;
            self.file = Some(self.files.create(self.written.segments)?);
            self.filled = 0;
        }
        self.file.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl ImageSink for RawFiles {
    fn take(&mut self, batch: &PackedBatch) -> io::Result<()> {
        let mut rest = &batch.stored[..];
        while !rest.is_empty() {
            self.file()?;
            let room = usize::try_from(self.limit - self.filled).unwrap_or(usize::MAX);
            let (part, later) = rest.split_at(rest.len().min(room));
            let filled = self.filled;
            write_all_at(self.file()?, part, filled)?;
            self.filled += part.len() as u64;
            self.written.bytes += part.len() as u64;
            rest = later;
        }
        Ok(())
    }

    fn finish(&mut self, _end: &MediaEnd) -> io::Result<WrittenImage> {
        if self.written.segments == 0 {
            self.file()?;
        }
        Ok(self.written)
    }
}
